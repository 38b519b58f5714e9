internal import BinaryPrimitives
internal import ObjectFiles

/// Small parts of a section, of which several are read at once where they come one soon after the
/// other: swiftc's program of 15,000 units has a unit header every two kilobytes, each of which
/// would take a `pread(2)` of its own.
///
/// Used by one task.
final class SectionWindow {
    private let contents: SectionContents
    private let buffer = ReadBuffer()
    /// For parts with nothing near to them, and while another is being used.
    private let spare = ReadBuffer()
    private var isInUse = false
    /// Range of the section that is in the buffer.
    private var loaded = 0..<0
    private var last = 0

    /// Bytes that are read at once, and how near the next part must be for it.
    private static let size = 32 << 10
    private static let near = 8 << 10

    init(_ contents: SectionContents) { self.contents = contents }

    /// Gives a part of the section to `body`, as far as the section goes.
    func withBytes<Result, Failure: Error>(
        in range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Not the same bytes again, as a unit's header and its root entry are: the next may be far.
        let isNear = range.lowerBound > last && range.lowerBound - last < Self.near
        last = range.lowerBound
        if !loaded.contains(range), isNear, !isInUse, !contents.isStreamed, range.count < Self.near {
            loaded = range.lowerBound..<min(contents.count, range.lowerBound + Self.size)
            contents.load(loaded, into: buffer)
        }
        guard loaded.contains(range) else { return try contents.withBytes(in: range, spare, body) }
        let wasInUse = isInUse
        isInUse = true
        defer { isInUse = wasInUse }
        let part = range.lowerBound - loaded.lowerBound..<range.upperBound - loaded.lowerBound
        return try buffer.withLoaded { (bytes: RawSpan) throws(Failure) -> Result in try body(bytes.clamped(to: part)) }
    }
}
