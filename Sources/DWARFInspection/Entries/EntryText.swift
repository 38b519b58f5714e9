internal import BinaryPrimitives
internal import DWARF

/// Writes entries and their attributes as llvm-dwarfdump 19 does.
class EntryText {
    let context: DumpContext
    let options: DumpOptions
    let output: DumpOutput
    let trees: UnitTrees
    let registers: RegisterNames?
    /// The files and type names of the unit that was written last.
    var unitTexts: UnitTexts?

    init(_ context: DumpContext, _ options: DumpOptions, _ output: DumpOutput, registers: RegisterNames?) {
        self.context = context
        self.options = options
        self.output = output
        self.registers = registers
        trees = UnitTrees(context)
    }

    /// Writes an entry, with what `options` say of those around it.
    /// - Parameter indent: of the entry itself, in columns.
    func write(_ entry: DumpEntry, indent: Int) {
        let indent = options.showsParents ? writeParents(of: entry, indent: indent) : indent
        writeAlone(entry, indent: indent)
        if options.showsChildren, options.childDepth > 0 { writeChildren(of: entry, indent: indent + 2) }
    }

    /// All entries below one, and the null entries that end each list of them, in the order of the
    /// section.
    func writeChildren(of entry: DumpEntry, indent: Int) {
        guard entry.abbreviation.hasChildren, var place = context.end(of: entry) else { return }
        let bytes = context.section(of: entry.unit)
        // In nested levels.
        var depth: UInt64 = 1
        while place < entry.unit.end {
            let isShown = depth <= options.childDepth
            let column = indent + 2 * Int(clamping: min(depth - 1, 1 << 20))
            if bytes[place] == 0 {
                if isShown {
                    writeNull(at: place, indent: column)
                }
                place += 1
                depth -= 1
                if depth == 0 { return }
                continue
            }
            guard let child = context.entry(at: place, in: entry.unit) else {
                context.report("the entry at \(hexadecimal(place)) has a code that its unit has no abbreviation for")
                return
            }
            let end = isShown ? writeAlone(child, indent: column) : context.end(of: child)
            guard let end else {
                context.report("the entry at \(hexadecimal(place)) has values that cannot be read")
                return
            }
            if child.abbreviation.hasChildren { depth += 1 }
            // Each level is two columns more: the text of a small file would grow with its square.
            guard depth <= UInt64(Limits.standard.entryDepth) else {
                context.report("the entries at \(hexadecimal(place)) are nested deeper than \(Limits.standard.entryDepth)")
                return
            }
            place = end
        }
    }

    /// The entries around one, outermost first.
    /// - Returns: the column of the entry itself.
    private func writeParents(of entry: DumpEntry, indent: Int) -> Int {
        var chain: [DumpEntry] = []
        var next = trees.parent(of: entry)
        while let parent = next, options.parentDepth == 0 || UInt64(chain.count) < options.parentDepth {
            chain.append(parent)
            next = trees.parent(of: parent)
        }
        var column = indent
        for parent in chain.reversed() {
            writeAlone(parent, indent: column)
            column += 2
        }
        return column
    }

    /// Writes the null entry that ends a list of children.
    func writeNull(at place: Int, indent: Int) {
        writePlace(place)
        output.spaces(indent)
        output.text("NULL\n")
    }

    private func writePlace(_ place: Int) {
        guard options.showsAddresses else { return }
        output.text("\n")
        output.hex(UInt64(place), 8)
        output.text(": ")
    }

    /// Writes the entry without those around it.
    /// - Returns: the offset after it; `nil` if a value cannot be read.
    @discardableResult
    func writeAlone(_ entry: DumpEntry, indent: Int) -> Int? {
        writePlace(entry.offset)
        output.spaces(indent)
        output.name(DWARFNames.tags, UInt64(entry.tag))
        if options.isVerbose {
            output.text(" [")
            output.decimal(entry.abbreviation.code)
            output.text(entry.abbreviation.hasChildren ? "] *" : "]  ")
            if let parent = trees.parent(of: entry) {
                output.text(" (")
                output.hex(UInt64(parent.offset), 8)
                output.text(")")
            }
        }
        output.byte(0x0a)
        let texts = texts(of: entry.unit)
        var cursor = context.section(of: entry.unit).cursor(at: entry.values)
        for specification in entry.abbreviation.specifications {
            guard let value = DumpValue(specification, &cursor, entry.unit), !cursor.isPastEnd else { return nil }
            output.spaces(14 + indent)
            output.name(DWARFNames.attributes, UInt64(specification.name))
            if options.isVerbose || options.showsForms {
                output.text(" [")
                output.name(DWARFNames.forms, UInt64(value.form))
                output.text("]")
            }
            output.text("\t(")
            write(value, of: specification.name, entry, indent: indent, texts)
            output.text(")\n")
        }
        return cursor.position
    }

    func texts(of unit: DumpUnit) -> UnitTexts {
        if let unitTexts, unitTexts.unit === unit { return unitTexts }
        let texts = UnitTexts(unit, context, trees)
        unitTexts = texts
        return texts
    }
}

