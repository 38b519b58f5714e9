/// Counts the rows of line tables.
struct LineStatistics {
    /// Counts of one table.
    private struct Counts {
        var bytes = SaturatingSum()
        var lineZeroBytes = SaturatingSum()
        var rows: UInt64 = 0
        var statements: UInt64 = 0
    }

    private(set) var bytes = SaturatingSum()
    private(set) var lineZeroBytes = SaturatingSum()
    private(set) var rows = SaturatingSum()
    private(set) var statements = SaturatingSum()
    /// Line, column and file: each position once. LLVM has 16 bits for the files of all units.
    private var locations = NumberSet()
    private(set) var entriesWithLine: UInt64 = 0
    var locationCount: UInt64 { UInt64(locations.count) }
    private var files: [[UInt8]: Int] = [:]

    /// Key of a table that several units have: its offset, and the unit's compilation directory, which determines the paths.
    private struct Table: Hashable {
        var start: UInt64
        var directory: [UInt8]
    }
    private var known: [Table: Counts] = [:]
    /// Bytes of programs that may still be run: tables that units with different directories share
    /// are run for each.
    private var allowance: Int?

    /// Adds the table of a unit.
    mutating func add(_ unit: DumpUnit, _ context: DumpContext) {
        let bases = context.bases(of: unit)
        guard let start = bases.lineTable, start < UInt64(context.lines.count) else { return }
        let key = Table(start: start, directory: bases.compilationDirectory ?? [])
        if let counts = known[key] { return add(counts) }
        guard let header = try? LineTableHeader(at: Int(start), of: context.lines, unit: unit), !header.files.isEmpty else { return }
        let left = allowance ?? Self.maxRuns * max(context.lines.count, 1 << 20)
        guard left >= header.end - header.program else {
            return context.report("the line table at \(hexadecimal(Int(start))) is not counted: too many units have the same ones")
        }
        allowance = left - (header.end - header.program)
        let counts = run(header, unit, context, key.directory)
        known[key] = counts
        add(counts)
    }

    /// How many times the bytes of the section are run at most. Programs have each table once, or
    /// twice where type units have it too.
    static let maxRuns = 64

    private mutating func add(_ counts: Counts) {
        bytes += counts.bytes.value
        lineZeroBytes += counts.lineZeroBytes.value
        rows += counts.rows
        statements += counts.statements
    }

    private mutating func run(_ header: LineTableHeader, _ unit: DumpUnit, _ context: DumpContext, _ directory: [UInt8]) -> Counts {
        let numbers = fileNumbers(header, context, directory)
        var counts = Counts()
        var sequence: [DumpLineRow] = []
        let program = DumpLineProgram(
            header: header, lines: context.lines, addressSize: unit.addressSize, reportsOpcodes: false,
            printedAddress: { context.printedAddress($0) })
        // The dump of the section shows what is damaged in it.
        _ = program.run { event in
            guard case .row(let row) = event else { return }
            sequence.append(row)
            guard row.endsSequence else { return }
            // A sequence of no bytes, or that runs backwards, is none.
            if sequence[0].address < row.address { count(sequence, numbers, &counts) }
            sequence.removeAll(keepingCapacity: true)
        }
        return counts
    }

    /// - Parameter sequence: its rows, the last one ends it.
    private mutating func count(_ sequence: [DumpLineRow], _ numbers: [UInt64: UInt16], _ counts: inout Counts) {
        counts.bytes += sequence[sequence.count - 1].address &- sequence[0].address
        counts.rows += UInt64(sequence.count - 1)
        for (row, next) in zip(sequence, sequence.dropFirst()) {
            if row.isStatement { counts.statements += 1 }
            let file = numbers[UInt64(row.file)] ?? 0
            let isNew = locations.insert(UInt64(row.line) << 32 | UInt64(row.column) << 16 | UInt64(file))
            if row.line == 0 {
                counts.lineZeroBytes += next.address &- row.address
            } else if isNew {
                entriesWithLine += 1
            }
        }
    }

    /// The numbers of a table's files among those of all tables.
    private mutating func fileNumbers(_ header: LineTableHeader, _ context: DumpContext, _ directory: [UInt8]) -> [UInt64: UInt16] {
        var numbers: [UInt64: UInt16] = [:]
        // Before version 5 files count from 1.
        let last = header.version >= 5 ? UInt64(header.files.count - 1) : UInt64(header.files.count)
        for number in 0...last {
            guard let path = header.path(number, context, directory: directory, lines: context.lines) else { continue }
            let index = files[path] ?? files.count
            files[path] = index
            numbers[number] = UInt16(truncatingIfNeeded: index)
        }
        return numbers
    }
}
