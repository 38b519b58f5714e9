internal import DWARF

/// Writes units.
struct UnitText {
    private let text: EntryText
    private var output: DumpOutput { text.output }

    init(_ text: EntryText) { self.text = text }

    /// The unit's header and entries.
    func write(_ unit: DumpUnit) {
        let context = text.context
        // GNU's split units are known by their root.
        let bases = context.bases(of: unit)
        _ = bases
        if text.options.summarizesTypes {
            if unit.isTypeUnit { writeSummary(unit) }
            return
        }
        writeHeader(unit)
        guard let root = context.entry(at: unit.root, in: unit) else {
            text.context.report("the unit at \(hexadecimal(unit.offset)) has no entries that can be read")
            if text.options.isJSON { return }
            return output.text(unit.isTypeUnit ? "<type unit can't be parsed!>\n\n" : "<compile unit can't be parsed!>\n\n")
        }
        text.write(root, indent: 0)
    }

    func writeHeader(_ unit: DumpUnit) {
        if let json = text as? EntryJSON { return json.writeHeader(unit) }
        output.hex(UInt64(unit.offset), 8)
        output.text(unit.isTypeUnit ? ": Type Unit: length = " : ": Compile Unit: length = ")
        output.hex(unit.length, 2 * unit.offsetSize)
        output.text(unit.offsetSize == 8 ? ", format = DWARF64, version = " : ", format = DWARF32, version = ")
        output.hex(UInt64(unit.version), 4)
        if unit.version >= 5 {
            output.text(", unit_type = ")
            output.name(DWARFNames.unitTypes, UInt64(unit.type))
        }
        output.text(", abbr_offset = ")
        output.hex(unit.abbreviationsOffset, 4)
        if text.context.abbreviations(of: unit) == nil { output.text(" (invalid)") }
        output.text(", addr_size = ")
        output.hex(UInt64(unit.addressSize), 2)
        if unit.isTypeUnit {
            output.text(", name = '")
            output.name(typeName(unit))
            output.text("', type_signature = ")
            output.hex(unit.typeSignature, 16)
            output.text(", type_offset = ")
            output.hex(unit.typeOffset, 4)
        } else if unit.version >= 5, unit.type == UnitKind.skeleton || unit.type == UnitKind.splitCompile {
            output.text(", DWO_id = ")
            output.hex(unit.dwoID, 16)
        }
        output.text(" (next unit at ")
        output.hex(UInt64(unit.end), 8)
        output.text(")\n")
    }

    private func writeSummary(_ unit: DumpUnit) {
        output.text("name = '")
        output.name(typeName(unit))
        output.text("', type_signature = ")
        output.hex(unit.typeSignature, 16)
        output.text(", length = ")
        output.hex(unit.length, 2 * unit.offsetSize)
        output.byte(0x0a)
    }

    private func typeName(_ unit: DumpUnit) -> [UInt8] {
        let context = text.context
        let type = context.entry(at: unit.offset + Int(clamping: unit.typeOffset), in: unit)
        return type.flatMap { context.shortName($0) }?.bytes ?? Array("(null)".utf8)
    }
}
