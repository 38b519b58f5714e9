internal import BinaryPrimitives
internal import ObjectFiles

/// Goes through all functions of a file, one unit at a time: for an index, which keeps what is
/// found. (`DWARFReader` resolves single addresses, and reads no more than those need.)
///
/// Memory is that of the largest unit, or of a few where several threads read.
package struct FunctionEnumeration: Sendable {
    private let sections: DWARFSections
    /// `nil` where names are read as texts: of files whose texts are in several files, damaged, or
    /// of 4 GB and more.
    private let keys: NameKeys?

    package init(_ reader: DWARFReader) {
        sections = reader.sections
        let keys = try? NameKeys(reader.sections, first: 1)
        self.keys = keys.flatMap { $0.end <= UInt64(UInt32.max) ? $0 : nil }
    }

    /// The text of a name; `nil` if it cannot be read.
    package func text(_ name: UnitFunctions.Name) -> String? {
        switch name {
        case .text(let text): text
        case .key(let key): keys?.mappedText(key)
        }
    }

    package enum Detail: Sendable {
        /// Only where functions are: the calls, names and lines are not read.
        case extents
        case everything
    }

    /// Gives the units to `body`, ascending by their offsets.
    /// - Parameter isWanted: whether the unit at an offset is wanted; others are not read.
    /// - Returns: what could not be read, in that order. The rest was.
    package func forEachUnit(
        _ detail: Detail, where isWanted: (Int) -> Bool = { _ in true }, _ body: (UnitFunctions) -> Void
    ) -> [DWARFError] {
        forEachUnit(detail, where: isWanted, make: { $0 }, body)
    }

    /// Gives what `make` makes of the units to `body`, ascending by the units' offsets.
    /// - Parameters:
    ///   - isWanted: whether the unit at an offset is wanted; others are not read.
    ///   - make: called by the thread that read the unit.
    /// - Returns: what could not be read, in that order. The rest was.
    package func forEachUnit<Made: Sendable>(
        _ detail: Detail, where isWanted: (Int) -> Bool = { _ in true }, make: @escaping @Sendable (UnitFunctions) -> Made,
        _ body: (Made) -> Void
    ) -> [DWARFError] {
        var problems: [DWARFError] = []
        func append(_ collected: UnitLine<Made>.Collected) {
            problems += collected.problems
            if let made = collected.made { body(made) }
        }
        do throws(DWARFError) {
            let units = try UnitTable(sections)
            let line = UnitLine<Made> { [sections, keys] units in
                let worker = CollectionWorker(sections, detail, keys, units)
                return { worker.collect($0, make) }
            }
            // Line programs that are inflated as they are read pass once, too, where they are not remembered; several threads would not keep
            // their order.
            let isAlone = units.isStreamed && ((try? sections.contents(.line))?.isStreamed ?? false)
            line.forEach(units, isAlone: isAlone, where: { isWanted($0.offset) }, append)
            if let problem = units.problem { problems.append(problem) }
        } catch {
            problems.append(error)
        }
        return problems
    }

    /// The units that resolve some addresses, where several have functions at one.
    /// - Parameter addresses: ascending.
    /// - Returns: for each address the unit's offset; `nil` if no unit covers it.
    package func units(covering addresses: [UInt64]) -> [Int?] {
        guard let units = try? UnitTable(sections) else { return addresses.map { _ in nil } }
        return UnitFinder(sections, units, ReadBuffer()).units(covering: addresses).map { $0 < 0 ? nil : $0 }
    }
}

/// The state of one thread that collects units.
final class CollectionWorker {
    private let sections: DWARFSections
    private let detail: FunctionEnumeration.Detail
    private let keys: NameKeys?
    private let opened: OpenedUnits
    private let split: SplitUnits
    private let (infoBuffer, lineBuffer) = (ReadBuffer(), ReadBuffer())
    private var unitsRead = 0

    /// - Parameter units: those that are read, if they were opened before.
    init(_ sections: DWARFSections, _ detail: FunctionEnumeration.Detail, _ keys: NameKeys?, _ units: UnitTable? = nil) {
        self.sections = sections
        self.detail = detail
        self.keys = keys
        opened = units.map { .table($0) } ?? OpenedUnits(sections)
        split = SplitUnits(of: sections)
    }

    func collect<Made>(_ unit: LoadedUnits<Int>.Unit, _ make: @Sendable (UnitFunctions) -> Made) -> UnitLine<Made>.Collected {
        defer {
            unitsRead += 1
            if unitsRead % 32 == 0 { sections.releasePages() }
        }
        do throws(DWARFError) {
            let units = try opened.get()
            func run(_ unit: Unit, _ bytes: RawSpan) -> UnitCollector {
                let collector = UnitCollector(unit, detail, keys)
                collector.run(bytes, lineBuffer, units, split)
                return collector
            }
            let collector: UnitCollector
            if let buffer = unsafe unit.buffer?.bytes {
                collector = try units.withLoadedUnit(unit.header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in
                    run(unit, bytes)
                }
            } else {
                collector = try units.withUnit(unit.header, infoBuffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in
                    run(unit, bytes)
                }
            }
            return UnitLine<Made>.Collected(made: make(collector.result), problems: collector.problems)
        } catch {
            return UnitLine<Made>.Collected(made: nil, problems: [error])
        }
    }
}

