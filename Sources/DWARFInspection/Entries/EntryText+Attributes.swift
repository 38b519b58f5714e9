internal import BinaryPrimitives
internal import DWARF

/// Attributes: their values, and what those mean for the entry.
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
            if let names = AttributeKinds.values[attribute], let number = value.unsignedConstant, names.knows(number) {
                output.name(names, number)
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

    /// Writes the text behind the value itself: names of entries that are referred to, and ranges.
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
                    output.bytes(name)
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

    /// A list of places, each with its expression.
    private func writeLocationList(_ value: DumpValue, indent: Int) {
        let unit = value.unit
        if value.form == Form.loclistx { write(value) }
        guard let offset = context.locationListOffset(value), context.locationsAllowance.isLeft else { return }
        let table = context.locationTable(of: unit)
        let end = LocationListText(
            table: table, context: context, unit: unit,
            expression: expression(unit, offsetSize: nil), output: output, isRaw: false, printedAddress: { self.context.printedAddress($0) }
        ).write(at: Int(clamping: offset), base: context.bases(of: unit).address, indent: indent)
        context.locationsAllowance.spend((end ?? table.bytes.count) &- Int(clamping: offset))
    }

    func write(_ range: RangeLists.Bounds, _ addressSize: Int) {
        output.text("[")
        output.hex(range.low, 2 * addressSize)
        output.text(", ")
        output.hex(range.high, 2 * addressSize)
        output.text(")")
    }
}

/// Which attributes' values are what (DWARF 5, section 7.5.5), as LLVM decides it.
enum AttributeKinds {
    /// Constants with names.
    static let values: [UInt16: DWARFNames] = [
        Attribute.accessibility: .accessibilities, Attribute.virtuality: .virtualities, Attribute.language: .languages,
        Attribute.encoding: .encodings, Attribute.decimalSign: .decimalSigns, Attribute.endianity: .endianities,
        Attribute.visibility: .visibilities, Attribute.identifierCase: .identifierCases, Attribute.callingConvention: .conventions,
        Attribute.inline: .inlineCodes, Attribute.ordering: .orderings, Attribute.appleRuntimeClass: .languages,
        Attribute.defaulted: .defaulted,
    ]

    /// `DW_AT_location`, `string_length`, `return_addr`, `data_member_location`, `frame_base`,
    /// `static_link`, `segment`, `use_location`, `vtable_elem_location`.
    static let withLocationList: Set<UInt16> = [0x02, 0x19, 0x2a, 0x38, 0x40, 0x48, 0x46, 0x4a, 0x4d]

    /// Those whose blocks are expressions: the ones above, sizes and bounds, and what describes
    /// calls.
    static let withExpression: Set<UInt16> = [
        0x02, 0x0b, 0x0c, 0x0d, 0x19, 0x22, 0x2a, 0x2e, 0x2f, 0x37, 0x38, 0x40, 0x46, 0x48, 0x4a, 0x4d, 0x4e, 0x4f, 0x50, 0x51, 0x71,
        0x7e, 0x7f, 0x83, 0x84, 0x85, 0x86, 0x2111, 0x2113,
    ]
}
