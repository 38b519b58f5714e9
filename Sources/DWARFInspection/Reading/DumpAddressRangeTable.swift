/// A table of `.debug_aranges`.
struct DumpAddressRangeTable {
    let length: UInt64
    let offsetSize: Int
    let version: UInt16
    let unitOffset: UInt64
    let addressSize: Int
    private(set) var ranges: [RangeLists.Bounds] = []
    /// Its last pair is one of zeros.
    private(set) var isEnded = false
    let end: Int

    /// - Returns: `nil` if the header is damaged.
    init?(at offset: Int, of section: SectionBytes) {
        var cursor = section.cursor(at: offset)
        (length, offsetSize) = cursor.initialLength()
        let start = cursor.position
        version = cursor.u16()
        unitOffset = cursor.number(offsetSize)
        addressSize = Int(cursor.u8())
        let segmentSize = cursor.u8()
        guard !cursor.isPastEnd, length <= UInt64(section.count - start), [2, 4, 8].contains(addressSize), segmentSize == 0 else {
            return nil
        }
        end = start + Int(length)
        // Pairs begin at a multiple of their size, counted from the header.
        let pair = 2 * addressSize
        let first = offset + (cursor.position - offset + pair - 1) / pair * pair
        guard (end - offset) % pair == 0, first < end else { return nil }
        cursor.move(to: first)
        while cursor.position < end {
            let (address, size) = (cursor.number(addressSize), cursor.number(addressSize))
            if address == 0, size == 0, cursor.position == end {
                isEnded = true
                return
            }
            ranges.append(RangeLists.Bounds(low: address, high: address &+ size))
        }
    }
}
