internal import BinaryPrimitives
internal import ObjectFiles

/// The files of calls whose entries do not say them: of swiftc, which says `<compiler-generated>` though their lines are real, and of Zig,
/// which writes a line without a file, or with a number that the line table does not have (0 before version 5).
///
/// `DW_AT_call_file` is then the calling function's file, not the call's (`createInlinedAt` of
/// swift's `IRGenDebugInfo.cpp`); a row's file is right.
/// `specialized total<A>(_:_:) (<compiler-generated>:5)` is in `e.swift:5`. The file is, first
/// found:
/// - that of the calling function's own rows, where all are of one. Of the 19,045 calls in a
///   release build of these libraries whose files are known, 16,098 have such rows, and all are
///   right.
/// - that of the called function's declaration, where it is on the very line: a thunk is where the
///   function is that it is made for.
/// - that of all of the unit's rows in Swift, where it is one and has a row of the call's line:
///   `$main` of a type that is marked with `@main`.
///
/// For a call without a file it is that of the calling function's own rows, else of its declaration, which in Zig is that of the namespace
/// around it (`DW_AT_ZIG_parent`).
struct CallFiles {
    private static let name = "<compiler-generated>"

    /// A subroutine's calls in question.
    private struct Call {
        var position: Int
        /// The subroutine that calls; -1 if there is none.
        var caller: Int32
        var line: UInt64
        var origin: AttributeValue?
        /// The file's number as the entry says it.
        var file: Int?
    }

    /// The numbers of all files in the line table.
    private let listed: Set<Int>
    /// The numbers of `<compiler-generated>` among them.
    private let generated: Set<Int>
    /// The numbers of Swift's source files: rows are in C's headers, too.
    private let swift: Set<Int>
    /// By the calls' entries, in bytes from the unit's header: the file's number in the line table.
    private var files: [Int: Int] = [:]

    /// Reads nothing of the unit yet.
    /// - Parameters:
    ///   - calls: the files and lines of inlined calls.
    ///   - text: reads a string of the table.
    /// - Returns: `nil` if none of the calls is in question, as in all but Swift.
    init?(_ calls: some Sequence<(file: Int?, line: Int)>, _ table: LineTable, _ text: (AttributeValue) -> String?) {
        func name(_ file: Int) -> String? { table.file(at: file).flatMap { text($0.name) } }
        // By the files' numbers: a set's type costs a lookup of one address as much as all else here.
        var seen = [Bool](repeating: false, count: table.files.count + 1)
        var last = -1
        var (lacksFile, isGenerated) = (false, false)
        for (file, line) in calls where line > 0 {
            guard let file, table.file(at: file) != nil else {
                lacksFile = true
                continue
            }
            guard file != last, seen.indices.contains(file), !seen[file] else { continue }
            (last, seen[file]) = (file, true)
            isGenerated = isGenerated || name(file) == Self.name
        }
        guard lacksFile || isGenerated else { return nil }
        listed = Set((0...table.files.count).filter { table.file(at: $0) != nil })
        generated = listed.filter { name($0) == Self.name }
        swift = Set((0...table.files.count).filter { name($0)?.hasSuffix(".swift") ?? false })
    }

    /// Whether a call's file is missing, or not where the call is.
    func isDoubtful(file: Int?, line: Int) -> Bool { line > 0 && (isMissing(file) || file.map { generated.contains($0) } ?? false) }

    private func isMissing(_ file: Int?) -> Bool { file.map { !listed.contains($0) } ?? true }

    /// The file of the call whose entry is at `position`; `nil` if nothing says which.
    func file(at position: Int) -> Int? { files[position] }

    /// Reads all of the unit: its entries and its rows.
    mutating func read(_ unit: Unit, _ bytes: RawSpan, _ table: LineTable, _ lineBytes: RawSpan) {
        var reading = Reading(unit)
        // Entries before the damage count.
        try? reading.walk(bytes) { [self] in isDoubtful(file: $0, line: $1) }
        guard !reading.calls.isEmpty else { return }
        let (own, all, lines) = rowFiles(reading, table, lineBytes)
        for call in reading.calls {
            let caller = call.caller >= 0 ? own[Int(call.caller)] : RowFile()
            if isMissing(call.file) {
                let declared = call.caller >= 0 ? declarationFile(of: reading.entries[Int(call.caller)], unit, bytes) : nil
                files[call.position] = caller.only ?? declared
            } else {
                files[call.position] = caller.only ?? declarationFile(call, unit, bytes) ?? (lines.contains(call.line) ? all.only : nil)
            }
        }
    }

    /// The one file of some rows.
    private struct RowFile {
        /// -1: no row so far; -2: several.
        private var number = -1
        var only: Int? { number >= 0 ? number : nil }
        mutating func add(_ file: Int) { number = number == -1 || number == file ? file : -2 }
    }

