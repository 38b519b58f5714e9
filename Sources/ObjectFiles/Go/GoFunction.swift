internal import BinaryPrimitives

/// A function's record in a Go program's line table (`_func` in Go's `runtime/runtime2.go`), and
/// the programs that it leads to.
///
/// After the entry (an address, or a distance of 32 bits from Go 1.18 on) come numbers of 32 bits:
/// name, arguments' size, a field for deferred calls, then the programs for the stack pointer, the
/// file and the line, the number of further programs, and, from Go 1.16 on, the compilation unit's
/// index in the table of files.
struct GoFunction {
    private let table: GoLineTable
    /// Offset of the record in the table.
    private let position: Int
    private let entry: UInt64
    private let name: String

    /// - Parameter offset: offset of the record, from where records count.
    /// - Returns: `nil` if the record, or its name, is outside of the table.
    init?(_ table: GoLineTable, at offset: UInt64, entry: UInt64, _ bytes: RawSpan) {
        guard offset <= UInt64(bytes.byteCount) else { return nil }
        self.table = table
        self.entry = entry
        position = table.header.records + Int(offset)
        guard let nameOffset = table.field(at: position + table.header.fieldSize, 4, bytes),
            let name = GoFunction.text(bytes, table.header.names, nameOffset), !name.isEmpty
        else { return nil }
        self.name = name
    }

    /// - Parameter distance: distance in bytes from the function's entry to the address.
    func result(_ distance: UInt64, _ bytes: RawSpan) -> GoLineTable.Result {
        var functions: [GoLineTable.Result.Function] = []
        var distance = distance
        let tree = inlineTree(bytes)
        while let tree, let call = call(of: tree, at: distance, bytes) {
            // A call's parent is an address outside of it, so that the chain ends; where it does
            // not, the tree is damaged: the function is known, and its line is not.
            guard functions.count < Limits.standard.inlineDepth else {
                return GoLineTable.Result(functions: [.init(name: name, location: nil)], entry: LinkAddress(entry))
            }
            functions.append(.init(name: call.name, location: location(distance, bytes)))
            distance = call.parent
        }
        functions.append(.init(name: name, location: location(distance, bytes)))
        return GoLineTable.Result(functions: functions, entry: LinkAddress(entry))
    }

    /// The field with that number: the entry's is 0, the name's 1.
    private func field(_ number: Int, _ bytes: RawSpan) -> UInt64? {
        table.field(at: position + table.header.fieldSize + (number - 1) * 4, 4, bytes)
    }

    // MARK: Lines

    private func location(_ distance: UInt64, _ bytes: RawSpan) -> SourceLocation? {
        guard let file = field(5, bytes).flatMap({ value(ofProgramAt: $0, distance, bytes) }), isOwn(file, bytes),
            let path = path(file, bytes)
        else { return nil }
        let line = field(6, bytes).flatMap { value(ofProgramAt: $0, distance, bytes) } ?? 0
        return SourceLocation(file: path, line: max(0, Int(line)), column: 0)
    }

    /// The location at a distance from the entry, and the distances around it for which neither
    /// file nor line changes.
    func locationRange(_ distance: UInt64, _ bytes: RawSpan) -> (location: SourceLocation, range: Range<UInt64>)? {
        guard let file = field(5, bytes).flatMap({ step(ofProgramAt: $0, distance, bytes) }), isOwn(file.value, bytes),
            let path = path(file.value, bytes),
            let line = field(6, bytes).flatMap({ step(ofProgramAt: $0, distance, bytes) }), line.value > 0
        else { return nil }
        return (SourceLocation(file: path, line: Int(line.value), column: 0), file.range.clamped(to: line.range))
    }

    /// Whether a line of the file may belong to this function. If inlined calls are unknown, code
    /// of another file than the function's first instruction belongs to another function:
    /// `main.main` is not in `fmt/print.go`.
    private func isOwn(_ file: Int32, _ bytes: RawSpan) -> Bool {
        table.inlineTrees != nil || field(5, bytes).flatMap { value(ofProgramAt: $0, 0, bytes) } == file
    }

