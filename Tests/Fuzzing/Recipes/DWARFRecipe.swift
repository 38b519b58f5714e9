package import BinaryPrimitives
internal import TestSupport

/// Debug information made from a fuzzer's decisions: units whose lengths, abbreviations, entries
/// and values agree, so that new inputs reach the depths of a reader; lists, line programs and
/// tables of strings and addresses that the units refer to; and once in a while something wrong.
package struct DWARFRecipe {
    /// One unit's abbreviation.
    private struct Abbreviation {
        var tag: UInt64
        var hasChildren: Bool
        var attributes: [(name: UInt64, form: UInt64)]
    }

    package var byteOrder: ByteOrder { shape.order }
    /// The sections by ELF's names.
    package private(set) var sections: [(name: String, bytes: [UInt8])] = []

    private let shape: RecipeShape
    private var decisions: Decisions
    private var info: ByteWriter
    private var abbrev: ByteWriter
    private var types: ByteWriter
    private var tables: [(offset: Int, abbreviations: [Abbreviation])] = []
    /// Offsets of entries in the section, of all units so far.
    private var entries: [Int] = []
    private var parts: RecipeParts

    /// The identity of split units, which their skeletons have too.
    private static let unitID: UInt64 = 0x1122_3344_5566_7788

    /// - Parameters:
    ///   - bytes: the decisions.
    ///   - splitName: makes the first unit a skeleton, whose split unit is in the file of that
    ///     name.
    ///   - isSplit: makes the first unit a split unit.
    package init(_ bytes: [UInt8], splitName: String? = nil, isSplit: Bool = false) {
        decisions = Decisions(bytes)
        shape = RecipeShape(&decisions)
        parts = RecipeParts(shape, &decisions)
        info = ByteWriter(shape.order)
        abbrev = ByteWriter(shape.order)
        types = ByteWriter(shape.order)
        for number in 0..<1 + decisions.below(4) {
            addUnit(splitName: number == 0 ? splitName : nil, isSplit: isSplit)
            if decisions.isUsedUp { break }
        }
        var own: [(String, [UInt8])] = [(".debug_info", info.bytes), (".debug_abbrev", abbrev.bytes), (".debug_types", types.bytes)]
        own += parts.sections
        sections = own.map { (isSplit ? $0.0 + ".dwo" : $0.0, $0.1) }.filter { !$0.1.isEmpty }
    }

    private mutating func addUnit(splitName: String?, isSplit: Bool) {
        let table = chooseTable(isSkeleton: splitName != nil)
        let isType = splitName == nil && decisions.isOne(in: 12)
        // Before version 5, type units are in a section of their own.
        let isApart = isType && shape.version < 5
        var unit = ByteWriter(shape.order)
        unit.put(decisions.isOne(in: 64) ? UInt16(decisions.byte()) : shape.version)
        let kind: UInt8 = splitName != nil ? 4 : isType ? (isSplit ? 6 : 2) : isSplit ? 5 : decisions.isOne(in: 16) ? 3 : 1
        if shape.version >= 5 {
            unit.put(kind)
            unit.put(UInt8(shape.addressSize))
            unit.putWord(UInt64(table.offset), wide: shape.isWide)
            if kind == 4 || kind == 5 { unit.put(Self.unitID) }
        } else {
            unit.putWord(UInt64(table.offset), wide: shape.isWide)
            unit.put(UInt8(shape.addressSize))
        }
        if isType {
            unit.put(Self.unitID &+ UInt64(decisions.below(3)))
            unit.putWord(UInt64(decisions.byte()), wide: shape.isWide)
        }
        let start = isApart ? types.count : info.count
        let head = shape.isWide ? 12 : 4
        var local: [Int] = []
        var depth = 0
        for index in 0..<400 {
            if index > 0, depth == 0 || decisions.isUsedUp { break }
            let code = index == 0 ? 1 : decisions.below(table.abbreviations.count + 2)
            if code == 0 {
                unit.put(UInt8(0))
                depth -= 1
                continue
            }
            // A code that the table does not have, once in a while.
            guard code <= table.abbreviations.count else {
                if decisions.isOne(in: 32) { unit.putULEB128(UInt64(code)) }
                continue
            }
            let abbreviation = table.abbreviations[code - 1]
            local.append(head + unit.count)
            entries.append(start + head + unit.count)
            unit.putULEB128(UInt64(code))
            for attribute in abbreviation.attributes { value(attribute.name, attribute.form, local, splitName, &unit) }
            if abbreviation.hasChildren { depth += 1 }
        }
        for _ in 0..<max(0, depth) { unit.put(UInt8(0)) }
        var length = UInt64(unit.count)
        if decisions.isOne(in: 48) { length = length &+ decisions.number() &- 16 }
        var framed = ByteWriter(shape.order)
        if shape.isWide { framed.put(UInt32.max) }
        framed.putWord(length, wide: shape.isWide)
        framed.bytes += unit.bytes
        if isApart { types.bytes += framed.bytes } else { info.bytes += framed.bytes }
        parts.describe(unitAt: start, &decisions)
    }

    /// A new table of abbreviations, or one that an earlier unit uses. Its first is the unit's own
    /// entry.
    private mutating func chooseTable(isSkeleton: Bool) -> (offset: Int, abbreviations: [Abbreviation]) {
        if !tables.isEmpty, decisions.isOne(in: 3) { return decisions.pick(tables) }
        let offset = abbrev.count
        var list: [Abbreviation] = []
        for number in 0..<1 + decisions.below(24) {
            let isRoot = number == 0
            var attributes: [(name: UInt64, form: UInt64)] = []
            for _ in 0..<decisions.below(10) {
                let (name, forms) = decisions.pick(RecipeNumbers.attributes)
                attributes.append((name, decisions.isOne(in: 24) ? decisions.pick(RecipeNumbers.all) : decisions.pick(forms)))
            }
            // A skeleton names its split unit's file, before version 5 by GNU's attributes and with
            // the identity among them.
            if isRoot, isSkeleton { attributes += shape.version >= 5 ? [(0x76, 0x08)] : [(0x2130, 0x08), (0x2131, 0x07)] }
            let rootTag: UInt64 = isSkeleton ? (shape.version >= 5 ? 0x4a : 0x11) : decisions.pick(RecipeNumbers.unitTags)
            let tag = isRoot ? rootTag : decisions.pick(RecipeNumbers.tags)
            let made = Abbreviation(tag: tag, hasChildren: isRoot || decisions.below(3) > 0, attributes: attributes)
            list.append(made)
            abbrev.putULEB128(UInt64(number + 1))
            abbrev.putULEB128(made.tag)
            abbrev.put(UInt8(made.hasChildren ? 1 : 0))
            for attribute in attributes {
                abbrev.putULEB128(attribute.name)
                abbrev.putULEB128(attribute.form)
                if attribute.form == 0x21 { abbrev.putSLEB128(Int64(bitPattern: decisions.number())) }
            }
            abbrev.put(UInt16(0))
            if decisions.isUsedUp { break }
        }
        if !decisions.isOne(in: 64) { abbrev.put(UInt8(0)) }
        tables.append((offset, list))
        return (offset, list)
    }

    /// - Parameter local: offsets of the unit's entries so far, from its header.
    private mutating func value(_ name: UInt64, _ form: UInt64, _ local: [Int], _ splitName: String?, _ unit: inout ByteWriter) {
        switch form {
        case 0x08: unit.put(text: (name == 0x76 || name == 0x2130) ? splitName ?? "a.dwo" : decisions.pick(RecipeShape.names))
        case 0x0e: unit.putWord(UInt64(decisions.pick(parts.strings)), wide: shape.isWide)
        case 0x1f: unit.putWord(UInt64(decisions.pick(parts.lineStrings)), wide: shape.isWide)
        case 0x1d, 0x1f21, 0x1f20: unit.putWord(decisions.number(), wide: shape.isWide)
        case 0x1a, 0x1f02, 0x1b, 0x1f01, 0x22, 0x23:
            unit.putULEB128(decisions.isOne(in: 16) ? decisions.number() : UInt64(decisions.below(8)))
        case 0x25, 0x29: unit.put(UInt8(decisions.below(8)))
        case 0x26, 0x2a: unit.put(UInt16(decisions.below(8)))
        case 0x27, 0x2b: unit.bytes += [0, 0, UInt8(decisions.below(8))]
        case 0x28, 0x2c: unit.put(UInt32(decisions.below(8)))
        case 0x01: unit.put(shape.address(&decisions), size: shape.addressSize)
        case 0x11: unit.put(UInt8(truncatingIfNeeded: decisions.pick(local)))
        case 0x12: unit.put(UInt16(truncatingIfNeeded: decisions.pick(local)))
        case 0x13: unit.put(UInt32(truncatingIfNeeded: reference(local)))
        case 0x14: unit.put(UInt64(reference(local)))
        case 0x15: unit.putULEB128(UInt64(reference(local)))
        case 0x10: unit.put(UInt64(decisions.pick(entries)), size: shape.version == 2 ? shape.addressSize : shape.isWide ? 8 : 4)
        case 0x20: unit.put(Self.unitID &+ UInt64(decisions.below(3)))
        case 0x1c: unit.put(UInt32(truncatingIfNeeded: decisions.number()))
        case 0x17,
            0x06 where [0x10, 0x55, 0x02, 0x40].contains(name):
            unit.put(sectionOffset(name), size: form == 0x06 || !shape.isWide ? 4 : 8)
        case 0x0b, 0x0c: unit.put(decisions.byte())
        case 0x05: unit.put(UInt16(truncatingIfNeeded: decisions.number()))
        case 0x06: unit.put(UInt32(truncatingIfNeeded: decisions.number()))
        case 0x07, 0x24: unit.put(name == 0x2131 ? Self.unitID : decisions.number())
        case 0x1e: unit.bytes += [UInt8](repeating: decisions.byte(), count: 16)
        case 0x0d: unit.putSLEB128(Int64(bitPattern: decisions.number()))
        case 0x0f: unit.putULEB128(decisions.number())
        case 0x19, 0x21: break
        case 0x18, 0x09, 0x0a, 0x03, 0x04: block(form, &unit)
        case 0x16:
            let real = decisions.pick(RecipeNumbers.all)
            unit.putULEB128(real)
            // Once; a form that says "indirect" again is for the fuzzer's own mutations.
            if real != 0x16 { value(name, real, local, splitName, &unit) }
        default: unit.bytes += decisions.readBytes(4)
        }
    }

    private mutating func reference(_ local: [Int]) -> Int {
        // Also to what comes later, or to nothing.
        decisions.isOne(in: 6) ? Int(decisions.byte()) * 3 : decisions.pick(local)
    }

    /// Offset of the attribute's list or program in its section.
    private mutating func sectionOffset(_ name: UInt64) -> UInt64 {
        if decisions.isOne(in: 24) { return decisions.number() }
        return UInt64(decisions.pick(name == 0x10 ? parts.programs : name == 0x55 ? parts.lists : [0, 8, 16]))
    }

    /// An expression or a block with its length.
    private mutating func block(_ form: UInt64, _ unit: inout ByteWriter) {
        // DW_OP_addr with an address, a frame's base, a register, a member of one, an index into
        // the addresses, or any bytes.
        var contents = ByteWriter(shape.order)
        switch decisions.below(6) {
        case 0:
            contents.put(UInt8(3))
            contents.put(shape.address(&decisions), size: shape.addressSize)
        case 1:
            contents.put(UInt8(0x91))
            contents.putSLEB128(Int64(decisions.byte()) - 128)
        case 2: contents.put(0x50 + UInt8(decisions.below(32)))
        case 3:
            contents.put(0x70 + UInt8(decisions.below(32)))
            contents.putSLEB128(Int64(bitPattern: decisions.number()))
        case 4:
            contents.put(UInt8(0xa1))
            contents.putULEB128(UInt64(decisions.below(8)))
        default: contents.bytes = decisions.readBytes(decisions.below(12))
        }
        switch form {
        case 0x0a: unit.put(UInt8(contents.count))
        case 0x03: unit.put(UInt16(contents.count))
        case 0x04: unit.put(UInt32(contents.count))
        default: unit.putULEB128(UInt64(contents.count))
        }
        unit.bytes += contents.bytes
    }
}
