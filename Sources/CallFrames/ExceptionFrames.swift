package import BinaryPrimitives
package import ObjectFiles

/// Finds the range of the function that holds an address, as the unwinder does: from the frame descriptions
/// (FDE) of `.eh_frame`, or of Mach-O's `__eh_frame`.
///
/// They survive `strip`, so they bound a symbol without a size. With the binary-search table of
/// `.eh_frame_hdr` a lookup costs a few reads; without it, or where it is wrong, the section is read once,
/// for the first lookup.
package struct ExceptionFrames: Sendable {
    private let file: MappedFile
    /// The bytes of `.eh_frame`.
    private let bytes: Range<Int>
    let section: CallFrameSection
    private let table: ExceptionFrameTable?
    /// All ranges, ascending by their starts.
    private let ranges: LazyValue<[DescribedRange]>

    /// - Parameter isRelocated: the object is one in a process's memory, where all addresses are the process's.
    /// - Returns: `nil` if the file has no exception frames: none were made, or it is the debug
    ///   companion of the file that has them, or it is not linked yet (the addresses in a
    ///   relocatable file wait for its relocations).
    package init?(_ object: ObjectFile, isRelocated: Bool = false) {
        let description = object.description
        guard description.kind != .relocatable || isRelocated else { return nil }
        let table = ExceptionFrameTable(object)
        let address: LinkAddress
        if let found = description.sections.first(where: { $0.name == ".eh_frame" || $0.name == "__eh_frame" }) {
            guard found.compression == nil, !found.fileRange.isEmpty else { return nil }
            (bytes, address) = (found.fileRange, found.address)
        } else if let begin = table?.framesAddress, let range = description.segments.fileRange(from: begin) {
            // Without section headers: from the address in the table to the end of its segment. The section's
            // own mark ends it before.
            (bytes, address) = (range, begin)
        } else {
            return nil
        }
        let section = CallFrameSection(
            isExceptions: true, address: address.value, addressSize: description.addressSize, byteOrder: description.byteOrder)
        let (file, bytes) = (object.file, bytes)
        self.file = file
        self.section = section
        self.table = table
        ranges = LazyValue {
            var ranges = FrameRanges(section)
            return ReadBuffer().withBytes(of: file, bytes) { ranges.all(in: $0) }
        }
    }

    /// The range of the function that holds `address`; `nil` if no frame description covers it.
    package func range(containing address: LinkAddress) -> Range<LinkAddress>? { described(containing: address)?.range }

    /// Whether the function that holds `address` is one that a signal handler returns to, whose
    /// caller was interrupted (`S` in the augmentation).
    /// - Returns: `nil` if no frame description covers the address.
    package func isSignalFrame(at address: LinkAddress) -> Bool? { described(containing: address)?.isSignalFrame }

    /// Returns the range of the last function that begins at or before `address`, even if it does not hold
    /// it; `nil` if no function begins there.
    package func lastRange(startingAtOrBefore address: LinkAddress) -> Range<LinkAddress>? { last(startingAtOrBefore: address)?.range }

    /// The ranges of all functions, ascending by their starts. Reads the whole section.
    package func allRanges() -> [Range<LinkAddress>] { ranges.get().map(\.range) }

    func described(containing address: LinkAddress) -> DescribedRange? {
        guard let found = last(startingAtOrBefore: address), found.range.contains(address) else { return nil }
        return found
    }

    private func last(startingAtOrBefore address: LinkAddress) -> DescribedRange? {
        guard let table else { return ranges.get().last(startingAtOrBefore: address) }
        guard let entry = table.entry(for: address) else { return nil }
        // If the table disagrees with the description, it belongs to another section: a tool has changed the
        // file after linking.
        if let found = range(at: entry.frame), found.range.lowerBound == entry.start { return found }
        return ranges.get().last(startingAtOrBefore: address)
    }

    /// Calls `body` with the section's bytes.
    func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result { file.withBytes { body($0.clamped(to: bytes)) } }

    /// The range in the frame description at an address in `.eh_frame`.
    private func range(at frame: LinkAddress) -> DescribedRange? {
        guard let position = frame.distance(from: LinkAddress(section.address)) else { return nil }
        return described(byEntryAt: position)
    }

    /// Returns the range in the frame description that begins `position` bytes after the section's start.
    func described(byEntryAt position: UInt64) -> DescribedRange? {
        guard position < UInt64(bytes.count) else { return nil }
        return withBytes { bytes in
            guard let entry = try? section.entry(at: Int(position), in: bytes), entry.length > 0 else { return nil }
            var ranges = FrameRanges(section)
            return ranges.range(of: entry, in: bytes)
        }
    }
}
