public import BinaryPrimitives

/// Which function's range holds an address, as the unwinder knows it: from the frame descriptions (FDE) of `.eh_frame`, or of Mach-O's `__eh_frame`.
///
/// They survive `strip`, so they bound a symbol without a size. Through the binary-search table of `.eh_frame_hdr` a question costs a few reads; without it the
/// section is read once, when this value is made.
public struct ExceptionFrames: Sendable {
    private let file: MappedFile
    /// The bytes of `.eh_frame`.
    private let section: Range<Int>
    private let entries: FrameEntries
    private let table: ExceptionFrameTable?
    /// All ranges, ascending by their starts; empty where there is a table.
    private var ranges: [DescribedRange] = []

    /// - Returns: `nil` if the file has no exception frames: none were made, or it is the debug companion of the file that has them, or it is not linked yet
    ///   (the addresses in a relocatable file wait for its relocations).
    public init?(_ object: ObjectFile) {
        let description = object.description
        guard description.kind != .relocatable else { return nil }
        let table = ExceptionFrameTable(object)
        let address: LinkAddress
        if let found = description.sections.first(where: { $0.name == ".eh_frame" || $0.name == "__eh_frame" }) {
            guard found.compression == nil, !found.fileRange.isEmpty else { return nil }
            (section, address) = (found.fileRange, found.address)
        } else if let begin = table?.framesAddress, let range = Self.bytes(from: begin, in: description.segments) {
            // Without section headers: from where the table says to the end of its segment. The section's own mark ends it before.
            (section, address) = (range, begin)
        } else {
            return nil
        }
        file = object.file
        entries = FrameEntries(address: address.value, addressSize: description.addressSize, byteOrder: description.byteOrder)
        self.table = table
        if table == nil { ranges = allRanges() }
    }

    /// The range of the function that holds `address`; `nil` if no frame description covers it.
    public func range(containing address: LinkAddress) -> Range<LinkAddress>? { described(containing: address)?.range }

    /// Whether the function that holds `address` is one that a signal handler returns to, whose caller was interrupted (`S` in the augmentation).
    /// - Returns: `nil` if no frame description covers the address.
    public func isSignalFrame(at address: LinkAddress) -> Bool? { described(containing: address)?.isSignalFrame }

    /// The range of the last function that begins at or before `address`, whether it holds it or not; `nil` where none begins there.
    public func lastRange(startingAtOrBefore address: LinkAddress) -> Range<LinkAddress>? { last(startingAtOrBefore: address)?.range }

    /// The ranges of all functions, ascending by their starts. Reads the whole section.
    public func everyRange() -> [Range<LinkAddress>] { (table == nil ? ranges : allRanges()).map(\.range) }

    private func described(containing address: LinkAddress) -> DescribedRange? {
        guard let found = last(startingAtOrBefore: address), found.range.contains(address) else { return nil }
        return found
    }

    private func last(startingAtOrBefore address: LinkAddress) -> DescribedRange? {
        table.map { range(at: $0.frameAddress(for: address)) } ?? ranges.last(startingAtOrBefore: address)
    }

    private static func bytes(from address: LinkAddress, in segments: [Segment]) -> Range<Int>? {
        for segment in segments {
            guard let offset = address.distance(from: segment.address), offset < UInt64(segment.fileRange.count) else { continue }
            return segment.fileRange.lowerBound + Int(offset)..<segment.fileRange.upperBound
        }
        return nil
    }

    /// The range in the frame description at an address in `.eh_frame`.
    private func range(at frame: LinkAddress?) -> DescribedRange? {
        guard let position = frame?.distance(from: LinkAddress(entries.address)), position < UInt64(section.count) else { return nil }
        return file.withBytes { whole in
            var commons: [Int: FrameEntries.Common] = [:]
            return (try? entries.entry(at: Int(position), in: whole.clamped(to: section), commons: &commons)).flatMap(DescribedRange.init)
        }
    }

    /// Reads the section from its first entry to its end, or to the first damaged one.
    private func allRanges() -> [DescribedRange] {
        var found: [DescribedRange] = []
        var commons: [Int: FrameEntries.Common] = [:]
        ReadBuffer().withBytes(of: file, section) { bytes in
            var position = 0
            while position < bytes.byteCount, let entry = try? entries.entry(at: position, in: bytes, commons: &commons) {
                if let range = DescribedRange(entry) { found.append(range) }
                position = entry.next
            }
        }
        return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }
}

/// A function's range as its frame description has it.
struct DescribedRange: Sendable {
    var range: Range<LinkAddress>
    var isSignalFrame: Bool

    /// - Returns: `nil` for an entry that describes no function.
    init?(_ entry: FrameEntries.Entry?) {
        guard let entry, let range = entry.range else { return nil }
        self.range = range
        isSignalFrame = entry.isSignalFrame
    }
}

extension [DescribedRange] {
    /// Of ranges that ascend by their starts, the last that begins at or before an address.
    func last(startingAtOrBefore address: LinkAddress) -> DescribedRange? {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].range.lowerBound <= address { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? self[low - 1] : nil
    }
}
