package import BinaryPrimitives
internal import LibC

/// Standard output, written in large pieces. On a terminal no part of it is a command to the
/// terminal, even if files and logs contain one; a pipe and a file get the original bytes.
package struct StandardOutput {
    private var buffer: [UInt8] = []
    private let descriptor: Int32
    private let keepsColors: Bool
    /// `nil` until something is written, and if there is no terminal.
    private var terminal: TerminalText?
    private var isTerminal: Bool?

    /// - Parameters:
    ///   - descriptor: descriptor of standard output, if it was moved to another number.
    ///   - keepsColors: colours pass on a terminal, for output that makes names harmless by itself.
    package init(to descriptor: Int32 = 1, keepsColors: Bool = false) {
        self.descriptor = descriptor
        self.keepsColors = keepsColors
        buffer.reserveCapacity(Self.piece)
    }

    package mutating func append(_ text: String) {
        buffer += text.utf8
        if buffer.count >= Self.piece { writeBuffer(isEnd: false) }
    }

    package mutating func append(_ text: StaticString) {
        unsafe buffer.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package mutating func append(_ bytes: [UInt8]) {
        if bytes.count < Self.piece {
            buffer += bytes
            if buffer.count >= Self.piece { writeBuffer(isEnd: false) }
        } else {
            // From where it is: a batch of results has megabytes.
            writeBuffer(isEnd: false)
            write(bytes, isEnd: false)
        }
    }

    /// Writes the buffered bytes. A failure (a full disk) ends the program: nothing that follows
    /// could be written either.
    package mutating func flush() { writeBuffer(isEnd: true) }

    /// Bytes that are gathered.
    private static var piece: Int { 1 << 16 }

    private mutating func writeBuffer(isEnd: Bool) {
        guard !buffer.isEmpty || terminal != nil else { return }
        write(buffer, isEnd: isEnd)
        buffer.removeAll(keepingCapacity: true)
    }

    /// - Parameter isEnd: the bytes end with a whole character.
    private mutating func write(_ bytes: [UInt8], isEnd: Bool) {
        if isTerminal == nil {
            isTerminal = FileDescriptor.isTerminal(descriptor)
            if isTerminal == true { terminal = TerminalText(keepsColors: keepsColors) }
        }
        var shown = bytes
        if terminal != nil {
            shown = []
            terminal?.append(bytes, isEnd: isEnd, to: &shown)
        }
        do throws(FileError) {
            try FileDescriptor.write(shown, to: descriptor)
        } catch {
            printDiagnostic(error.description)
            endProcess(.failed)
        }
    }
}

/// How much a line on standard error matters: an error changes the exit status, a warning is about
/// a worse result, a note is about a choice.
package enum Severity: String { case error, warning, note }

/// Writes one line to standard error: `cairn: error: SUBJECT: what is wrong. What to do.` What a
/// file's name or contents put into it stays in that line, and cannot be a command to a terminal.
/// - Parameter descriptor: descriptor of standard error, if it was moved to another number.
package func printDiagnostic(_ message: String, as severity: Severity = .error, to descriptor: Int32 = 2) {
    try? FileDescriptor.write(Array("cairn: \(severity.rawValue): \(PlainText.line(message))\n".utf8), to: descriptor)
}

/// Reports a usage error, and how to get help.
/// - Parameters:
///   - message: the argument parser's, of one line or more.
///   - command: `cairn ci`, and so on.
package func printUsageError(_ message: String, of command: String, prefix: String = "") {
    let line = usageLine(message)
    printDiagnostic("\(prefix)\(line.hasSuffix(".") ? String(line.dropLast()) : line) (see \(command) --help)")
}

/// The argument parser's message as one line. It lists the values of an option in lines of their
/// own, ` - json`; of those, the ones that are similar to the typed text are shown, or else all.
package func usageLine(_ message: String) -> String {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: true)
    let values = lines.filter { $0.hasPrefix("  - ") }.map { String($0.dropFirst(4)) }
    // `The value 'yaml' is invalid for '--format <format>'. Please provide one of the following:`
    guard !values.isEmpty, let first = lines.first, let end = first.firstRange(of: ". Please provide one of the following:")?.lowerBound
    else {
        return lines.joined(separator: " ")
    }
    let typed = first.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first ?? ""
    let suggestion = SimilarNames.suggestion(for: String(typed), among: values)
    return first[..<end] + "." + (suggestion.isEmpty ? " Expected one of \(values.joined(separator: ", "))" : suggestion)
}

/// Writes the messages of a tool that cairn replaces to standard error: to a pipe its very
/// bytes, to a terminal nothing that is a command to it.
/// - Parameter descriptor: descriptor of standard error, if it was moved to another number.
package func writeError(_ text: String, to descriptor: Int32 = 2) {
    var bytes = Array(text.utf8)
    if FileDescriptor.isTerminal(descriptor) {
        var shown: [UInt8] = []
        var terminal = TerminalText(keepsColors: false)
        terminal.append(bytes, isEnd: true, to: &shown)
        bytes = shown
    }
    try? FileDescriptor.write(bytes, to: descriptor)
}

/// Maximum bytes of input that is read as a whole. Logs for symbolication are not, and may have any
/// size.
package let maxInput = 1 << 30

/// A log's bytes: a file's, or standard input's for `-`.
package func readInput(_ path: String) throws(FileError) -> [UInt8] {
    if path == "-" { return try FileDescriptor.readAll(from: 0, limit: maxInput) }
    // Pipes (`<(command)`) and devices have no size; a folder is refused by `MappedFile`, with the
    // system's words. A log that is cut short meanwhile is as long as it is then.
    if PathKind(path: path) == .other { return try FileDescriptor.readAll(atPath: path, limit: maxInput) }
    return try MappedFile(path: path).allBytes(limit: maxInput)
}

/// Ends the process; everything must have been written.
package func endProcess(_ status: ExitStatus) -> Never { exit(status.rawValue) }

/// Ends the process without waiting for its other threads (`_exit(2)`).
package func endProcessImmediately(_ status: Int32) -> Never { _exit(status) }
