internal import BinaryPrimitives

extension ObjectFile {
    /// Gives the section's bytes to `chunk` from first to last, inflated if they are stored compressed, through a window of 1 MB: for a section of which only
    /// a part is wanted, or each part only once. Memory does not grow with the section.
    /// - Parameter chunk: gets the next bytes; they are gone when it returns. Answers `false` to stop.
    /// - Throws: `ObjectFileError` as `contents(of:)` does; what was given out before is as it was compressed, but its checksum was not seen.
    public func inflateStreaming(_ section: Section, chunk: (RawSpan) -> Bool) throws(ObjectFileError) {
        if let problem = section.problem { throw ObjectFileError(.corrupt, path: path, problem) }
        guard let compression = section.compression else { return streamStored(section.fileRange, chunk) }
        let size = try inflatedSize(section, compression)
        do throws(ZlibStream.Failure) {
            var stream = try ZlibStream(file: file, section.fileRange)
            let window = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, min(Self.window, size)), alignment: 16)
            defer { unsafe window.deallocate() }
            var done = 0
            while !stream.isAtEnd {
                let count = unsafe try stream.inflate(into: window)
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
        let size = try inflatedSize(section, compression)
        var problem: ZlibStream.Failure?
        let bytes = unsafe InflatedBytes(count: size) { buffer in
            do throws(ZlibStream.Failure) {
                var stream = try ZlibStream(file: file, section.fileRange)
                let count = unsafe try stream.inflate(into: buffer)
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

    private static let window = 1 << 20

    private static func tooShort(_ count: Int, _ size: Int) -> String {
        "they inflate to \(count) bytes, the compression header says \(size)"
    }

    private static func tooLong(_ size: Int) -> String { "they inflate to more than the \(size) bytes that the compression header says" }

    /// The checksum is only seen where the stream is read to its end, which a full buffer does not ask for.
    private static func expectEnd(of stream: inout ZlibStream, after size: Int) throws(ZlibStream.Failure) {
        let extra = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { unsafe extra.deallocate() }
        guard unsafe try stream.inflate(into: extra) == 0 else { throw .damaged(tooLong(size)) }
    }

    /// The size that the compression header tells, if it is one that may be allocated.
    private func inflatedSize(_ section: Section, _ compression: Section.Compression) throws(ObjectFileError) -> Int {
        if case .unsupported(let type) = compression {
            // ELFCOMPRESS_ZSTD is 2.
            let what = type == 2 ? "Zstandard, which is not read yet" : "an unknown method, number \(type)"
            throw ObjectFileError(.unsupported, path: path, "section \(section.name) is compressed with \(what); expected zlib")
        }
        let limits = Limits.standard
        let (most, overflow) = section.fileRange.count.multipliedReportingOverflow(by: limits.inflationRatio)
        guard let size = Int(exactly: section.size), size <= limits.inflatedSection, overflow || size <= most else {
            let declared = "section \(section.name) of \(section.fileRange.count) compressed bytes declares \(section.size) inflated ones"
            let expected = "expected at most \(limits.inflationRatio) times as many, and \(limits.inflatedSection)"
            throw ObjectFileError(.corrupt, path: path, "\(declared), \(expected)")
        }
        return size
    }

    private func failure(_ section: Section, _ failure: ZlibStream.Failure) -> ObjectFileError {
        switch failure {
        case .damaged(let what):
            ObjectFileError(.corrupt, path: path, "the compressed bytes of section \(section.name) are damaged: \(what)")
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
