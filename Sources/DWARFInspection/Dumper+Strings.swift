/// Sections of strings, abbreviations, and of what entries count into them.
extension Dumper {
    func dumpStrings(_ section: SectionBytes) {
        var offset = 0
        while offset < section.count {
            guard let range = section.string(at: offset) else {
                return object.report("the string at \(hexadecimal(offset)) has no end")
            }
            output.hex(UInt64(offset), 8)
            output.text(": \"")
            output.escaped(section, range)
            output.text("\"\n")
            offset = range.upperBound + 1
        }
    }

    func dumpAbbreviations(_ section: SectionBytes, _ context: DumpContext?) {
        guard context != nil, !section.isEmpty else {
            output.text("< EMPTY >\n")
            if !section.isEmpty { object.report(".debug_abbrev is not dumped: expected a .debug_info section beside it") }
            return
        }
        var offset: UInt64 = 0
        while offset < UInt64(section.count) {
            let table: Abbreviations
            do throws(DumpError) { table = try Abbreviations(at: offset, of: section) } catch {
                return object.report(error.problem)
            }
            output.text("Abbrev table for offset: ")
            output.hex(offset, 8)
            output.byte(0x0a)
            for abbreviation in table.all { AbbreviationText.write(abbreviation, to: output) }
            guard table.end > offset else { return }
            offset = table.end
        }
    }

    /// The tables of string offsets, as the units refer to them (DWARF 5, section 7.26); before
    /// version 5 one table without a header.
    func dumpStringOffsets(_ section: SectionBytes, _ strings: SectionBytes, _ context: DumpContext?) {
        struct Table: Hashable {
            var start: Int
            var size: Int
            var entrySize: Int
            var version: Int
        }
        var tables: Set<Table> = []
        for unit in context?.units ?? [] {
            guard let context, let base = context.bases(of: unit).stringOffsets, context.isSplit || unit.version >= 5 else { continue }
            let start = Int(clamping: base.start)
            if unit.version < 5 {
                let part = context.contribution(to: unit, .stringOffsets) ?? 0..<UInt64(section.count)
                tables.insert(
                    Table(
                        start: Int(clamping: part.lowerBound), size: Int(clamping: part.upperBound - part.lowerBound),
                        entrySize: unit.offsetSize, version: 4))
                continue
            }
            var cursor = section.cursor(at: start - (base.size == 8 ? 16 : 8))
            let (length, _) = cursor.initialLength()
            let version = Int(cursor.u16())
            guard !cursor.isPastEnd, length >= 4, length - 4 <= UInt64(max(0, section.count - start)) else {
                output.text(
                    "error: invalid contribution to string offsets table in section .debug_str_offsets\(context.isSplit ? ".dwo" : "").\n"
                )
                return object.report("a table of string offsets at \(hexadecimal(start)) is damaged")
            }
            tables.insert(Table(start: start, size: Int(length) - 4, entrySize: base.size, version: version))
        }
        var offset = 0
        for table in tables.sorted(by: { ($0.start, $0.size) < ($1.start, $1.size) }) {
            let header = table.start - (table.version >= 5 ? table.entrySize == 8 ? 16 : 8 : 0)
            if offset > header { object.report("tables of string offsets overlap at \(hexadecimal(header))") }
            if offset < header { writeGap(offset, header) }
            output.hex(UInt64(header), 8)
            output.text(": Contribution size = ")
            output.decimal(UInt64(table.size + (table.version < 5 ? 0 : 4)))
            output.text(table.entrySize == 8 ? ", Format = DWARF64, Version = " : ", Format = DWARF32, Version = ")
            output.decimal(UInt64(table.version))
            output.byte(0x0a)
            offset = table.start
            while offset - table.start < table.size {
                output.hex(UInt64(offset), 8)
                output.text(": ")
                let position = section.number(at: offset, size: table.entrySize) ?? 0
                output.plainHex(position, 2 * table.entrySize)
                output.byte(0x20)
                if let range = strings.string(at: Int(clamping: position)) {
                    output.text("\"")
                    output.name(strings.bytes(in: range))
                    output.text("\"")
                }
                output.byte(0x0a)
                offset += table.entrySize
            }
        }
        if offset < section.count { writeGap(offset, section.count) }
    }

    private func writeGap(_ offset: Int, _ end: Int) {
        output.hex(UInt64(offset), 8)
        output.text(": Gap, length = ")
        output.decimal(UInt64(end - offset))
        output.byte(0x0a)
    }

    /// `.debug_pubnames` and its like (DWARF 4, section 6.1.1); GNU's have a byte about each name.
    func dumpPublicNames(_ section: SectionBytes, isGNU: Bool) {
        var offset = 0
        while offset < section.count {
            var cursor = section.cursor(at: offset)
            let (length, size) = cursor.initialLength()
            let start = cursor.position
            guard !cursor.isPastEnd, length <= UInt64(section.count - start) else {
                return object.report("the table of names at \(hexadecimal(offset)) is cut short")
            }
            let end = start + Int(length)
            let table = section.cut(at: end)
            cursor = table.cursor(at: start)
            output.text("length = ")
            output.hex(length, 2 * size)
            output.text(size == 8 ? ", format = DWARF64, version = " : ", format = DWARF32, version = ")
            output.hex(UInt64(cursor.u16()), 4)
            output.text(", unit_offset = ")
            output.hex(cursor.number(size), 2 * size)
            output.text(", unit_size = ")
            output.hex(cursor.number(size), 2 * size)
            output.text(isGNU ? "\nOffset     Linkage  Kind     Name\n" : "\nOffset     Name\n")
            while !cursor.isPastEnd {
                let entry = cursor.number(size)
                guard entry != 0 else { break }
                let description = isGNU ? cursor.u8() : 0
                let name = cursor.string()
                guard !cursor.isPastEnd else { break }
                output.hex(entry, 2 * size)
                output.byte(0x20)
                if isGNU {
                    output.text(description & 0x80 == 0 ? "EXTERNAL " : "STATIC   ")
                    let kinds: [StaticString] = [
                        "NONE     ", "TYPE     ", "VARIABLE ", "FUNCTION ", "OTHER    ", "UNUSED5  ", "UNUSED6  ", "UNUSED7  ",
                    ]
                    output.text(kinds[Int(description >> 4) & 7])
                }
                output.text("\"")
                output.name(section.bytes(in: name))
                output.text("\"\n")
            }
            if cursor.isPastEnd || cursor.position != end { object.report("the table of names at \(hexadecimal(offset)) is damaged") }
            offset = end
        }
    }
}
