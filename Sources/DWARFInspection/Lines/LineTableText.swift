internal import DWARF

/// Writes line tables.
struct LineTableText {
    let context: DumpContext?
    let lines: SectionBytes
    let options: DumpOptions
    let output: DumpOutput
    let report: (String) -> Void
    let printedAddress: (UInt64) -> UInt64

    /// All tables of the section, or the one at an offset.
    func writeAll(only wanted: UInt64?) {
        var units: [UInt64: DumpUnit] = [:]
        if let context {
            for unit in context.units {
                guard let table = context.bases(of: unit).lineTable else { continue }
                let start = table &+ (context.contribution(to: unit, .lines)?.lowerBound ?? 0)
                if units[start] == nil { units[start] = unit }
            }
        }
        var offset = 0
        while offset < lines.count {
            let unit = units[UInt64(offset)]
            let isWanted = wanted == nil || wanted == UInt64(offset)
            if isWanted {
                output.text("debug_line[")
                output.hex(UInt64(offset), 8)
                output.text("]\n")
                write(at: offset, unit)
            }
            guard let next = next(after: offset) else { return }
            offset = next
        }
    }

    private func write(at offset: Int, _ unit: DumpUnit?) {
        let header: LineTableHeader
        do throws(DumpError) { header = try LineTableHeader(at: offset, of: lines, unit: unit) } catch {
            writeStart(at: offset)
            output.text("\n")
            return report(error.problem)
        }
        for problem in header.problems { report(problem) }
        write(header)
        if header.program < header.end {
            output.byte(0x0a)
            let indent = options.isVerbose ? 12 : 0
            Self.writeColumns(to: output, indent: indent)
        }
        let program = DumpLineProgram(
            header: header, lines: lines, addressSize: header.addressSize != 0 ? header.addressSize : unit?.addressSize ?? 0,
            reportsOpcodes: options.isVerbose, printedAddress: printedAddress)
        let problem = program.run { event in
            switch event {
            case .opcode(let position, let code):
                output.hex(UInt64(position), 8)
                output.text(": ")
                output.plainHex(UInt64(code), 2)
                output.byte(0x20)
            case .text(let text): output.name(Array(text.utf8))
            case .row(let row):
                if options.isVerbose {
                    output.byte(0x0a)
                    output.spaces(12)
                }
                Self.write(row, to: output)
            case .end(let hasRow): if !hasRow { output.byte(0x0a) }
            }
        }
        output.byte(0x0a)
        if let problem { report(problem) }
    }

    /// Writes the text of a table that cannot be read.
    private func writeStart(at offset: Int) {
        var cursor = lines.cursor(at: offset)
        let (length, size) = cursor.initialLength()
        guard length != 0 else { return }
        output.text("Line table prologue:\n    total_length: ")
        output.hex(length, 2 * size)
        output.text(size == 8 ? "\n          format: DWARF64\n         version: " : "\n          format: DWARF32\n         version: ")
        output.decimal(UInt64(cursor.u16()))
        output.byte(0x0a)
    }

    private func number(_ label: StaticString, _ value: UInt64) {
        output.text(label)
        output.decimal(value)
        output.byte(0x0a)
    }

    private func write(_ header: LineTableHeader) {
        guard header.totalLength != 0 else { return }
        let digits = 2 * header.offsetSize
        output.text("Line table prologue:\n    total_length: ")
        output.hex(header.totalLength, digits)
        output.text(header.offsetSize == 8 ? "\n          format: DWARF64\n" : "\n          format: DWARF32\n")
        number("         version: ", UInt64(header.version))
        if header.version >= 5 {
            number("    address_size: ", UInt64(header.addressSize))
            number(" seg_select_size: ", UInt64(header.segmentSelectorSize))
        }
        output.text(" prologue_length: ")
        output.hex(header.headerLength, digits)
        output.byte(0x0a)
        number(" min_inst_length: ", UInt64(header.minimumInstructionLength))
        if header.version >= 4 { number("max_ops_per_inst: ", UInt64(header.maximumOperations)) }
        number(" default_is_stmt: ", UInt64(header.defaultIsStatement))
        output.text("       line_base: ")
        output.signed(Int64(header.lineBase))
        number("\n      line_range: ", UInt64(header.lineRange))
        number("     opcode_base: ", UInt64(header.opcodeBase))
        for (index, length) in header.opcodeLengths.enumerated() {
            output.text("standard_opcode_lengths[")
            output.name(DWARFNames.lineStandard, UInt64(index + 1))
            number("] = ", UInt64(length))
        }
        let first = header.version >= 5 ? 0 : 1
        for (index, directory) in header.directories.enumerated() {
            output.text("include_directories[")
            output.decimal(UInt64(index + first), width: 3)
            output.text("] = ")
            write(directory)
            output.byte(0x0a)
        }
        for (index, file) in header.files.enumerated() {
            output.text("file_names[")
            output.decimal(UInt64(index + first), width: 3)
            output.text("]:\n           name: ")
            if let name = file.name { write(name) }
            number("\n      dir_index: ", file.directory)
            write(file, header)
        }
    }