    /// For each subroutine, and for the whole unit, the file of its own rows that have a line; and
    /// the lines of Swift's rows.
    private func rowFiles(_ reading: Reading, _ table: LineTable, _ lineBytes: RawSpan) -> ([RowFile], RowFile, Set<UInt64>) {
        var segments = SubroutineSegments()
        segments.run(reading.starts, reading.ends, reading.owners)
        var own = [RowFile](repeating: RowFile(), count: Int(reading.count))
        var all = RowFile()
        var lines: Set<UInt64> = []
        for row in (try? table.rows(lineBytes)) ?? [] where row.line > 0 && !row.endsSequence && !generated.contains(row.file) {
            if swift.contains(row.file) {
                all.add(row.file)
                lines.insert(UInt64(row.line))
            }
            let segment = segments.starts.firstIndex(notBelow: row.address.value &+ 1) - 1
            guard segment >= 0, segments.subroutines[segment] >= 0 else { continue }
            own[Int(segments.subroutines[segment])].add(row.file)
        }
        return (own, all, lines)
    }

    /// The called function's file, if it is declared on the call's line, in this unit.
    private func declarationFile(_ call: Call, _ unit: Unit, _ bytes: RawSpan) -> Int? {
        guard case .unitReference(let distance)? = call.origin else { return nil }
        let found = declaration(at: distance, unit, bytes)
        guard let file = found.file, found.line == call.line, !generated.contains(file) else { return nil }
        return file
    }

    /// The file of a subroutine's declaration, in this unit.
    private func declarationFile(of entry: Int, _ unit: Unit, _ bytes: RawSpan) -> Int? {
        let file = declaration(at: UInt64(entry), unit, bytes).file
        return file.flatMap { generated.contains($0) ? nil : $0 }
    }

    /// The file and line of the declaration of the subroutine whose entry is at an offset from the unit's header. A function of Zig has the
    /// file of the namespace around it.
    private func declaration(at entry: UInt64, _ unit: Unit, _ bytes: RawSpan) -> (file: Int?, line: UInt64?) {
        var next: UInt64? = entry
        var line: UInt64?
        for _ in 0..<Limits.standard.originChain {
            guard let distance = next, var cursor = try? bytes.from(distance), let code = try? cursor.readULEB128(),
                let abbreviation = unit.abbreviations.abbreviation(code)
            else { break }
            next = nil
            var (file, parent): (Int?, UInt64?)
            for attribute in unit.abbreviations.attributes(of: abbreviation) {
                guard let value = try? cursor.readValue(attribute.form, implicit: attribute.implicit, unit.sizes) else { return (nil, nil) }
                switch attribute.name {
                case Attribute.declFile: file = value.number.flatMap { Int(exactly: $0) }
                case Attribute.declLine: line = line ?? value.number
                case Attribute.abstractOrigin, Attribute.specification: next = offset(of: value, in: unit)
                case Attribute.zigParent: parent = offset(of: value, in: unit)
                default: break
                }
            }
            if let file { return (file, line) }
            next = parent ?? next
        }
        return (nil, nil)
    }

    /// The entry that a reference leads to, in bytes from the unit's header; `nil` in another unit.
    private func offset(of reference: AttributeValue, in unit: Unit) -> UInt64? {
        switch reference {
        case .unitReference(let distance): distance
        case .infoReference(let offset):
            Int(exactly: offset).flatMap { unit.header.offset <= $0 && $0 < unit.header.end ? UInt64($0 - unit.header.offset) : nil }
        default: nil
        }
    }

    /// The subroutines of a unit, and the calls in question.
    private struct Reading {
        private let unit: Unit
        private(set) var calls: [Call] = []
        /// Number of subroutines with code.
        private(set) var count: Int32 = 0
        /// For each of them its entry, in bytes from the unit's header.
        private(set) var entries: [Int] = []
        private(set) var starts: [UInt64] = []
        private(set) var ends: [UInt64] = []
        private(set) var owners: [Int32] = []

        init(_ unit: Unit) { self.unit = unit }

        mutating func walk(_ bytes: RawSpan, isDoubtful: (Int?, Int) -> Bool) throws(ReadError) {
            var open = OpenEntries<Int32>()
            var plans = SubroutinePlans()
            var collected = unit.collectedRanges()
            var walk = EntryWalk(unit)
            while let shape = try walk.next(bytes) {
                open.close(at: walk.depth)
                guard shape.role == .subroutine else {
                    if shape.role == .abstractSubroutine { open.append(-1, depth: walk.depth) }
                    try walk.pass(shape, bytes)
                    continue
                }
                var end = walk.position
                let entry = try plans.entry(walk.code, at: &end, bytes, unit)
                collected.removeAll()
                try? unit.appendRanges(low: entry.low, high: entry.high, ranges: entry.ranges, to: &collected)
                for range in collected.ranges {
                    starts.append(range.start)
                    ends.append(range.end)
                    owners.append(count)
                }
                let callFile = entry.callFile.flatMap { Int(exactly: $0) }
                if shape.isInlined, isDoubtful(callFile, Int(clamping: entry.callLine)) {
                    calls.append(
                        Call(
                            position: walk.entry, caller: open.last ?? -1, line: entry.callLine, origin: entry.origin,
                            file: callFile))
                }
                open.append(count, depth: walk.depth)
                entries.append(walk.entry)
                count += 1
                try walk.read(upTo: end, shape, bytes)
            }
        }
    }
}
