internal import DWARF

/// The lines of JSON that are not of entries.
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
            for problem in header.problems { object.report(problem) }
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
            let program = DumpLineProgram(
                header: header, lines: lines, addressSize: unit?.addressSize ?? 0, reportsOpcodes: false,
                printedAddress: { object.sections.printed($0) })
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
        while offset < section.count, let table = DumpAddressRangeTable(at: offset, of: section) {
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