    private func write(_ file: LineTableHeader.File, _ header: LineTableHeader) {
        if header.hasDigests {
            output.text("   md5_checksum: ")
            for position in file.digest ?? 0..<0 { output.plainHex(UInt64(lines[position]), 2) }
            output.byte(0x0a)
        }
        if header.hasTimes {
            output.text("       mod_time: ")
            output.hex(file.modificationTime, 8)
            output.byte(0x0a)
        }
        if header.hasLengths {
            output.text("         length: ")
            output.hex(file.length, 8)
            output.byte(0x0a)
        }
        if header.hasSources, let source = file.source, let text = text(source), !text.range.isEmpty {
            output.text("         source: ")
            write(source)
            output.byte(0x0a)
        }
    }

    private func text(_ value: DumpValue) -> DumpText? {
        value.form == Form.string ? DumpText(section: lines, range: value.bytes) : context?.string(value)
    }

    private func write(_ value: DumpValue) {
        if options.isVerbose, value.form == Form.lineStrp || value.form == Form.strp {
            output.text(value.form == Form.strp ? " .debug_str[" : " .debug_line_str[")
            output.hex(value.raw, 2 * value.unit.offsetSize)
            output.text("] = ")
        }
        guard let text = text(value) else { return }
        output.text("\"")
        output.escaped(text.section, text.range)
        output.text("\"")
    }

    /// The titles of rows.
    static func writeColumns(to output: DumpOutput, indent: Int) {
        output.spaces(indent)
        output.text("Address            Line   Column File   ISA Discriminator OpIndex Flags\n")
        output.spaces(indent)
        output.text("------------------ ------ ------ ------ --- ------------- ------- -------------\n")
    }

    static func write(_ row: DumpLineRow, to output: DumpOutput) {
        output.hex(row.address, 16)
        for (value, width) in [
            (UInt64(row.line), 7), (UInt64(row.column), 7), (UInt64(row.file), 7), (UInt64(row.isa), 4),
            (UInt64(row.discriminator), 14),
            (UInt64(row.operationIndex), 8),
        ] {
            output.decimal(value, width: width)
        }
        output.byte(0x20)
        if row.isStatement { output.text(" is_stmt") }
        if row.beginsBlock { output.text(" basic_block") }
        if row.endsPrologue { output.text(" prologue_end") }
        if row.beginsEpilogue { output.text(" epilogue_begin") }
        if row.endsSequence { output.text(" end_sequence") }
        output.byte(0x0a)
    }

    /// The offset of the table after the one at `offset`; `nil` if there is none. Some compilers align them.
    private func next(after offset: Int) -> Int? {
        var cursor = lines.cursor(at: offset)
        let (length, _) = cursor.initialLength()
        guard length != 0, !cursor.isPastEnd, length < UInt64(lines.count - cursor.position) else { return nil }
        let end = cursor.position + Int(length)
        if hasVersion(at: end) { return end }
        for alignment in [4, 8] {
            let aligned = (end + alignment - 1) / alignment * alignment
            if aligned >= lines.count { return nil }
            if hasVersion(at: aligned) { return aligned }
        }
        return end
    }

    private func hasVersion(at offset: Int) -> Bool {
        var cursor = lines.cursor(at: offset)
        _ = cursor.initialLength()
        return (2...5).contains(cursor.u16()) && !cursor.isPastEnd
    }
}