extension EntryText {
    func write(_ value: DumpValue, of attribute: UInt16, _ entry: DumpEntry, indent: Int, _ texts: UnitTexts) {
        let unit = entry.unit
        switch attribute {
        case Attribute.declFile, Attribute.callFile:
            if let number = value.unsignedConstant, let path = texts.path(number) {
                output.byte(UInt8(ascii: "\""))
                output.name(path)
                output.byte(UInt8(ascii: "\""))
            } else {
                write(value)
            }
        case Attribute.declLine, Attribute.declColumn, Attribute.callLine, Attribute.callColumn:
            if let number = value.unsignedConstant { output.decimal(number) } else { write(value) }
        case Attribute.lowPC where context.address(value) == unit.tombstone:
            if options.isVerbose { write(value) }
            output.text(options.isVerbose ? " (dead code)" : "dead code")
        case Attribute.highPC where !options.showsForms && !options.isVerbose && value.unsignedConstant != nil:
            guard options.showsAddresses else { break }
            if let bounds = context.lowAndHigh(of: entry) { output.hex(bounds.high, 2 * unit.addressSize) } else { write(value) }
        default:
            if let names = AttributeKinds.values[attribute], let number = value.unsignedConstant, let name = names.name(number) {
                output.slice(name)
            } else if AttributeKinds.withLocationList.contains(attribute), value.isSectionOffset {
                writeLocationList(value, indent: 17 + indent)
            } else if value.isExpression || value.isBlock && AttributeKinds.withExpression.contains(attribute) {
                expression(unit, offsetSize: unit.offsetSize).write(context.section(of: unit).part(value.bytes), to: output)
            } else {
                write(value)
            }
        }
        writeMeaning(value, of: attribute, indent: indent, entry, texts)
    }

    func expression(_ unit: DumpUnit, offsetSize: Int?) -> ExpressionText {
        ExpressionText(
            context: context, registers: registers, unit: unit, addressSize: unit.addressSize, offsetSize: offsetSize,
            isVerbose: options.isVerbose)
    }

    /// The entry that a reference leads to.
    private func referred(by value: DumpValue) -> DumpEntry? {
        guard let entry = context.entry(referredBy: value) else { return nil }
        if options.checksReferences, trees.tree(of: entry.unit).index(of: entry.offset - entry.unit.offset) == nil { return nil }
        return entry
    }

    /// What follows the value itself: names of entries that are referred to, and ranges.
    private func writeMeaning(_ value: DumpValue, of attribute: UInt16, indent: Int, _ entry: DumpEntry, _ texts: UnitTexts) {
        switch attribute {
        case Attribute.specification, Attribute.abstractOrigin, Attribute.callOrigin:
            guard let origin = referred(by: value), let name = context.linkageName(origin) else { return }
            output.text(options.showsAddresses ? " \"" : "\"")
            output.name(name.bytes)
            output.text("\"")
        case Attribute.type, Attribute.containingType:
            guard let type = referred(by: value) else { return }
            output.text(options.showsAddresses ? " \"" : "\"")
            output.name(texts.name(of: type))
            output.text("\"")
        case Attribute.applePropertyAttribute:
            guard var bits = value.unsignedConstant, bits != 0 else { return }
            output.text(" (")
            while bits != 0 {
                let bit = bits & (~bits &+ 1)
                if let name = DWARFNames.appleProperties.name(bit) {
                    output.slice(name)
                } else {
                    output.text("DW_APPLE_PROPERTY_")
                    output.hex(bit, 1)
                }
                bits ^= bit
                if bits != 0 { output.text(", ") }
            }
            output.text(")")
        case Attribute.ranges:
            if value.form == Form.rnglistx, let offset = context.rangeListOffset(value), options.showsAddresses {
                // Eight digits also in the 64-bit format, as LLVM has it.
                output.hex(offset, 8)
            }
            guard let ranges = context.ranges(of: entry) else {
                guard context.rangesAllowance.isLeft else { return }
                return context.report("the ranges of the entry at \(hexadecimal(entry.offset)) cannot be read")
            }
            guard options.showsAddresses else { return }
            for range in ranges {
                output.byte(0x0a)
                output.spaces(17 + indent)
                write(range, entry.unit.addressSize)
            }
        default: break
        }
    }

    func write(_ range: RangeLists.Bounds, _ addressSize: Int) {
        output.text("[")
        output.hex(range.low, 2 * addressSize)
        output.text(", ")
        output.hex(range.high, 2 * addressSize)
        output.text(")")
    }
}

