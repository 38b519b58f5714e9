internal import DWARF

/// Writes entries as JSON: a line for each.
final class EntryJSON: EntryText {
    let json: JSONText
    /// What is written of values in words.
    private var words: [UInt8] = []
    private var wordOutput: DumpOutput?
    private var wordText: EntryText?

    init(_ context: DumpContext, _ options: DumpOptions, _ output: DumpOutput, _ registers: RegisterNames?) {
        json = JSONText(output)
        super.init(context, options, output, registers: registers)
        let collected = DumpOutput { [unowned self] in words += $0 }
        wordOutput = collected
        wordText = EntryText(context, options, collected, registers: registers)
    }

    /// Null entries only end lists, which depths tell.
    override func writeNull(at place: Int, indent: Int) {}

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
                json.string("text", words)
                words.removeAll(keepingCapacity: true)
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

extension Dumper {
    /// The first line of an object.
    func writeObjectJSON() {
        let json = JSONText(output)
        json.line {
            json.number("schema", 1)
            json.string("file", object.name)
            json.string("format", object.format)
            json.string("architecture", object.architectureName)
            if let identity = object.identityText { json.string("identity", identity) }
        }
    }

    /// A line for each table of `.debug_line` and for each of its rows.
    func dumpLinesJSON(_ lines: SectionBytes, _ context: DumpContext?) {
        let json = JSONText(output)
        var units: [UInt64: DumpUnit] = [:]
        for unit in context?.units ?? [] { if let context, let start = context.bases(of: unit).lineTable { units[start] = unit } }
        var offset = 0
        while offset < lines.count {
            let unit = units[UInt64(offset)]
            let header: LineTableHeader
            do throws(DumpError) { header = try LineTableHeader(at: offset, of: lines, unit: unit) } catch {
                return object.report(error.problem)
            }
            json.line {
                json.object("lineTable") {
                    json.hex("offset", UInt64(offset), 8)
                    json.number("version", UInt64(header.version))
                    if let unit { json.hex("unit", UInt64(unit.offset), 8) }
                    json.array("files") {
                        for index in header.files.indices {
                            let number = UInt64(header.version >= 5 ? index : index + 1)
                            let directory = context.flatMap { context in unit.flatMap { context.bases(of: $0).compilationDirectory } }
                            json.object(nil) {
                                json.number("number", number)
                                let path = context.flatMap { header.path(number, $0, directory: directory, lines: lines) }
                                json.string("path", path ?? [])
                            }
                        }
                    }
                }
            }
            let program = LineProgram(
                header: header, lines: lines, addressSize: unit?.addressSize ?? 0, tellsOpcodes: false,
                place: { object.sections.printed($0) })
            let problem = program.run { event in
                guard case .row(let row) = event else { return }
                json.line {
                    json.object("row") {
                        json.hex("address", row.address, 16)
                        json.number("line", UInt64(row.line))
                        json.number("column", UInt64(row.column))
                        json.number("file", UInt64(row.file))
                        json.bool("isStatement", row.isStatement)
                        if row.discriminator != 0 { json.number("discriminator", UInt64(row.discriminator)) }
                        if row.isa != 0 { json.number("isa", UInt64(row.isa)) }
                        if row.operationIndex != 0 { json.number("operationIndex", UInt64(row.operationIndex)) }
                        for (key, value) in [
                            ("beginsBlock", row.beginsBlock), ("endsPrologue", row.endsPrologue),
                            ("beginsEpilogue", row.beginsEpilogue),
                            ("endsSequence", row.endsSequence),
                        ] as [(StaticString, Bool)] where value {
                            json.bool(key, true)
                        }
                    }
                }
            }
            if let problem { object.report(problem) }
            guard header.end > offset else { return }
            offset = header.end
        }
    }

    /// A line for each table of `.debug_aranges`.
    func dumpAddressRangesJSON(_ section: SectionBytes) {
        let json = JSONText(output)
        var offset = 0
        while offset < section.count, let table = AddressRangeTable(at: offset, of: section) {
            json.line {
                json.object("addressRanges") {
                    json.hex("unit", table.unitOffset, 8)
                    json.array("ranges") {
                        for range in table.ranges {
                            json.array(nil) {
                                json.hex(nil, range.low, 2 * table.addressSize)
                                json.hex(nil, range.high, 2 * table.addressSize)
                            }
                        }
                    }
                }
            }
            offset = table.end
        }
        if offset < section.count { object.report("the table of address ranges at \(hexadecimal(offset)) is damaged") }
    }
}
