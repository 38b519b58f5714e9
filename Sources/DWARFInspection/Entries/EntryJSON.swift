internal import DWARF

/// Writes entries as JSON: a line for each.
final class EntryJSON: EntryText {
    let json: JSONText
    /// Text of values that are written in words.
    private var valueText: [UInt8] = []
    private var wordOutput: DumpOutput?
    private var wordText: EntryText?

    init(_ context: DumpContext, _ options: DumpOptions, _ output: DumpOutput, _ registers: DWARFRegisterNames?) {
        json = JSONText(output)
        super.init(context, options, output, registers: registers)
        let collected = DumpOutput { [unowned self] in valueText += $0 }
        wordOutput = collected
        wordText = EntryText(context, options, collected, registers: registers)
    }

    /// Null entries only end lists, and depths show that already.
    override func writeNull(at position: Int, indent: Int) {}

    func writeHeader(_ unit: DumpUnit) {
        json.line {
            json.object("unit") {
                json.hex("offset", UInt64(unit.offset), 8)
                json.number("length", unit.length)
                json.string("format", unit.offsetSize == 8 ? "DWARF64" : "DWARF32")
                json.number("version", UInt64(unit.version))
                json.name("type", DWARFNames.unitTypes, UInt64(unit.type))
                json.hex("abbreviations", unit.abbreviationsOffset, 8)
                json.number("addressSize", UInt64(unit.addressSize))
                if unit.isTypeUnit {
                    json.hex("signature", unit.typeSignature, 16)
                    json.hex("typeOffset", unit.typeOffset, 4)
                } else if unit.dwoID != 0 {
                    json.hex("dwoID", unit.dwoID, 16)
                }
                json.hex("next", UInt64(unit.end), 8)
            }
        }
    }

    override func writeAlone(_ entry: DumpEntry, indent: Int) -> Int? {
        var cursor = context.section(of: entry.unit).cursor(at: entry.values)
        var isWhole = true
        json.line {
            json.object("entry") {
                json.hex("offset", UInt64(entry.offset), 8)
                json.number("depth", UInt64(indent / 2))
                json.name("tag", DWARFNames.tags, UInt64(entry.tag))
                json.array("attributes") {
                    for specification in entry.abbreviation.specifications {
                        guard let value = DumpValue(specification, &cursor, entry.unit), !cursor.isPastEnd else {
                            isWhole = false
                            return
                        }
                        write(value, of: specification.name, entry)
                    }
                }
            }
        }
        return isWhole ? cursor.position : nil
    }

    private func write(_ value: DumpValue, of attribute: UInt16, _ entry: DumpEntry) {
        json.object(nil) {
            json.name("name", DWARFNames.attributes, UInt64(attribute))
            json.name("form", DWARFNames.forms, UInt64(value.form))
            writeRaw(value)
            if attribute == Attribute.ranges, let ranges = context.ranges(of: entry) {
                json.array("ranges") {
                    for range in ranges {
                        json.array(nil) {
                            json.hex(nil, range.low, 2 * entry.unit.addressSize)
                            json.hex(nil, range.high, 2 * entry.unit.addressSize)
                        }
                    }
                }
                return
            }
            // As people read it, where that says more.
            if context.string(value) == nil, let wordText, let wordOutput {
                wordText.write(value, of: attribute, entry, indent: 0, wordText.texts(of: entry.unit))
                wordOutput.flush()
                json.string("text", valueText)
                valueText.removeAll(keepingCapacity: true)
            }
        }
    }

    /// The value by its form: text, a number, an address, the entry that is referred to.
    private func writeRaw(_ value: DumpValue) {
        if let text = context.string(value) { return json.string("value", text.bytes) }
        if let address = context.address(value) { return json.hex("value", address, 2 * value.unit.addressSize) }
        switch value.form {
        case Form.flag, Form.flagPresent: json.bool("value", value.raw != 0)
        case Form.sdata, Form.implicitConst: json.signed("value", Int64(bitPattern: value.raw))
        case Form.ref1, Form.ref2, Form.ref4, Form.ref8, Form.refUdata: json.hex("entry", value.raw &+ UInt64(value.unit.offset), 8)
        case Form.refAddr: json.hex("entry", value.raw, 8)
        case Form.refSig8: json.hex("signature", value.raw, 16)
        case Form.secOffset, Form.strp, Form.lineStrp: json.hex("offset", value.raw, 8)
        case _ where value.isExpression || value.isBlock || value.form == Form.data16: break
        case _ where value.unsignedConstant != nil: json.number("value", value.raw)
        default: json.number("index", value.raw)
        }
    }
}
