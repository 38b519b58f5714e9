package import BinaryPrimitives
internal import Synchronization

/// A section's bytes after inflating, wherever they are: in the file, or in memory.
///
/// A reader gets the whole section through `withBytes`, or a part into a buffer that it reuses
/// through `copy`.
package enum SectionContents: Sendable {
    /// Bytes of the file, stored as they are.
    case stored(MappedFile, Range<Int>)
    /// Bytes that were inflated.
    case inflated(InflatedBytes)
    /// A compressed section that is inflated as far as it is needed.
    case streamed(StreamedSection)
    /// One of everyday size that is inflated as far as it is needed, and stays in memory.
    case growing(GrowingSection)
    /// A copy that relocations were applied to, or that was joined from several sections.
    case assembled([UInt8])

    /// The number of bytes.
    package var count: Int {
        switch self {
        case .stored(_, let range): range.count
        case .inflated(let bytes): bytes.count
        case .streamed(let section): section.count
        case .growing(let section): section.count
        case .assembled(let bytes): bytes.count
        }
    }

    /// Gives all bytes to `body`. Those of a section that is streamed are inflated for it, and gone
    /// when it returns.
    package func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        switch self {
        case .stored(let file, let range):
            return try file.withBytes { (whole: RawSpan) throws(Failure) -> Result in
                // A file that is mapped is as long as it was when its ranges were checked.
                try body(whole.clamped(to: range))
            }
        case .inflated(let bytes):
            return try bytes.withBytes(body)
        case .streamed(let section):
            return try ReadBuffer().withBytes(of: section, 0..<section.count, body)
        case .growing(let section):
            return try section.withBytes(in: 0..<section.count, body)
        case .assembled(let bytes):
            return try body(bytes.span.rawBytes)
        }
    }

    /// Gives the bytes of `range`, as far as they exist, to `body`: copied into `buffer` where they
    /// lie in the file, so that nothing of a large section stays resident; directly where they were
    /// inflated.
    package func withBytes<Result, Failure: Error>(
        in range: Range<Int>, _ buffer: ReadBuffer, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let inside = range.clamped(to: 0..<count)
        switch self {
        case .stored(let file, let whole):
            let stored = whole.lowerBound + inside.lowerBound..<whole.lowerBound + inside.upperBound
            return try buffer.withBytes(of: file, stored, body)
        case .inflated(let bytes):
            return try bytes.withBytes { (all: RawSpan) throws(Failure) -> Result in try body(all.clamped(to: inside)) }
        case .streamed(let section):
            return try buffer.withBytes(of: section, inside, body)
        case .growing(let section):
            return try section.withBytes(in: inside, body)
        case .assembled(let bytes):
            return try body(bytes.span.rawBytes.clamped(to: inside))
        }
    }

    /// Gives the bytes of `range`, as far as they exist, to `body`, through the mapping: for the few bytes of one entry of a unit, which may
    /// be large.
    package func withMappedBytes<Result, Failure: Error>(
        in range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if case .growing(let section) = self { return try section.withBytes(in: range.clamped(to: 0..<section.count), body) }
        return try withBytes { (all: RawSpan) throws(Failure) -> Result in try body(all.clamped(to: range)) }
    }

    /// Whether the section is inflated piece by piece, so that it is best read in the order of its
    /// bytes.
    package var isStreamed: Bool {
        if case .streamed = self { true } else { false }
    }

    /// Inflates later parts of a streamed section on threads: for readers that read it from first
    /// to last.
    /// - Parameter least: minimum number of processors: one for the reader, one for each thread
    ///   that the reader keeps busy, and one more.
    package func inflateAhead(ifProcessors minCount: Int) {
        if case .streamed(let section) = self { section.inflateAhead(ifProcessors: minCount) }
    }

    /// Inflates a record of a large streamed section by itself (`StreamedSection.inflateRecord`).
    package func inflateRecord(at start: Int, among starts: [Int]) -> Bool {
        guard case .streamed(let section) = self else { return false }
        return section.inflateRecord(at: start, among: starts)
    }

    /// Puts the bytes of `range`, as far as they exist, into `buffer` (`ReadBuffer.withLoaded`).
    package func load(_ range: Range<Int>, into buffer: ReadBuffer) {
        let inside = range.clamped(to: 0..<count)
        switch self {
        case .streamed(let section): unsafe buffer.load(count: inside.count) { unsafe section.read(inside, into: $0) }
        case .stored(let file, let whole):
            unsafe buffer.load(count: inside.count) {
                unsafe file.read(at: FileOffset(UInt64(whole.lowerBound + inside.lowerBound)), into: $0)
            }
        case .inflated, .growing, .assembled:
            unsafe buffer.load(count: inside.count) { target in
                withMappedBytes(in: inside) { bytes in
                    unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
                    return bytes.byteCount
                }
            }
        }
    }

    /// Why fewer bytes were given than were requested.
    package var problem: ObjectFileError? {
        switch self {
        case .streamed(let section): section.problem
        case .growing(let section): section.problem
        case .stored, .inflated, .assembled: nil
        }
    }

    fileprivate func copy() -> [UInt8] {
        if case .stored(let file, let range) = self { return file.bytes(in: range) }
        return withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
    }
}

