internal import BinaryPrimitives
internal import CrashReports

/// A response that is written piece by piece, in the encoding of the log that it is made of.
struct SpooledOutput: ~Copyable {
    private var file = UnlinkedFile()
    private var buffer: [UInt8] = []
    private var encoder: UTF16Encoder?
    private let limits: Limits

    private static let size = 1 << 18

    init(_ limits: Limits) { self.limits = limits }

    /// Bytes that follow are written in this encoding.
    mutating func use(_ encoding: TextEncoding) {
        if case .utf16(let order) = encoding, encoder == nil { encoder = UTF16Encoder(order) }
    }

    mutating func append(_ bytes: Span<UInt8>) throws(Refusal) {
        if encoder != nil { encoder?.encode(bytes, to: &buffer) } else { buffer.append(copying: bytes) }
        if buffer.count >= Self.size { try write() }
    }

    /// Bytes that are written as they are.
    mutating func append(raw bytes: Span<UInt8>) { buffer.append(copying: bytes) }

    private mutating func write() throws(Refusal) {
        guard file.count + buffer.count <= limits.sentOutput else {
            throw Refusal("the response is larger than \(limits.sentOutput) bytes: please send a part of the log", status: 413)
        }
        let bytes = buffer
        buffer.removeAll(keepingCapacity: true)
        do throws(FileError) { try file.append(bytes) } catch { throw Refusal(about: error) }
    }

    consuming func finish() throws(Refusal) -> Response.Body {
        try write()
        let file: MappedFile
        do throws(FileError) { file = try self.file.finish(path: "the response") } catch { throw Refusal(about: error) }
        return .file(file, 0..<file.size)
    }
}