extension EntryText {
    /// A value as its form is written.
    func write(_ value: DumpValue) {
        let shows = options.showsAddresses
        switch value.form {
        case Form.addr: if shows { output.hex(context.place(value.raw), 2 * value.unit.addressSize) }
        case _ where value.isAddressIndex: writeIndexedAddress(value)
        case Form.flagPresent: output.text("true")
        case Form.flag, Form.data1: output.hex(value.raw, 2)
        case Form.data2: output.hex(value.raw, 4)
        case Form.data4: output.hex(value.raw, 8)
        case Form.data8: output.hex(value.raw, 16)
        case Form.refSig8, Form.refAddr: if shows { output.hex(value.raw, 16) }
        case Form.data16:
            let bytes = context.section(of: value.unit).bytes(in: value.bytes)
            for byte in bytes { output.plainHex(UInt64(byte), 2) }
        case Form.string:
            output.text("\"")
            output.escaped(context.section(of: value.unit), value.bytes)
            output.text("\"")
        case Form.exprloc, Form.block, Form.block1, Form.block2, Form.block4: writeBlock(value)
        case Form.sdata, Form.implicitConst: output.signed(Int64(bitPattern: value.raw))
        case Form.udata: output.decimal(value.raw)
        case Form.strp, Form.lineStrp, Form.strx, Form.strx1, Form.strx2, Form.strx3, Form.strx4, Form.gnuStrIndex, Form.gnuStrpAlt:
            writeString(value)
        case Form.ref1, Form.ref2, Form.ref4, Form.ref8, Form.refUdata: writeReference(value)
        case Form.gnuRefAlt:
            guard shows else { return }
            output.text("<alt ")
            output.hex(value.raw, 1)
            output.text(">")
        case Form.rnglistx:
            output.text("indexed (")
            output.hex(value.raw & 0xffff_ffff, 1)
            output.text(") rangelist = ")
        case Form.loclistx:
            output.text("indexed (")
            output.hex(value.raw & 0xffff_ffff, 1)
            output.text(") loclist = ")
        case Form.secOffset: if shows { output.hex(value.raw, 2 * value.unit.offsetSize) }
        default:
            output.text("DW_FORM(")
            output.hex(UInt64(value.form), 4)
            output.text(")")
        }
    }

    private func writeIndexedAddress(_ value: DumpValue) {
        let address = context.address(value)
        if address == nil || options.isVerbose, options.showsAddresses {
            output.text("indexed (")
            if value.form == Form.llvmAddrxOffset {
                output.plainHex(value.raw >> 32, 8)
                output.text(") + ")
                output.hex(value.raw & 0xffff_ffff, 1)
                output.text(" address = ")
            } else {
                output.plainHex(value.raw & 0xffff_ffff, 8)
                output.text(") address = ")
            }
        }
        guard let address else { return output.text("<unresolved>") }
        if options.showsAddresses { output.hex(address, 2 * value.unit.addressSize) }
    }

    private func writeBlock(_ value: DumpValue) {
        guard value.raw > 0, options.showsAddresses else { return }
        let digits =
            switch value.form {
            case Form.block1: 2
            case Form.block2: 4
            case Form.block4: 8
            default: 1
            }
        output.text("<")
        output.hex(value.raw, digits)
        output.text("> ")
        let bytes = context.section(of: value.unit)
        for place in value.bytes {
            output.plainHex(UInt64(bytes[place]), 2)
            output.byte(0x20)
        }
    }

    private func writeString(_ value: DumpValue) {
        if options.isVerbose {
            switch value.form {
            case Form.strp, Form.lineStrp:
                output.text(value.form == Form.strp ? " .debug_str[" : " .debug_line_str[")
                output.hex(value.raw, 2 * value.unit.offsetSize)
                output.text("] = ")
            case Form.gnuStrpAlt:
                output.text("alt indirect string, offset: ")
                output.hex(value.raw, 1)
            default:
                output.text("indexed (")
                output.plainHex(value.raw & 0xffff_ffff, 8)
                output.text(") string = ")
            }
        }
        guard let text = context.string(value) else { return }
        output.text("\"")
        output.escaped(text.section, text.range)
        output.text("\"")
    }

    private func writeReference(_ value: DumpValue) {
        let shows = options.showsAddresses
        if options.isVerbose {
            if shows {
                output.text("cu + ")
                output.hex(value.raw, [Form.ref1: 2, Form.ref2: 4, Form.ref4: 4, Form.ref8: 8][value.form] ?? 1)
            }
            output.text(" => {")
        }
        if shows { output.hex(value.raw &+ UInt64(value.unit.offset), 8) }
        if options.isVerbose { output.text("}") }
    }

    /// A list of places, each with its expression.
    private func writeLocationList(_ value: DumpValue, indent: Int) {
        let unit = value.unit
        if value.form == Form.loclistx { write(value) }
        guard let offset = context.locationListOffset(value), context.locationsAllowance.isLeft else { return }
        let table = context.locationTable(of: unit)
        let end = LocationListText(
            table: table, context: context, unit: unit,
            expression: expression(unit, offsetSize: nil), output: output, isRaw: false, place: { self.context.place($0) }
        ).write(at: Int(clamping: offset), base: context.bases(of: unit).address, indent: indent)
        context.locationsAllowance.take((end ?? table.bytes.count) &- Int(clamping: offset))
    }
}