extension ReadBuffer {
    /// Gives the bytes of `range` of a section to `body`, as far as they could be inflated.
    fileprivate func withBytes<Result, Failure: Error>(
        of section: StreamedSection, _ range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withBytes(count: range.count, fill: { unsafe section.read(range, into: $0) }, body)
    }
}

/// Memory that holds an inflated section; freed with the last reference.
@safe package final class InflatedBytes: Sendable {
    package let count: Int
    // Written only before it is shared.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    /// Budget that the bytes count against.
    private let allowance: InflationAllowance

    /// Allocates `count` bytes, filled by `fill` before any other code sees them.
    /// - Parameter allowance: the budget that the bytes were reserved from; they are returned to it
    ///   at the end.
    /// - Returns: `nil` if `fill` returns `false`.
    init?(count: Int, from allowance: InflationAllowance, fill: (UnsafeMutableRawBufferPointer) -> Bool) {
        unsafe start = UnsafeMutableRawPointer.allocate(byteCount: max(1, count), alignment: 16)
        self.count = count
        self.allowance = allowance
        // The memory is freed by `deinit` then too, because every property has its value.
        guard unsafe fill(UnsafeMutableRawBufferPointer(start: start, count: count)) else { return nil }
    }

    deinit {
        unsafe start.deallocate()
        allowance.release(count)
    }

    package func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        try unsafe body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: count)))
    }
}

extension ObjectFile {
    /// The section's bytes: inflated if they are stored compressed, and with the relocations of a
    /// relocatable file applied, if it is a debug section.
    /// - Throws: `ObjectFileError` if its header contradicts the file, if the bytes cannot be
    ///   inflated or exceed `Limits.inflatedSection`, or if a relocation is damaged or of a type
    ///   that is not known.
    package func contents(of section: Section) throws(ObjectFileError) -> SectionContents {
        if let problem = section.problem { throw ObjectFileError(.corrupt, path: path, problem) }
        let contents: SectionContents =
            if let compression = section.compression { .inflated(try inflate(section, compression)) } else {
                .stored(file, section.fileRange)
            }
        guard let relocations, relocations.change(section) else { return contents }
        var bytes = contents.copy()
        try relocations.apply(to: section, of: self, &bytes)
        return .assembled(bytes)
    }

    /// Contents of a section, inflated into a temporary file, whose pages need not stay in memory:
    /// for a large section of which a few scattered parts are needed.
    package func contentsOnDisk(of section: Section) throws(ObjectFileError) -> SectionContents {
        guard let size = Int(exactly: section.size), section.compression != nil, section.problem == nil,
            relocations?.change(section) != true,
            size <= inflation.maxBytes
        else { return try contents(of: section) }
        var file = UnlinkedFile()
        var hasRoom = true
        try inflateStreaming(section) { piece in
            do throws(FileError) { try file.append(piece) } catch { hasRoom = false }
            return hasRoom
        }
        guard hasRoom, let mapped = try? file.finish(path: path) else { return try contents(of: section) }
        return .stored(mapped, 0..<mapped.size)
    }

    /// The bytes of several sections, one after the other, each as `contents(of:)` gives it: the
    /// debug sections of one name of a relocatable file, as a linker joins them.
    package func contents(joining sections: [Section]) throws(ObjectFileError) -> SectionContents {
        if let only = sections.first, sections.count == 1 { return try contents(of: only) }
        // Sections do not overlap, so together they are not larger than the file.
        guard sections.reduce(0, { $0 + $1.fileRange.count }) <= file.size else {
            let name = sections.first?.name ?? ""
            throw ObjectFileError(.corrupt, path: path, "the sections named \(name) overlap: they are larger than the file")
        }
        var size: UInt64 = 0
        for section in sections {
            let (sum, overflow) = size.addingReportingOverflow(section.size)
            let maxSize = min(limits.inflatedSection, inflation.maxBytes)
            guard !overflow, sum <= UInt64(maxSize) else {
                throw ObjectFileError(
                    .corrupt, path: path, "the sections named \(section.name) inflate to more than \(maxSize) bytes together")
            }
            size = sum
        }
        var bytes: [UInt8] = []
        for section in sections { bytes += try contents(of: section).copy() }
        return .assembled(bytes)
    }

    /// Whether the section's bytes are in the file as they are meant, so that reading them costs
    /// nothing.
    package func isStoredAsIs(_ section: Section) -> Bool {
        section.compression == nil && section.problem == nil && relocations?.change(section) != true
    }
}
