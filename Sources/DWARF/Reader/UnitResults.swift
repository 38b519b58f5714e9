internal import BinaryPrimitives
internal import ObjectFiles

/// Resolves addresses from one unit: its subroutines, its line program, and the names and files
/// that those lead to.
struct UnitResults {
    private let unit: Unit
    /// Ascending.
    private let wanted: [UInt64]
    private let rangeStarts: [UInt64]
    private(set) var results: [DWARFResult]
    /// For each wanted address its subroutines, innermost first, with what their entries say.
    private var chains: [[(Subroutine, SubroutineDetails)]] = []
    private let names = EntryNames()
    private let splitBuffer = ReadBuffer()
    private var details = ValuesByNumber<SubroutineDetails>()
    private var paths = ValuesByNumber<String?>()
    /// The split unit's calls have the split unit's entries.
    private var callsAreSplit = false
    /// By the address's index: its row is of an inlined function that is not known.
    private var lacksFunction: [Bool]
    /// Details that only some tools print; `nil` unless requested.
    private var detailed: DetailedResults?
    private let needsRowDetails: Bool
    /// Gets the calls of the functions that are found; `nil` unless they are requested.
    private let calls: CollectedCallSites?

    /// - Parameters:
    ///   - wanted: ascending.
    ///   - rangeStarts: for each where the code begins that the unit has around it without a gap;
    ///     zero where that is not known.
    init(_ unit: Unit, wanted: [UInt64], rangeStarts: [UInt64], details: DWARFDetails, calls: CollectedCallSites? = nil) {
        self.calls = calls
        needsRowDetails = details.contains(.rows)
        if !details.isEmpty { detailed = DetailedResults() }
        self.rangeStarts = rangeStarts
        self.unit = unit
        self.wanted = wanted
        results = [DWARFResult](repeating: DWARFResult(), count: wanted.count)
        chains = wanted.map { _ in [] }
        lacksFunction = wanted.map { _ in false }
    }

    /// - Parameters:
    ///   - bytes: the unit, from its header to its end.
    ///   - lineBuffer: where the unit's line program is copied to.
    ///   - split: finds the split unit, if the unit is a skeleton.
    mutating func run(_ bytes: RawSpan, _ lineBuffer: ReadBuffer, _ units: UnitTable, _ split: SplitUnits) {
        do throws(DWARFError) {
            if let found = try split.find(for: unit, bytes) {
                var this = self
                try found.units.withUnit(found.header, splitBuffer, skeleton: unit, contribution: found.contribution) {
                    (splitUnit: Unit, splitBytes: RawSpan) throws(DWARFError) in
                    this.callsAreSplit = true
                    this.findFunctions(of: splitUnit, splitBytes, found.units)
                }
                self = this
            } else {
                findFunctions(of: unit, bytes, units)
            }
        } catch {
            note(error)
            // The skeleton's own entries (clang's `-fsplit-dwarf-inlining`) are better than nothing.
            findFunctions(of: unit, bytes, units)
        }
        addLines(bytes, lineBuffer)
    }

    /// Finds the functions at each address, with what their entries say.
    private mutating func findFunctions(of unit: Unit, _ bytes: RawSpan, _ units: UnitTable) {
        var finder = SubroutineFinder(unit, wanted: wanted)
        do throws(DWARFError) {
            try finder.find(in: bytes)
        } catch {
            note(error)
        }
        if let problem = finder.problem {
            for index in results.indices where finder.chains[index].isEmpty || finder.lacksFunction(index) { note(problem, at: index) }
        }
        lacksFunction = wanted.indices.map { finder.lacksFunction($0) }
        chains = finder.chains.map { chain in
            chain.map { ($0, entryDetails($0, of: unit, bytes, units)) }
        }
        detailed?.readDeclarations(of: finder.chains, unit, bytes, units)
        if let calls {
            let functions = Set(finder.chains.compactMap { $0.last }.filter { !$0.isInlined }.map(\.position))
            calls.read(functionsAt: functions.sorted(), of: unit, bytes, units)
        }
    }

    /// Adds what the line program says: the addresses' rows, and the files of the calls.
    private mutating func addLines(_ bytes: RawSpan, _ lineBuffer: ReadBuffer) {
        do throws(DWARFError) {
            guard let line = try unit.lineContribution() else { return assemble(nil, [], nil, bytes, bytes) }
            var this = self
            try line.withBytes(lineBuffer) { (lineBytes: RawSpan) throws(DWARFError) in
                do throws(ReadError) {
                    var table = try LineTable(lineBytes, addressSize: this.unit.header.addressSize, this.unit.header.byteOrder)
                    var program = LineProgram(table, this.unit, wanted: this.wanted, rangeStarts: this.rangeStarts)
                    do throws(ReadError) {
                        try program.run(lineBytes)
                    } catch {
                        this.note(DWARFError(.line, endingAt: line.range.upperBound, error))
                    }
                    table.addDefinedFiles(of: program.rows.lazy.compactMap { $0?.file }, lineBytes)
                    let details = this.needsRowDetails ? try? table.rowDetails(program.rows, at: this.wanted, lineBytes) : nil
                    this.assemble(table, program.rows, details, lineBytes, bytes)
                } catch {
                    throw DWARFError(.line, endingAt: line.range.upperBound, error)
                }
            }
            self = this
        } catch {
            note(error)
            assemble(nil, [], nil, bytes, bytes)
        }
    }

