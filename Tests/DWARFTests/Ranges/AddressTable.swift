import BinaryPrimitives
import TestSupport

/// Puts `.debug_aranges` together (DWARF 5, section 6.1.2).
enum AddressTable {
    /// One set: the offset of its unit, and its ranges as starts and lengths.
    static func set(
        unit: UInt64, _ ranges: [(UInt64, UInt64)], addressSize: Int = 8, is64Bit: Bool = false, version: UInt16 = 2,
        _ order: ByteOrder = .littleEndian
    ) -> [UInt8] {
        var body = ByteWriter(order)
        body.put(version)
        body.putWord(unit, wide: is64Bit)
        body.bytes += [UInt8(addressSize), 0]
        // The first tuple begins at a multiple of its size, counted from the set's first byte.
        while (body.count + (is64Bit ? 12 : 4)) % (2 * addressSize) != 0 { body.put(UInt8(0xee)) }
        for (start, length) in ranges + [(0, 0)] {
            body.put(start, size: addressSize)
            body.put(length, size: addressSize)
        }
        var whole = ByteWriter(order)
        if is64Bit { whole.put(UInt32.max) }
        whole.putWord(UInt64(body.count), wide: is64Bit)
        return whole.bytes + body.bytes
    }

    static func set(unit: UInt64, _ ranges: [Range<UInt64>]) -> [UInt8] {
        set(unit: unit, ranges.map { ($0.lowerBound, $0.upperBound - $0.lowerBound) })
    }
}
