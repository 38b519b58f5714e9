package import BinaryPrimitives
package import ObjectFiles

/// Apple's `__unwind_info`: 32 bits for each function that say how it is unwound from its body
/// (LLVM, `libunwind/include/mach-o/compact_unwind_encoding.h`).
///
/// An index refers to pages of entries. A page has functions and their encodings or, if compressed, distances
/// and the numbers of encodings in two lists: one of the whole section, one of the page.
package struct CompactUnwindTable: Sendable {
    package struct Entry: Hashable, Sendable {
        /// The function's first byte.
        package var start: LinkAddress
        package var encoding: UInt32
    }

    private let contents: SectionContents
    private let base: LinkAddress
    private let order: ByteOrder

    /// - Returns: `nil` if the file has no such section.
    package init?(_ object: ObjectFile) {
        guard let section = object.section(named: "__unwind_info"), !section.fileRange.isEmpty,
            let contents = try? object.contents(of: section)
        else { return nil }
        self.init(contents, base: object.baseAddress, object.description.byteOrder)
    }

    /// - Parameter base: the image's first byte; functions are offsets from it.
    package init(_ contents: SectionContents, base: LinkAddress, _ order: ByteOrder) {
        self.contents = contents
        self.base = base
        self.order = order
    }

    /// The entry of the last function that begins at or before an address; `nil` if there is none.
    package func entry(for address: LinkAddress) -> Entry? {
        guard let distance = address.distance(from: base), distance <= UInt64(UInt32.max) else { return nil }
        return contents.withBytes { entry(at: UInt32(distance), $0) }
    }

    private func entry(at target: UInt32, _ bytes: RawSpan) -> Entry? {
        guard word(bytes, 0) == 1 else { return nil }
        let (index, count) = (Int(word(bytes, 20)), Int(word(bytes, 24)))
        guard index <= bytes.byteCount, count <= (bytes.byteCount - index) / 12 else { return nil }
        // The last entry only marks the end of the functions.
        guard let first = Self.last(count - 1, notAbove: target, { word(bytes, index + $0 * 12) }) else { return nil }
        let page = Int(word(bytes, index + first * 12 + 4))
        guard page > 0, page < bytes.byteCount else { return nil }
        let entries = page + half(bytes, page + 4)
        let entryCount = half(bytes, page + 6)
        switch word(bytes, page) {
        case 2:
            guard let found = Self.last(entryCount, notAbove: target, { word(bytes, entries + $0 * 8) }) else { return nil }
            return makeEntry(word(bytes, entries + found * 8), word(bytes, entries + found * 8 + 4))
        case 3:
            let start = word(bytes, index + first * 12)
            guard target >= start,
                let found = Self.last(entryCount, notAbove: target - start, { word(bytes, entries + $0 * 4) & 0xff_ffff })
            else { return nil }
            let entry = word(bytes, entries + found * 4)
            let number = Int(entry >> 24)
            let commons = Int(word(bytes, 8))
            let encodingOffset =
                number < commons
                ? Int(word(bytes, 4)) + number * 4 : page + half(bytes, page + 8) + (number - commons) * 4
            guard number < commons || number - commons < half(bytes, page + 10) else { return nil }
            return makeEntry(start &+ entry & 0xff_ffff, word(bytes, encodingOffset))
        default: return nil
        }
    }

    private func makeEntry(_ start: UInt32, _ encoding: UInt32) -> Entry? {
        base.advanced(by: UInt64(start)).map { Entry(start: $0, encoding: encoding) }
    }

    /// Returns the index of the last of `count` ascending numbers that is not above `target`.
    private static func last(_ count: Int, notAbove target: UInt32, _ number: (Int) -> UInt32) -> Int? {
        let low = (0..<max(0, count)).partitionPoint { number($0) > target }
        return low > 0 ? low - 1 : nil
    }

    private func word(_ bytes: RawSpan, _ position: Int) -> UInt32 { (try? bytes.value(UInt32.self, at: position, order)) ?? 0 }

    private func half(_ bytes: RawSpan, _ position: Int) -> Int { Int((try? bytes.value(UInt16.self, at: position, order)) ?? 0) }
}
