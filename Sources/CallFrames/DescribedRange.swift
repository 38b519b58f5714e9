internal import BinaryPrimitives

/// A function's range, from its frame description.
struct DescribedRange: Sendable {
    var range: Range<LinkAddress>
    var isSignalFrame: Bool
    /// Offset of the description in its section.
    var offset: Int
}

extension [DescribedRange] {
    /// Returns the last range that begins at or before an address. The ranges must be sorted by their starts.
    func last(startingAtOrBefore address: LinkAddress) -> DescribedRange? {
        let low = (0..<count).partitionPoint { self[$0].range.lowerBound > address }
        return low > 0 ? self[low - 1] : nil
    }
}

/// Reads the ranges of functions. Reads common information once, however many functions refer to it.
struct FrameRanges {
    let section: CallFrameSection
    /// Common information by offset; `nil` if it is damaged, which affects only the functions that refer to
    /// it.
    private var commons: [Int: CommonInformation?] = [:]

    /// Maximum number of bytes that are read of one entry.
    private static let longest = 256

    init(_ section: CallFrameSection) { self.section = section }

    /// Returns the ranges of all functions, sorted by their starts: up to the first entry that is cut short,
    /// or the mark that ends the section.
    mutating func all(in bytes: RawSpan) -> [DescribedRange] {
        var found: [DescribedRange] = []
        var position = 0
        while position < bytes.byteCount, let entry = try? section.entry(at: position, in: bytes) {
            if entry.length == 0, section.isExceptions { break }
            if let range = range(of: entry, in: bytes) { found.append(range) }
            position = entry.end
        }
        return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// - Returns: `nil` for common information, for a function without code, and where the address
    ///   cannot be known.
    mutating func range(of entry: CallFrameSection.Entry, in bytes: RawSpan) -> DescribedRange? {
        guard !entry.isCommon, let common = common(of: entry, in: bytes),
            let function = try? section.function(entry, common, in: bytes, longest: Self.longest),
            let start = function.start?.address(section: section.address, addressSize: section.addressSize),
            let size = function.size, size > 0, let end = LinkAddress(start).advanced(by: size)
        else { return nil }
        return DescribedRange(range: LinkAddress(start)..<end, isSignalFrame: common.isSignalFrame, offset: entry.offset)
    }

    private mutating func common(of entry: CallFrameSection.Entry, in bytes: RawSpan) -> CommonInformation? {
        guard let offset = entry.common else { return nil }
        if let known = commons[offset] { return known }
        var common: CommonInformation?
        if let entry = try? section.entry(at: offset, in: bytes), entry.isCommon, entry.length > 0 {
            common = try? section.common(entry, in: bytes, longest: Self.longest)
        }
        commons[offset] = .some(common)
        return common
    }
}
