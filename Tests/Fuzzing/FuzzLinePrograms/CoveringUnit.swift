internal import BinaryPrimitives
internal import TestSupport

/// A unit that has the line program at the beginning of `.debug_line`, covers 0x1000 to 0x9000, and
/// holds two functions: one by the list at the beginning of `.debug_ranges`, or after the header of
/// `.debug_rnglists`, and one from 0x1100 to 0x1200.
struct CoveringUnit {
    private(set) var info: [UInt8]
    private(set) var abbreviations: [UInt8]

    init(version: UInt16, order: ByteOrder, isWide: Bool, addressSize: Int) {
        var abbrev = ByteWriter(order)
        // DW_TAG_compile_unit: name, low and high address, line program.
        abbrev.bytes += [1, 0x11, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x01, 0x10, 0x17, 0, 0]
        // DW_TAG_subprogram: name, ranges.
        abbrev.bytes += [2, 0x2e, 0, 0x03, 0x08, 0x55, 0x17, 0, 0]
        // DW_TAG_subprogram: name, low and high address.
        abbrev.bytes += [3, 0x2e, 0, 0x03, 0x08, 0x11, 0x01, 0x12, 0x01, 0, 0]
        abbrev.bytes.append(0)
        var unit = ByteWriter(order)
        unit.put(version)
        if version >= 5 {
            unit.put(UInt8(1))
            unit.put(UInt8(addressSize))
            unit.putWord(0, wide: isWide)
        } else {
            unit.putWord(0, wide: isWide)
            unit.put(UInt8(addressSize))
        }
        unit.put(UInt8(1))
        unit.put(text: "a.c")
        unit.put(0x1000, size: addressSize)
        unit.put(0x9000, size: addressSize)
        unit.putWord(0, wide: isWide)
        unit.put(UInt8(2))
        unit.put(text: "listed")
        // After a header of version 5: the length, the version, two sizes, and how many offsets
        // there are.
        unit.putWord(version >= 5 ? (isWide ? 20 : 12) : 0, wide: isWide)
        unit.put(UInt8(3))
        unit.put(text: "plain")
        unit.put(0x1100, size: addressSize)
        unit.put(0x1200, size: addressSize)
        unit.put(UInt8(0))
        var framed = ByteWriter(order)
        if isWide { framed.put(UInt32.max) }
        framed.putWord(UInt64(unit.count), wide: isWide)
        info = framed.bytes + unit.bytes
        abbreviations = abbrev.bytes
    }
}
