public import BinaryPrimitives

/// A log's bytes as UTF-8, part by part: of a file, a pipe, a device, or standard input (`-`).
public struct LogInput: ~Copyable {
    private let path: String
    private let descriptor: Int32
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
        descriptor = path == "-" ? 0 : try FileDescriptor.open(path)
    }

    deinit { if descriptor != 0 { FileDescriptor.close(descriptor) } }

    /// - Returns: the next bytes; `nil` at the end.
    public mutating func next() throws(FileError) -> [UInt8]? {
        var bytes = try FileDescriptor.readSome(from: descriptor, limit: LogInput.part, path: path)
        if isFirst {
            isFirst = false
            // The first four bytes tell the encoding.
            while bytes.count < 4 {
                let more = try FileDescriptor.readSome(from: descriptor, limit: LogInput.part, path: path)
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