    private mutating func note(_ error: DWARFError) {
        for index in results.indices { note(error, at: index) }
    }

    private mutating func note(_ error: DWARFError, at index: Int) {
        if results[index].problem == nil { results[index].problem = error }
    }

    /// - Parameter rowDetails: for each address; `nil`: not requested.
    private mutating func assemble(
        _ table: LineTable?, _ rows: [LineRow?], _ rowDetails: [RowDetails]?, _ lineBytes: RawSpan, _ bytes: RawSpan
    ) {
        let directory = unit.string(unit.root.directory, bytes)
        if let table, !callsAreSplit { correctCallFiles(table, lineBytes, bytes) }
        for index in wanted.indices {
            var lacksText = false
            if let table, let row = rows[index], !lacksFunction[index] {
                results[index].location = location(row.file, row.line, row.column, table, directory, lineBytes, bytes)
                results[index].discriminator = row.discriminator
                lacksText = results[index].location == nil
            }
            results[index].functions = chains[index].map { subroutine, entry in
                var callSite: SourceLocation?
                if subroutine.isInlined, let table, let file = entry.callFile {
                    callSite = location(file, entry.callLine ?? 0, entry.callColumn ?? 0, table, directory, lineBytes, bytes)
                }
                return DWARFFunction(
                    name: entry.name, isInlined: subroutine.isInlined, entry: LinkAddress(subroutine.start), callSite: callSite)
            }
            if let table, let detailed {
                let chain = chains[index].map { ($0.0, $0.1.callFile) }
                let row = rowDetails?[index]
                results[index].details = detailed.details(of: chain, rows[index], row, table, directory, unit, lineBytes)
            } else if let detailed {
                results[index].details = detailed.details(of: chains[index].map { $0.0 })
            }
            lacksText = lacksText || results[index].functions.contains { $0.name == nil }
            if lacksText, let problem = unit.sections.textProblem { note(problem, at: index) }
        }
    }

    private mutating func correctCallFiles(_ table: LineTable, _ lineBytes: RawSpan, _ bytes: RawSpan) {
        let calls = chains.lazy.joined().filter(\.0.isInlined).map { (file: $0.1.callFile, line: $0.1.callLine ?? 0) }
        guard var known = CallFiles(calls, table, { unit.string($0, lineBytes) }) else { return }
        known.read(unit, bytes, table, lineBytes)
        for index in chains.indices {
            for level in chains[index].indices {
                guard let file = known.file(at: chains[index][level].0.position) else { continue }
                chains[index][level].1.callFile = file
            }
        }
    }

    private mutating func entryDetails(
        _ subroutine: Subroutine, of unit: Unit, _ bytes: RawSpan, _ units: UnitTable
    ) -> SubroutineDetails {
        if let known = details[subroutine.position] { return known }
        let result = names.details(at: subroutine.position, of: unit, bytes, units)
        details.keep(result, for: subroutine.position)
        return result
    }

    private mutating func location(
        _ file: Int, _ line: Int, _ column: Int, _ table: LineTable, _ directory: String?, _ lineBytes: RawSpan, _ bytes: RawSpan
    ) -> SourceLocation? {
        let path: String?
        if let known = paths[file] {
            path = known
        } else {
            path = table.path(at: file, compilationDirectory: directory) { unit.string($0, lineBytes) }
            paths.keep(path, for: file)
        }
        guard let path else { return nil }
        return SourceLocation(file: path, line: line, column: column)
    }
}

/// Values by a number, for few numbers that come again and again: functions of neighbouring
/// addresses, their files.
///
/// A dictionary costs the first who makes one of its type a search through all conformances of the
/// program, as much as a lookup; so there is none until the numbers are many.
struct ValuesByNumber<Value> {
    private var keys: [Int] = []
    private var values: [Value] = []
    private var indices: [Int: Int]?

    /// Numbers that are searched one by one.
    private static var few: Int { 32 }

    /// The value that was kept for a number; `nil` if none was.
    subscript(key: Int) -> Value? {
        if let indices { return indices[key].map { values[$0] } }
        var index = keys.count
        while index > 0 {
            index -= 1
            if keys[index] == key { return values[index] }
        }
        return nil
    }

    /// Keeps a value for a number that has none.
    mutating func keep(_ value: Value, for key: Int) {
        values.append(value)
        if indices == nil {
            keys.append(key)
            if keys.count > Self.few { indices = Dictionary(keys.enumerated().map { ($1, $0) }) { first, _ in first } }
        } else {
            indices?[key] = values.count - 1
        }
    }
}
