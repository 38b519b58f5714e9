package import BinaryPrimitives
package import ObjectFiles

/// The frame descriptions of `.debug_frame` (DWARF 5, section 6.4.1), which 32-bit ARM and debug
/// files have in place of `.eh_frame`.
///
/// The whole section is read when this value is made, because it has no table.
package struct DebugFrames: Sendable {
    let section: CallFrameSection
    let contents: SectionContents
    /// Ascending by their starts.
    private let ranges: [DescribedRange]

    /// - Returns: `nil` if the file has no such section with a frame description in it.
    package init?(_ object: ObjectFile) {
        let description = object.description
        guard description.kind != .relocatable,
            let found = description.sections.first(where: { $0.name == ".debug_frame" || $0.name == "__debug_frame" }),
            let contents = try? object.contents(of: found)
        else { return nil }
        section = CallFrameSection(
            isExceptions: false, address: 0, addressSize: description.addressSize, byteOrder: description.byteOrder)
        var ranges = FrameRanges(section)
        self.ranges = contents.withBytes { ranges.all(in: $0) }
        self.contents = contents
        if self.ranges.isEmpty { return nil }
    }

    /// The range of the function that holds `address`; `nil` if no frame description covers it.
    package func range(containing address: LinkAddress) -> Range<LinkAddress>? { described(containing: address)?.range }

    /// Whether the function that holds `address` is one that a signal handler returns to; `nil` if
    /// no frame description covers the address.
    package func isSignalFrame(at address: LinkAddress) -> Bool? { described(containing: address)?.isSignalFrame }

    /// The ranges of all functions, ascending by their starts.
    package func allRanges() -> [Range<LinkAddress>] { ranges.map(\.range) }

    func described(containing address: LinkAddress) -> DescribedRange? {
        guard let found = ranges.last(startingAtOrBefore: address), found.range.contains(address) else { return nil }
        return found
    }
}
