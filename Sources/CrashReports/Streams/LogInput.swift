public import BinaryPrimitives

/// The bytes of a log, part by part, as UTF-8: of a file, of standard input, or of a member of an archive.
public struct LogInput: ~Copyable {
    private enum Source {
        case descriptor(Int32)
        /// And how much of it was read.
        case mapped(MappedFile, Int)
        /// The whole log; empty when it was read.
        case memory([UInt8])
    }

    private let path: String
    private var source: Source
    private var decoder: UTF16Decoder?
    private var isFirst = true
    /// The log's own encoding; known behind the first part.
    public private(set) var encoding = TextEncoding.utf8
    /// The byte at the end of a log in UTF-16 that is half a unit.
    public private(set) var oddByte: UInt8?

    /// Read at a time (bytes). Of a pipe comes what is there.
    private static let part = 1 << 18

    /// - Parameter path: of a file, or `-`.
    public init(_ path: String) throws(FileError) {
        self.path = path == "-" ? "standard input" : path
        source = .descriptor(path == "-" ? 0 : try FileDescriptor.openWritten(path))
    }

    /// - Parameter file: a log that is no file of its own.
    public init(_ file: MappedFile) {
        path = file.path
        source = .mapped(file, 0)
    }

    /// - Parameters:
    ///   - bytes: the whole log.
    ///   - path: stands in messages.
    public init(_ bytes: [UInt8], path: String) {
        self.path = path
        source = .memory(bytes)
    }

    deinit { if case .descriptor(let descriptor) = source, descriptor != 0 { FileDescriptor.close(descriptor) } }

    private mutating func part() throws(FileError) -> [UInt8] {
        switch source {
        case .descriptor(let descriptor): return try FileDescriptor.readSome(from: descriptor, limit: LogInput.part, path: path)
        case .mapped(let file, let start):
            let end = min(file.size, start + LogInput.part)
            source = .mapped(file, end)
            return file.bytes(in: start..<end)
        case .memory(let bytes):
            source = .memory([])
            return bytes
        }
    }

    /// - Returns: the next bytes; `nil` at the end.
    public mutating func next() throws(FileError) -> [UInt8]? {
        var bytes = try part()
        if isFirst {
            isFirst = false
            // The first four bytes tell the encoding.
            while bytes.count < 4 {
                let more = try part()
                if more.isEmpty { break }
                bytes += more
            }
            encoding = TextEncoding(of: bytes.span)
            if case .utf16(let order) = encoding { decoder = UTF16Decoder(order) }
        }
        guard decoder != nil else { return bytes.isEmpty ? nil : bytes }
        var text: [UInt8] = []
        if bytes.isEmpty {
            oddByte = decoder?.finish(to: &text) ?? oddByte
            decoder = nil
            return text.isEmpty ? nil : text
        }
        decoder?.decode(bytes.span, to: &text)
        return text
    }
}
