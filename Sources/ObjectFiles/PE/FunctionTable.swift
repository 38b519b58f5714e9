package import BinaryPrimitives

/// The functions of a PE image by their addresses, each with its unwind information: the exception directory, `.pdata` (Microsoft,
/// "PE Format", "The .pdata Section").
///
///     x86-64       begin, end, address of the information               12 bytes
///     arm64, arm   begin, address of the information or packed data      8 bytes
///
/// Addresses count from the image's first byte. Entries ascend.
package struct FunctionTable: Sendable {
    /// One entry.
    package struct Entry: Sendable, Hashable {
        package var range: Range<LinkAddress>
        /// The last word of the entry: the address of its unwind information, or this information itself, packed (arm64, arm).
        package var information: UInt32

        /// Whether the word is the information itself.
        package var isPacked: Bool { information & 3 != 0 }
    }

    private let file: MappedFile
    private let bytes: Range<Int>
    private let base: UInt64
    private let segments: [Segment]
    private let entrySize: Int
    /// Bytes of the smallest instruction, which lengths count; x86-64 has the functions' ends instead.
    private let unit: UInt64

    /// - Returns: `nil` if the file has no such table.
    package init?(_ object: ObjectFile) {
        let description = object.description
        guard let directory = description.exceptionDirectory else { return nil }
        switch description.architecture.family {
        case "x86_64": (entrySize, unit) = (12, 1)
        case "arm64": (entrySize, unit) = (8, 4)
        case "arm": (entrySize, unit) = (8, 2)
        default: return nil
        }
        file = object.file
        bytes = directory.fileRange
        base = description.baseAddress.value
        segments = description.segments
    }

    /// Returns the entry whose function holds an address.
    package func entry(containing address: LinkAddress) -> Entry? {
        guard let entry = lastEntry(startingAtOrBefore: address), entry.range.contains(address) else { return nil }
        return entry
    }

    /// Entries of one function that follow one another.
    private static let maxParts = 64

    /// Returns the range of the function that holds an address. A function of x86-64 may have several entries, one after the other: all but
    /// the first say that they continue another one (`UNW_FLAG_CHAININFO`).
    package func function(containing address: LinkAddress) -> Range<LinkAddress>? {
        guard let last = entry(containing: address) else { return nil }
        var first = last
        for _ in 0..<Self.maxParts {
            guard isContinued(first), let before = lastEntry(startingAtOrBefore: LinkAddress(first.range.lowerBound.value &- 1)),
                before.range.upperBound == first.range.lowerBound
            else { break }
            first = before
        }
        return first.range.lowerBound..<last.range.upperBound
    }

    private func isContinued(_ entry: Entry) -> Bool {
        guard unit == 1, let range = segments.fileRange(from: LinkAddress(base &+ UInt64(entry.information))), !range.isEmpty else {
            return false
        }
        // Three bits of the version, then the flags.
        return file.bytes(in: range.lowerBound..<range.lowerBound + 1)[0] >> 3 & 4 != 0
    }

    /// Returns the last entry that begins at or before an address.
    package func lastEntry(startingAtOrBefore address: LinkAddress) -> Entry? {
        guard address.value >= base else { return nil }
        return file.withBytes { whole in
            let table = whole.clamped(to: bytes)
            let next = (0..<count).partitionPoint { start(table, $0) > address.value }
            return next > 0 ? entry(table, next - 1, in: whole) : nil
        }
    }

    /// The ranges of all functions, ascending.
    package func allRanges() -> [Range<LinkAddress>] {
        file.withBytes { whole in
            let table = whole.clamped(to: bytes)
            return (0..<count).compactMap { entry(table, $0, in: whole)?.range }
        }
    }

    private var count: Int { bytes.count / entrySize }

    private func start(_ table: RawSpan, _ index: Int) -> UInt64 {
        // Thumb's have their lowest bit set.
        base &+ UInt64(word(table, index * entrySize) & (unit == 2 ? ~1 : ~0))
    }

    private func entry(_ table: RawSpan, _ index: Int, in whole: RawSpan) -> Entry? {
        let start = start(table, index)
        let information = word(table, index * entrySize + entrySize - 4)
        guard unit > 1 else {
            let end = base &+ UInt64(word(table, index * entrySize + 4))
            return start < end ? Entry(range: LinkAddress(start)..<LinkAddress(end), information: information) : nil
        }
        // Eleven bits of the packed data; eighteen of the first word of the information.
        var length = UInt64(information >> 2 & 0x7ff)
        if information & 3 == 0 {
            guard let range = segments.fileRange(from: LinkAddress(base &+ UInt64(information))), range.count >= 4 else { return nil }
            length = UInt64(word(whole, range.lowerBound) & 0x3ffff)
        }
        let (end, overflow) = start.addingReportingOverflow(length * unit)
        return length > 0 && !overflow ? Entry(range: LinkAddress(start)..<LinkAddress(end), information: information) : nil
    }

    private func word(_ bytes: RawSpan, _ offset: Int) -> UInt32 { (try? bytes.value(UInt32.self, at: offset, .littleEndian)) ?? 0 }
}
