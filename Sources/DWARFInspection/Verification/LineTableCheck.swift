internal import BinaryPrimitives

/// Checks the line tables of units: that each has its own, that files have folders, and that rows
/// have files and go upwards.
struct LineTableCheck {
    private let context: DumpContext
    private let report: VerifierReport
    private let text: EntryText
    private var isSound = true
    /// Bytes of programs that may still be run, where many units have the same ones.
    private var allowance: Int

    init(_ context: DumpContext, _ report: VerifierReport, _ text: EntryText) {
        self.context = context
        self.report = report
        self.text = text
        allowance = LineStatistics.maxRuns * max(context.lines.count, 1 << 20)
    }

    /// - Returns: whether nothing is wrong.
    mutating func run() -> Bool {
        let units = context.infoUnits.filter { !$0.isTypeUnit }
        checkOffsets(units)
        for unit in units {
            guard let start = context.bases(of: unit).lineTable, start < UInt64(context.lines.count),
                let header = try? LineTableHeader(at: Int(start), of: context.lines, unit: unit)
            else { continue }
            checkFolders(header, unit)
            let size = header.end - header.program
            guard size <= allowance else {
                context.report("the line table at \(hexadecimal(header.offset)) is not verified: too many units have the same ones")
                continue
            }
            allowance -= size
            checkRows(header, unit)
        }
        return isSound
    }

    private mutating func checkOffsets(_ units: [DumpUnit]) {
        var known: [UInt64: DumpUnit] = [:]
        for unit in units {
            guard let start = context.bases(of: unit).lineTable, start < UInt64(context.lines.count),
                let root = context.entry(at: unit.root, in: unit)
            else { continue }
            if (try? LineTableHeader(at: Int(start), of: context.lines, unit: unit)) == nil {
                isSound = false
                report.add("Unparsable .debug_line entry") {
                    report.error(".debug_line[\(VerifierText.hex(start, 8))] was not able to be parsed for CU:")
                    text.write(root, indent: 0)
                    report.output.byte(0x0a)
                }
                continue
            }
            guard let other = known[start] else {
                known[start] = unit
                continue
            }
            isSound = false
            report.add("Identical DW_AT_stmt_list section offset") {
                report.error(
                    "two compile unit DIEs, \(VerifierText.hex(UInt64(other.root), 8)) and \(VerifierText.hex(UInt64(unit.root), 8)), "
                        + "have the same DW_AT_stmt_list section offset:")
                if let first = context.entry(at: other.root, in: other) { text.write(first, indent: 0) }
                text.write(root, indent: 0)
                report.output.byte(0x0a)
            }
        }
    }

    private mutating func checkFolders(_ header: LineTableHeader, _ unit: DumpUnit) {
        let start = VerifierText.hex(UInt64(header.offset), 8)
        let first = header.version >= 5 ? 0 : 1
        let directory = context.bases(of: unit).compilationDirectory
        var known: [[UInt8]: Int] = [:]
        for (position, file) in header.files.enumerated() {
            let number = position + first
            if file.directory > UInt64(header.directories.count) {
                isSound = false
                report.add(
                    "Invalid index in .debug_line->prologue.file_names->dir_idx",
                    ".debug_line[\(start)].prologue.file_names[\(number)].dir_idx contains an invalid index: \(file.directory)")
            }
            let path = header.path(UInt64(number), context, directory: directory, lines: context.lines) ?? []
            guard let other = known[path] else {
                known[path] = number
                continue
            }
            if text.options.isVerbose {
                report.warn(".debug_line[\(start)].prologue.file_names[\(number)] is a duplicate of file_names[\(other)]")
            }
        }
    }

    private mutating func checkRows(_ header: LineTableHeader, _ unit: DumpUnit) {
        let program = DumpLineProgram(
            header: header, lines: context.lines, addressSize: unit.addressSize, reportsOpcodes: false,
            printedAddress: { [context] in context.printedAddress($0) })
        var (index, last): (Int, UInt64) = (0, 0)
        var previous: DumpLineRow?
        var isSound = true
        // The end of a sequence that is a table's only row is not looked at.
        var held: DumpLineRow?
        func check(_ row: DumpLineRow) {
            if row.address < last {
                isSound = false
                notify(row, after: previous, index, header)
            }
            if !header.hasFile(UInt64(row.file)) {
                isSound = false
                tellFile(row, index, header)
            }
            last = row.endsSequence ? 0 : row.address
            previous = row
            index += 1
        }
        // The dump of the section shows what is damaged in it.
        _ = program.run { event in
            guard case .row(let row) = event else { return }
            if index == 0, held == nil, row.endsSequence { return held = row }
            if let first = held {
                held = nil
                check(first)
            }
            check(row)
        }
        if !isSound { self.isSound = false }
    }

    private func notify(_ row: DumpLineRow, after previous: DumpLineRow?, _ index: Int, _ header: LineTableHeader) {
        report.add("decreasing address between debug_line rows") {
            report.error(
                ".debug_line[\(VerifierText.hex(UInt64(header.offset), 8))] row[\(index)] decreases in address from previous row:")
            LineTableText.writeColumns(to: report.output, indent: 0)
            if let previous { LineTableText.write(previous, to: report.output) }
            LineTableText.write(row, to: report.output)
            report.output.byte(0x0a)
        }
    }

    private func tellFile(_ row: DumpLineRow, _ index: Int, _ header: LineTableHeader) {
        report.add("Invalid file index in debug_line") {
            let values = header.version >= 5 ? "[0,\(header.files.count))" : "[1,\(header.files.count)]"
            report.error(
                ".debug_line[\(VerifierText.hex(UInt64(header.offset), 8))][\(index)] has invalid file index \(row.file) "
                    + "(valid values are \(values)):")
            LineTableText.writeColumns(to: report.output, indent: 0)
            LineTableText.write(row, to: report.output)
            report.output.byte(0x0a)
        }
    }
}
