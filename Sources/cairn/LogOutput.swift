internal import BinaryPrimitives
internal import CrashReports

/// Where an answered log goes: standard output, or a file that appears when it is whole. In the encoding of the log that it was made of.
struct LogOutput: ~Copyable {
    private var file: FileReplacement?
    private var buffer: [UInt8] = []
    private var encoder: UTF16Encoder?

    private static let size = 1 << 18

    /// - Parameter path: `nil` for standard output.
    init(path: String?) throws(FileError) {
        file = if let path { try FileReplacement(path: path) } else { nil }
        buffer.reserveCapacity(LogOutput.size)
    }

    /// What follows is written in this encoding.
    mutating func use(_ encoding: TextEncoding) {
        if case .utf16(let order) = encoding, encoder == nil { encoder = UTF16Encoder(order) }
    }

    mutating func append(_ bytes: Span<UInt8>) throws(FileError) {
        if encoder != nil { encoder?.encode(bytes, to: &buffer) } else { buffer.append(copying: bytes) }
        if buffer.count >= LogOutput.size { try flush() }
    }

    /// A byte that is written as it is.
    mutating func append(raw byte: UInt8) { buffer.append(byte) }

    /// Writes what has gathered.
    mutating func flush() throws(FileError) {
        guard !buffer.isEmpty else { return }
        let bytes = buffer
        buffer.removeAll(keepingCapacity: true)
        if file != nil { try file?.append(bytes) } else { try FileDescriptor.write(bytes, to: 1) }
    }

    /// The log is complete.
    mutating func finish() throws(FileError) {
        try flush()
        try file?.finish()
    }
}
