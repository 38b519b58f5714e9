internal import BinaryPrimitives
internal import CrashReports

/// Output of a symbolicated log: standard output, or a file that appears when it is complete. It
/// has the encoding of the log that it was made of.
///
/// A terminal gets the log's colours, as from `less -R`; other commands to it are shown, because
/// the author of the log may mean harm. A pipe and a file get every byte.
struct LogOutput: ~Copyable {
    private var file: FileReplacement?
    private var buffer: [UInt8] = []
    private var encoder: UTF16Encoder?
    /// Filter for a terminal, if standard output is one.
    private var terminal: TerminalText?

    private static let size = 1 << 18

    /// - Parameter path: `nil` for standard output.
    init(path: String?) throws(FileError) {
        file = if let path { try FileReplacement(path: path, isNamed: true) } else { nil }
        terminal = path == nil && FileDescriptor.isTerminal(1) ? TerminalText(keepsColors: true) : nil
        buffer.reserveCapacity(LogOutput.size)
    }

    /// Bytes that follow are written in this encoding.
    mutating func use(_ encoding: TextEncoding) {
        if case .utf16(let order) = encoding, encoder == nil { encoder = UTF16Encoder(order) }
    }

    mutating func append(_ bytes: Span<UInt8>) throws(FileError) {
        if encoder != nil { encoder?.encode(bytes, to: &buffer) } else { buffer.append(copying: bytes) }
        if buffer.count >= LogOutput.size { try write(isEnd: false) }
    }

    /// A byte that is written as it is.
    mutating func append(raw byte: UInt8) { buffer.append(byte) }

    /// Writes what has gathered.
    mutating func flush() throws(FileError) { try write(isEnd: false) }

    private mutating func write(isEnd: Bool) throws(FileError) {
        var bytes = buffer
        buffer.removeAll(keepingCapacity: true)
        if terminal != nil {
            var shown: [UInt8] = []
            terminal?.append(bytes, isEnd: isEnd, to: &shown)
            bytes = shown
        }
        guard !bytes.isEmpty else { return }
        if file != nil { try file?.append(bytes) } else { try FileDescriptor.write(bytes, to: 1) }
    }

    /// The log is complete.
    mutating func finish() throws(FileError) {
        try write(isEnd: true)
        try file?.finish()
    }
}
