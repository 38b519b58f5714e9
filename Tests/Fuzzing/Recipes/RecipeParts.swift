internal import BinaryPrimitives
internal import TestSupport

/// Data that a recipe's units refer to: strings, addresses, lists of ranges, line programs, and the
/// table of the addresses that each unit covers.
struct RecipeParts {
    private let shape: RecipeShape
    /// Offsets in `.debug_str` and `.debug_line_str`.
    private(set) var strings: [Int] = []
    private(set) var lineStrings: [Int] = []
    /// Offsets in `.debug_ranges` or, from version 5 on, in `.debug_rnglists`.
    private(set) var lists: [Int] = []
    /// Offsets in `.debug_line`.
    private(set) var programs: [Int] = []

    private var str: ByteWriter
    private var lineStr: ByteWriter
    private var strOffsets: ByteWriter
    private var addr: ByteWriter
    private var ranges: ByteWriter
    private var rnglists: ByteWriter
    private var line: ByteWriter
    private var aranges: ByteWriter

    init(_ shape: RecipeShape, _ decisions: inout Decisions) {
        self.shape = shape
        let empty = ByteWriter(shape.order)
        (str, lineStr, strOffsets, addr, ranges, rnglists, line, aranges) = (empty, empty, empty, empty, empty, empty, empty, empty)
        for name in RecipeShape.names {
            strings.append(str.count)
            str.put(text: name)
            lineStrings.append(lineStr.count)
            lineStr.put(text: name)
        }
        putTables()
        for _ in 0..<1 + decisions.below(4) { shape.version >= 5 ? addRangeList(&decisions) : addRanges(&decisions) }
        finishRangeLists()
        for _ in 0..<1 + decisions.below(3) {
            programs.append(line.count)
            line.bytes += LineRecipe(shape: shape).bytes(&decisions, strings: lineStrings)
        }
    }

    var sections: [(String, [UInt8])] {
        [
            (".debug_str", str.bytes), (".debug_line_str", lineStr.bytes), (".debug_str_offsets", strOffsets.bytes),
            (".debug_addr", addr.bytes),
            (".debug_ranges", ranges.bytes), (".debug_rnglists", rnglists.bytes), (".debug_line", line.bytes),
            (".debug_aranges", aranges.bytes),
        ]
    }

    /// The tables that indexes refer to, with version 5's headers (DWARF 5, sections 7.26 and
    /// 7.27).
    private mutating func putTables() {
        if shape.version >= 5 {
            putHeader(&strOffsets, contents: strings.count * (shape.isWide ? 8 : 4) + 4)
            strOffsets.put(UInt16(5))
            strOffsets.put(UInt16(0))
            putHeader(&addr, contents: 8 * shape.addressSize + 4)
            addr.put(UInt16(5))
            addr.put(UInt8(shape.addressSize))
            addr.put(UInt8(0))
        }
        for offset in strings { strOffsets.putWord(UInt64(offset), wide: shape.isWide) }
        for index in 0..<8 { addr.put(UInt64(0x1000 + index * 0x80), size: shape.addressSize) }
    }

    private func putHeader(_ writer: inout ByteWriter, contents: Int) {
        if shape.isWide { writer.put(UInt32.max) }
        writer.putWord(UInt64(contents), wide: shape.isWide)
    }

    /// DWARF 5, section 7.25: `DW_RLE_*`. The header is put before them in the end, and its size is
    /// known.
    private mutating func addRangeList(_ decisions: inout Decisions) {
        lists.append(rnglists.count + (shape.isWide ? 20 : 12))
        for _ in 0..<decisions.below(8) {
            let kind = UInt8(1 + decisions.below(7))
            rnglists.put(kind)
            switch kind {
            case 1: rnglists.putULEB128(UInt64(decisions.below(9)))
            case 2, 3:
                rnglists.putULEB128(UInt64(decisions.below(9)))
                rnglists.putULEB128(kind == 2 ? UInt64(decisions.below(9)) : decisions.number())
            case 4:
                let start = decisions.number()
                rnglists.putULEB128(start)
                rnglists.putULEB128(start &+ decisions.number())
            case 5: rnglists.put(shape.address(&decisions), size: shape.addressSize)
            case 6:
                let start = shape.address(&decisions)
                rnglists.put(start, size: shape.addressSize)
                rnglists.put(start &+ decisions.number(), size: shape.addressSize)
            default:
                rnglists.put(shape.address(&decisions), size: shape.addressSize)
                rnglists.putULEB128(decisions.number())
            }
        }
        if !decisions.isOne(in: 24) { rnglists.put(UInt8(0)) }
    }

    private mutating func finishRangeLists() {
        guard shape.version >= 5 else { return }
        let contents = rnglists.bytes
        rnglists.bytes = []
        putHeader(&rnglists, contents: contents.count + 8)
        rnglists.put(UInt16(5))
        rnglists.put(UInt8(shape.addressSize))
        rnglists.put(UInt8(0))
        // No table of offsets: lists are referred to by their positions.
        rnglists.put(UInt32(0))
        rnglists.bytes += contents
    }

    /// DWARF 4, section 2.17.3: pairs of addresses, a base after the largest address, zeros at the
    /// end.
    private mutating func addRanges(_ decisions: inout Decisions) {
        lists.append(ranges.count)
        for _ in 0..<decisions.below(8) {
            let start = decisions.isOne(in: 8) ? .max : decisions.number()
            ranges.put(start, size: shape.addressSize)
            ranges.put(start == .max ? shape.address(&decisions) : start &+ decisions.number(), size: shape.addressSize)
        }
        if !decisions.isOne(in: 24) { for _ in 0..<2 { ranges.put(UInt64(0), size: shape.addressSize) } }
    }

    /// Sometimes, which addresses a unit covers (DWARF 5, section 6.1.2).
    mutating func describe(unitAt offset: Int, _ decisions: inout Decisions) {
        guard decisions.isOne(in: 4) else { return }
        var set = ByteWriter(shape.order)
        set.put(UInt16(2))
        set.putWord(UInt64(offset), wide: shape.isWide)
        set.put(UInt8(shape.addressSize))
        set.put(UInt8(0))
        // Tuples begin at a multiple of their size, from the set's first byte.
        let head = shape.isWide ? 12 : 4
        while (set.count + head) % (2 * shape.addressSize) != 0 { set.put(UInt8(0)) }
        for _ in 0..<decisions.below(4) {
            set.put(shape.address(&decisions), size: shape.addressSize)
            set.put(decisions.number(), size: shape.addressSize)
        }
        for _ in 0..<2 { set.put(UInt64(0), size: shape.addressSize) }
        putHeader(&aranges, contents: set.count)
        aranges.bytes += set.bytes
    }
}
