public import BinaryPrimitives

/// The frame descriptions of `.debug_frame` (DWARF 5, section 6.4.1), which 32-bit ARM and debug files have in place of `.eh_frame`.
///
/// Read whole when this value is made: the section has no table.
public struct DebugFrames: Sendable {
    /// Ascending by their starts.
    private let ranges: [DescribedRange]

    /// - Returns: `nil` if the file has no such section with a frame description in it.
    public init?(_ object: ObjectFile) {
        guard object.description.kind != .relocatable,
            let section = object.description.sections.first(where: { $0.name == ".debug_frame" || $0.name == "__debug_frame" }),
            let contents = try? object.contents(of: section)
        else { return nil }
        let reader = DebugFrameEntries(addressSize: object.description.addressSize, byteOrder: object.description.byteOrder)
        let found = contents.withBytes { reader.ranges($0) }
        guard !found.isEmpty else { return nil }
        ranges = found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// The range of the function that holds `address`; `nil` if no frame description covers it.
    public func range(containing address: LinkAddress) -> Range<LinkAddress>? { described(containing: address)?.range }

    /// Whether the function that holds `address` is one that a signal handler returns to; `nil` if no frame description covers the address.
    public func isSignalFrame(at address: LinkAddress) -> Bool? { described(containing: address)?.isSignalFrame }

    /// The ranges of all functions, ascending by their starts.
    public func everyRange() -> [Range<LinkAddress>] { ranges.map(\.range) }

    private func described(containing address: LinkAddress) -> DescribedRange? {
        guard let found = ranges.last(startingAtOrBefore: address), found.range.contains(address) else { return nil }
        return found
    }
}

/// Reads the entries of `.debug_frame` in their order.
private struct DebugFrameEntries {
    let addressSize: Int
    let byteOrder: ByteOrder

    /// Bytes of common information that are read: what is wanted is in its first ones.
    private static let readLength = 256

    func ranges(_ section: RawSpan) -> [DescribedRange] {
        var found: [DescribedRange] = []
        var commons: [UInt64: FrameEntries.Common] = [:]
        var rest = section
        while rest.byteCount > 0 {
            guard let (entry, offsetSize) = try? takeEntry(&rest) else { break }
            if let range = try? range(entry, offsetSize, section, &commons) { found.append(range) }
        }
        return found
    }

    private func takeEntry(_ bytes: inout RawSpan) throws(ReadError) -> (entry: Range<Int>, offsetSize: Int) {
        // Positions count from the end, which stays where it is while the start of the span moves.
        let short = try bytes.take(UInt32.self, byteOrder)
        let isLong = short == 0xffff_ffff
        let length = isLong ? Int(clamping: try bytes.take(UInt64.self, byteOrder)) : Int(short)
        let before = bytes.byteCount
        try bytes.skip(length)
        return (bytes.byteCount..<before, isLong ? 8 : 4)
    }

    /// - Parameter entry: its bytes behind the length, counted from the section's end.
    /// - Returns: `nil` for common information, and for a function without code.
    private func range(
        _ entry: Range<Int>, _ offsetSize: Int, _ section: RawSpan, _ commons: inout [UInt64: FrameEntries.Common]
    ) throws(ReadError) -> DescribedRange? {
        var body = section.clamped(to: section.byteCount - entry.upperBound..<section.byteCount - entry.lowerBound)
        let common = try body.takeUnsigned(size: offsetSize, byteOrder)
        guard common != (offsetSize == 8 ? UInt64.max : 0xffff_ffff) else { return nil }
        let information = commons[common] ?? (try? self.common(at: common, section)) ?? .damaged
        commons[common] = information
        // Plain addresses: other encodings are for `.eh_frame`.
        guard information.encoding.value == 0 else { return nil }
        let start = LinkAddress(try body.takeUnsigned(size: addressSize, byteOrder))
        let size = try body.takeUnsigned(size: addressSize, byteOrder)
        guard size > 0, let end = start.advanced(by: size) else { return nil }
        return DescribedRange(FrameEntries.Entry(next: 0, range: start..<end, isSignalFrame: information.isSignalFrame))
    }

    private func common(at position: UInt64, _ section: RawSpan) throws(ReadError) -> FrameEntries.Common {
        var rest = try section.from(position)
        let (entry, offsetSize) = try takeEntry(&rest)
        var body = section.clamped(to: section.byteCount - entry.upperBound..<section.byteCount - entry.lowerBound)
            .prefix(Self.readLength)
        guard try body.takeUnsigned(size: offsetSize, byteOrder) == (offsetSize == 8 ? UInt64.max : 0xffff_ffff) else { return .damaged }
        try body.skip(1)  // version
        let augmentation = try body.takeCString()
        var common = FrameEntries.Common(encoding: PointerEncoding(value: 0))
        for index in 0..<augmentation.byteCount where augmentation.byte(at: index) == UInt8(ascii: "S") { common.isSignalFrame = true }
        return common
    }
}
