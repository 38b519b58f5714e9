internal import BinaryPrimitives
internal import Decompression

extension ObjectFile {
    /// Gives the section's bytes to `chunk` from first to last, inflated if they are stored
    /// compressed, through a window of 1 MB: for a section of which only a part is wanted, or each
    /// part only once. Memory does not grow with the section, except where relocations change it.
    /// - Parameter chunk: gets the next bytes; they are gone when it returns. Returns `false` to
    ///   stop.
    /// - Throws: `ObjectFileError` as `contents(of:)` does; bytes that were passed before are
    ///   decoded correctly, but their checksum was not verified.
    package func inflateStreaming(_ section: Section, chunk: (RawSpan) -> Bool) throws(ObjectFileError) {
        if let problem = section.problem { throw ObjectFileError(.corrupt, path: path, problem) }
        if let relocations, relocations.change(section) {
            _ = try contents(of: section).withBytes(chunk)
            return
        }
        guard let compression = section.compression else { return streamStored(section.fileRange, chunk) }
        let size = try inflatedSize(section, compression)
        do throws(DecodingFailure) {
            var stream = try compressedBytes(section, compression)
            stream.inflateAhead(ifProcessors: 3)
            let window = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, min(Self.window, size)), alignment: 16)
            defer { unsafe window.deallocate() }
            var done = 0
            while !stream.isAtEnd {
                let count = unsafe try stream.read(into: window)
                done += count
                guard done <= size else { throw .damaged(Self.tooLong(size)) }
                if count > 0 {
                    let piece = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: window[..<count]))
                    guard chunk(piece) else { return }
                }
            }
            guard done == size else { throw .damaged(Self.tooShort(done, size)) }
        } catch {
            throw failure(section, error)
        }
    }

    /// The whole section, inflated.
    func inflate(_ section: Section, _ compression: Section.Compression) throws(ObjectFileError) -> InflatedBytes {
        let size = try reserveInflatedSize(section, compression)
        var problem: DecodingFailure?
        let bytes = unsafe InflatedBytes(count: size, from: inflation) { buffer in
            do throws(DecodingFailure) {
                var stream = try compressedBytes(section, compression)
                stream.inflateAhead(ifProcessors: 3)
                let count = unsafe try stream.read(into: buffer)
                guard count == size else { throw .damaged(Self.tooShort(count, size)) }
                try Self.expectEnd(of: &stream, after: size)
                return true
            } catch {
                problem = error
                return false
            }
        }
        guard let bytes else { throw failure(section, problem ?? .outOfMemory) }
        return bytes
    }

    /// Reserves the bytes that the section inflates to in the object's budget.
    func reserveInflatedSize(_ section: Section, _ compression: Section.Compression) throws(ObjectFileError) -> Int {
        let size = try inflatedSize(section, compression)
        guard inflation.reserve(size) else {
            let declared = "section \(section.name) is not inflated: it declares \(size) bytes"
            throw ObjectFileError(
                .unsupported, path: path, "\(declared), expected that all that is inflated at one time takes at most \(inflation.maxBytes)")
        }
        return size
    }

    private static let window = 1 << 20

    /// Minimum number of compressed bytes for which opening ISA-L is worthwhile: at 64 KB, zlib
    /// needs about a millisecond, and opening about half of one.
    private static let worthOpening = 64 << 10

    func compressedBytes(_ section: Section, _ compression: Section.Compression) throws(DecodingFailure) -> CompressedBytes {
        let range = section.fileRange
        switch compression {
        case .zlib:
            if range.count >= Self.worthOpening, let library = ISALLibrary.shared {
                return CompressedBytes(file: file, range, ISALDecoder(library))
            }
            return CompressedBytes(file: file, range, try ZlibDecoder())
        case .zstd: return CompressedBytes(file: file, range, try ZstandardDecoder(), hasFrames: true)
        case .unsupported(let type): throw .damaged("their method, number \(type), is not supported")
        }
    }

    static func tooShort(_ count: Int, _ size: Int) -> String {
        "they inflate to \(count) bytes, the compression header has \(size)"
    }

    private static func tooLong(_ size: Int) -> String { "they inflate to more than the \(size) bytes in the compression header" }

    /// The checksum is only seen where the stream is read to its end, which filling the buffer does
    /// not need.
    static func expectEnd(of stream: inout CompressedBytes, after size: Int) throws(DecodingFailure) {
        let extra = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { unsafe extra.deallocate() }
        guard unsafe try stream.read(into: extra) == 0 else { throw .damaged(tooLong(size)) }
    }

    /// The size in the compression header, if it is one that may be allocated.
    func inflatedSize(_ section: Section, _ compression: Section.Compression) throws(ObjectFileError) -> Int {
        let ratio: Int
        switch compression {
        case .zlib: ratio = limits.inflationRatio
        case .zstd: ratio = limits.zstandardRatio
        case .unsupported(let type):
            let problem = "section \(section.name) is compressed with an unknown method, number \(type)"
            throw ObjectFileError(.unsupported, path: path, "\(problem); expected zlib or Zstandard")
        }
        let (maxSize, overflow) = section.fileRange.count.multipliedReportingOverflow(by: ratio)
        guard let size = Int(exactly: section.size), size <= limits.inflatedSection, overflow || size <= maxSize else {
            let declared = "section \(section.name) of \(section.fileRange.count) compressed bytes declares \(section.size) inflated ones"
            let expected = "expected at most \(ratio) times as many, and \(limits.inflatedSection)"
            throw ObjectFileError(.corrupt, path: path, "\(declared), \(expected)")
        }
        return size
    }

    func failure(_ section: Section, _ failure: DecodingFailure) -> ObjectFileError {
        switch failure {
        case .damaged(let reason):
            ObjectFileError(.corrupt, path: path, "the compressed bytes of section \(section.name) are damaged: \(reason)")
        case .outOfMemory:
            ObjectFileError(.unsupported, path: path, "section \(section.name) could not be inflated: not enough memory")
        }
    }

    private func streamStored(_ range: Range<Int>, _ chunk: (RawSpan) -> Bool) {
        let buffer = ReadBuffer()
        var first = range.lowerBound
        while first < range.upperBound {
            let last = min(range.upperBound, first + Self.window)
            guard buffer.withBytes(of: file, first..<last, chunk) else { return }
            first = last
        }
    }
}