/// Collects one unit. A class, because its parts are filled from inside of closures that lend it
/// bytes.
private final class UnitCollector {
    private let unit: Unit
    private let detail: FunctionEnumeration.Detail
    private let keys: NameKeys?
    private(set) var result: UnitFunctions
    private(set) var problems: [DWARFError] = []
    private var callsAreSplit = false

    init(_ unit: Unit, _ detail: FunctionEnumeration.Detail, _ keys: NameKeys?) {
        self.unit = unit
        self.detail = detail
        self.keys = keys
        result = UnitFunctions(offset: unit.header.offset)
    }

    func run(_ bytes: RawSpan, _ lineBuffer: ReadBuffer, _ units: UnitTable, _ split: SplitUnits) {
        do throws(DWARFError) {
            if let found = try split.find(for: unit, bytes) {
                try found.units.withUnit(found.header, ReadBuffer(), skeleton: unit, contribution: found.contribution) {
                    (splitUnit: Unit, splitBytes: RawSpan) throws(DWARFError) in
                    callsAreSplit = true
                    // The keys are of the linked file's sections.
                    walk(splitUnit, splitBytes, found.units, keys: nil)
                }
            } else {
                walk(unit, bytes, units, keys: keys)
            }
        } catch {
            problems.append(error)
            // The skeleton's own entries (clang's `-fsplit-dwarf-inlining`) are better than nothing.
            walk(unit, bytes, units, keys: keys)
        }
        guard detail == .everything else { return }
        do throws(DWARFError) { try addLines(bytes, lineBuffer) } catch {
            problems.append(error)
            addLocations(nil, [], bytes, bytes)
        }
    }

    private func walk(_ unit: Unit, _ bytes: RawSpan, _ units: UnitTable, keys: NameKeys?) {
        var collector = FunctionCollector(unit, units, readsNames: detail == .everything, keys, result)
        do throws(DWARFError) { try collector.run(bytes) } catch { problems.append(error) }
        if let problem = collector.problem { problems.append(problem) }
        result = collector.result
    }

    private func addLines(_ bytes: RawSpan, _ lineBuffer: ReadBuffer) throws(DWARFError) {
        guard let line = try unit.lineContribution() else { return addLocations(nil, [], bytes, bytes) }
        try line.withBytes(lineBuffer) { (lineBytes: RawSpan) throws(DWARFError) in
            do throws(ReadError) {
                var table = try LineTable(lineBytes, addressSize: unit.header.addressSize, unit.header.byteOrder)
                var coverage = LineCoverage(table, unit)
                do throws(ReadError) { try coverage.run(lineBytes) } catch {
                    problems.append(DWARFError(.line, endingAt: line.range.upperBound, error))
                }
                let pieces = coverage.resolved()
                table.addDefinedFiles(of: pieces.lazy.map(\.row.file), lineBytes)
                addLocations(table, pieces, lineBytes, bytes)
            } catch {
                throw DWARFError(.line, endingAt: line.range.upperBound, error)
            }
        }
    }

    private func correctCallFiles(_ table: LineTable, _ lineBytes: RawSpan, _ bytes: RawSpan) {
        let calls = result.calls.lazy.map { (file: $0.file, line: $0.line) }
        guard var known = CallFiles(calls, table, { unit.string($0, lineBytes) }) else { return }
        known.read(unit, bytes, table, lineBytes)
        for index in result.calls.indices {
            if let file = known.file(at: result.calls[index].position) { result.calls[index].file = file }
        }
    }

    /// Files have the line table's numbers until here.
    private func addLocations(_ table: LineTable?, _ pieces: [LineCoverage.Piece], _ lineBytes: RawSpan, _ bytes: RawSpan) {
        let directory = unit.string(unit.root.directory, bytes)
        var known: [Int: Int?] = [:]
        func file(_ number: Int) -> Int? {
            if let index = known[number] { return index }
            let path = table?.path(at: number, compilationDirectory: directory) { unit.string($0, lineBytes) }
            let index = path == nil ? nil : result.files.count
            if let path { result.files.append(path) }
            known[number] = .some(index)
            return index
        }
        result.lines.reserveCapacity(pieces.count)
        for piece in pieces {
            result.lines.append(
                UnitFunctions.Line(range: piece.range, file: file(piece.row.file), line: piece.row.line, column: piece.row.column))
        }
        if let table, !callsAreSplit { correctCallFiles(table, lineBytes, bytes) }
        for index in result.calls.indices { result.calls[index].file = result.calls[index].file.flatMap { file($0) } }
    }
}
