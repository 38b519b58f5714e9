package import BinaryPrimitives

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Standard output, written in large pieces.
package struct StandardOutput {
    private var buffer: [UInt8] = []

    package init() { buffer.reserveCapacity(1 << 16) }

    package mutating func append(_ text: String) {
        buffer += text.utf8
        if buffer.count >= 1 << 16 { flush() }
    }

    package mutating func append(_ text: StaticString) {
        unsafe buffer.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package mutating func append(_ bytes: [UInt8]) {
        buffer += bytes
        if buffer.count >= 1 << 16 { flush() }
    }

    /// Writes what has gathered. A failure (a full disk) ends the program: nothing that follows could be written either.
    package mutating func flush() {
        guard !buffer.isEmpty else { return }
        do throws(FileError) {
            try FileDescriptor.write(buffer, to: 1)
        } catch {
            complain(error.description)
            endProcess(.failed)
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Writes one line to standard error: `cairn: FILE: what is wrong: what was expected`.
package func complain(_ message: String) {
    let line = message.split(separator: "\n", omittingEmptySubsequences: true).joined(separator: " ")
    try? FileDescriptor.write(Array("cairn: \(line)\n".utf8), to: 2)
}

/// Bytes of what is read as a whole. Logs that are answered are not, and may be of any size.
private let mostInput = 1 << 30

/// A log's bytes: a file's, or standard input's for `-`.
package func readInput(_ path: String) throws(FileError) -> [UInt8] {
    if path == "-" { return try FileDescriptor.readAll(from: 0, limit: mostInput) }
    // Pipes (`<(command)`) and devices have no size; a folder is refused by `MappedFile`, with the system's words. A log that is cut short meanwhile is as long as it is then.
    if PathKind(path: path) == .other { return try FileDescriptor.readAll(atPath: path, limit: mostInput) }
    return try MappedFile(path: path).allBytes(limit: mostInput)
}

/// Ends the process; everything must have been written.
package func endProcess(_ status: ExitStatus) -> Never { exit(status.rawValue) }