    /// The name of a file by its number: of the whole program for Go 1.2, of the function's
    /// compilation unit from Go 1.16 on.
    private func path(_ number: Int32, _ bytes: RawSpan) -> String? {
        guard number >= 0 else { return nil }
        let header = table.header
        if header.version == .go12 {
            // The number of files comes first, at the index of the file with the number 0, which
            // does not exist.
            guard number > 0, let offset = table.field(at: header.files + Int(number) * 4, 4, bytes) else { return nil }
            return Self.text(bytes, 0, offset)
        }
        // All ones: the linker left the file out.
        guard let unit = field(8, bytes), let offset = table.field(at: header.units + (Int(unit) + Int(number)) * 4, 4, bytes),
            offset != 0xffff_ffff
        else { return nil }
        return Self.text(bytes, header.files, offset)
    }

    static func text(_ bytes: RawSpan, _ start: Int, _ offset: UInt64) -> String? {
        let (position, overflow) = UInt64(start).addingReportingOverflow(offset)
        return overflow ? nil : bytes.cString(at: position)
    }

    /// Runs a program of values (the "PC-value tables" of Go 1.2's document) up to an address.
    ///
    /// It is a list of pairs: how much the value changes (zigzag: 0, -1, 1, -2, …), and for how
    /// many instructions it then holds, both as in ULEB128. The value begins at -1; a change of
    /// zero that is not the first ends the list.
    /// - Parameter offset: offset of the program, from where programs count; 0 for no program.
    /// - Returns: `nil` where the program does not reach the address or is damaged.
    func value(ofProgramAt offset: UInt64, _ distance: UInt64, _ bytes: RawSpan) -> Int32? {
        step(ofProgramAt: offset, distance, bytes)?.value
    }

    /// As `value(ofProgramAt:)`, with the distances for which the value holds.
    private func step(ofProgramAt offset: UInt64, _ distance: UInt64, _ bytes: RawSpan) -> (value: Int32, range: Range<UInt64>)? {
        let header = table.header
        guard offset > 0, var rest = try? bytes.from(UInt64(header.programs) &+ offset) else { return nil }
        var value: Int32 = -1
        var reached: UInt64 = 0
        for step in 0..<table.rows {
            guard let change = try? rest.readULEB128(), change != 0 || step == 0, let count = try? rest.readULEB128() else { return nil }
            let half = Int32(truncatingIfNeeded: change >> 1)
            value &+= change & 1 == 0 ? half : ~half
            let (length, overflow) = count.multipliedReportingOverflow(by: header.quantum)
            guard !overflow, reached <= .max - length else { return nil }
            let start = reached
            reached += length
            if distance < reached { return (value, start..<reached) }
        }
        return nil
    }

    // MARK: Inlined calls

    /// The table of the calls that were inlined here: its offset, and the program that gives the
    /// index of the innermost call for each address, -1 for none.
    private func inlineTree(_ bytes: RawSpan) -> (offset: UInt64, program: UInt64)? {
        let header = table.header
        guard table.inlineTrees != nil, let programs = field(7, bytes), programs <= UInt64(bytes.byteCount / 4) else { return nil }
        // After the programs' number the compilation unit, and from Go 1.20 on the line of the
        // function's start; then the kind of function, flags, nothing, and the number of tables, a
        // byte each.
        let programsStart = position + header.fieldSize + (header.version >= .go120 ? 10 : 9) * 4
        // `PCDATA_InlTreeIndex` is the third of the programs, `FUNCDATA_InlTree` the fourth of the
        // tables.
        guard programs > 2, let tables = table.field(at: programsStart - 1, 1, bytes), tables > 3,
            let program = table.field(at: programsStart + 2 * 4, 4, bytes)
        else { return nil }
        // The distances of the tables, all ones for none; before Go 1.18 their addresses, aligned,
        // zero for none.
        let size = header.fieldSize
        let programsEnd = programsStart + Int(programs) * 4
        let hasAddresses = header.version < .go118
        let tablesStart = hasAddresses ? (programsEnd + size - 1) / size * size : programsEnd
        guard let offset = table.field(at: tablesStart + 3 * size, size, bytes), offset != (hasAddresses ? 0 : 0xffff_ffff) else {
            return nil
        }
        return (offset, program)
    }

    /// The innermost call at a distance from the function's entry: its name, and the distance where
    /// it is called.
    private func call(of tree: (offset: UInt64, program: UInt64), at distance: UInt64, _ bytes: RawSpan) -> (name: String, parent: UInt64)?
    {
        guard let index = value(ofProgramAt: tree.program, distance, bytes), let call = table.inlineTrees?.call(index, at: tree.offset),
            let name = Self.text(bytes, table.header.names, call.name)
        else { return nil }
        return (name, call.parent)
    }
}
