public import BinaryPrimitives

/// A section's bytes after inflating, wherever they are: in the file, or in memory.
///
/// A reader takes the whole section through `withBytes`, or a part into a buffer that it reuses through `copy`.
public enum SectionContents: Sendable {
    /// Bytes of the file, stored as they are.
    case stored(MappedFile, Range<Int>)
    /// Bytes that were inflated.
    case inflated(InflatedBytes)

    /// The number of bytes.
    public var count: Int {
        switch self {
        case .stored(_, let range): range.count
        case .inflated(let bytes): bytes.count
        }
    }

    /// Gives all bytes to `body`.
    public func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        switch self {
        case .stored(let file, let range):
            return try file.withBytes { (whole: RawSpan) throws(Failure) -> Result in
                // A file that is mapped is as long as it was when its ranges were checked.
                try body(whole.clamped(to: range))
            }
        case .inflated(let bytes):
            return try bytes.withBytes(body)
        }
    }

    /// Gives the bytes of `range`, as far as they exist, to `body`: copied into `buffer` where they lie in the file, so that nothing of a large section stays
    /// resident; directly where they were inflated.
    public func withBytes<Result, Failure: Error>(
        in range: Range<Int>, _ buffer: ReadBuffer, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let inside = range.clamped(to: 0..<count)
        switch self {
        case .stored(let file, let whole):
            let place = whole.lowerBound + inside.lowerBound..<whole.lowerBound + inside.upperBound
            return try buffer.withBytes(of: file, place, body)
        case .inflated(let bytes):
            return try bytes.withBytes { (all: RawSpan) throws(Failure) -> Result in try body(all.clamped(to: inside)) }
        }
    }
}

/// Memory that holds an inflated section; freed with the last reference.
@safe public final class InflatedBytes: Sendable {
    public let count: Int
    // Written only before it is shared.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer

    /// Memory of `count` bytes, filled by `fill` before anyone else sees it.
    /// - Returns: `nil` if `fill` answers `false`.
    public init?(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Bool) {
        unsafe start = UnsafeMutableRawPointer.allocate(byteCount: max(1, count), alignment: 16)
        self.count = count
        // The memory is freed by `deinit` then too, because every property has its value.
        guard unsafe fill(UnsafeMutableRawBufferPointer(start: start, count: count)) else { return nil }
    }

    deinit { unsafe start.deallocate() }

    public func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        try unsafe body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: count)))
    }
}

extension ObjectFile {
    /// The section's bytes, inflated if they are stored compressed.
    /// - Throws: `ObjectFileError` if its header contradicts the file, or the bytes cannot be inflated or exceed `Limits.inflatedSection`.
    public func contents(of section: Section) throws(ObjectFileError) -> SectionContents {
        if let problem = section.problem { throw ObjectFileError(.corrupt, path: path, problem) }
        guard let compression = section.compression else { return .stored(file, section.fileRange) }
        return .inflated(try inflate(section, compression))
    }
}
