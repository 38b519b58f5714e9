internal import BinaryPrimitives
internal import ObjectFiles

/// Collects what units say about all their addresses: for an index, which keeps it. (`DWARFReader`
/// resolves some addresses.)
///
/// Used by one task; what it holds is that of the largest unit, and the paths of all.
package struct WholeUnitCollector {
    private let units: UnitTable
    private let keys: NameKeys
    private let infoBuffer = ReadBuffer()
    private let lineBuffer = ReadBuffer()
    private var collector: SubroutineCollector
    private var segments = SubroutineSegments()
    private var lines = LineCollector()
    /// Bytes of entries that were read since pages were given back.
    private var bytesRead = 0
    private static let bytesUntilRelease = 4 << 20
    /// The paths of all units that were collected.
    package private(set) var paths = CollectedPaths()
    /// The names of all units that were collected, as far as they are in entries themselves.
    package private(set) var texts = EntryTexts()
    /// For each number of the last unit's file table, as far as it is used: the index of its path
    /// in `paths`. -2 where it is not used, -1 without a path.
    package private(set) var files: [Int32] = []
    private let readsCalls: Bool
    /// The calls of the last unit, if they are read; they name functions of other units nowhere.
    package private(set) var calls: CallSiteEntries?

    /// - Parameter readsCalls: whether `calls` are wanted.
    package init(_ reader: DWARFReader, _ keys: NameKeys, readsCalls: Bool) throws(DWARFError) {
        self.readsCalls = readsCalls
        units = try UnitTable(reader.sections)
        collector = SubroutineCollector(keys)
        self.keys = keys
    }

    package var subroutines: [CollectedSubroutine] { collector.subroutines }
    /// Ascending; each reaches to the next one's start.
    package var segmentStarts: [UInt64] { segments.starts }
    /// For each segment the innermost subroutine; -1 where there is none.
    package var segmentSubroutines: [Int32] { segments.subroutines }
    /// Ascending; each reaches to the next one's start.
    package var rowStarts: [UInt64] { lines.addresses }
    /// For each row start the row (`PackedRow`).
    package var rows: [UInt64] { lines.rows }
    /// For each row start which block of its line the row is of; zero: not given.
    package var discriminators: [UInt32] { lines.discriminators }

    /// Collects a unit.
    /// - Throws: `DWARFError` if anything of it cannot be read.
    package mutating func collect(_ unit: OwnedUnit) throws(DWARFError) {
        let (header, wanted) = (unit.loaded.header, unit.ranges)
        if let buffer = unsafe unit.loaded.buffer?.bytes {
            try units.withLoadedUnit(header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in try run(unit, bytes, wanted) }
        } else {
            try units.withUnit(header, infoBuffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in try run(unit, bytes, wanted) }
        }
        if let problem = units.problem { throw problem }
        bytesRead += header.end - header.offset
        if bytesRead >= Self.bytesUntilRelease {
            bytesRead = 0
            units.sections.releasePages()
        }
    }

    private mutating func run(_ unit: Unit, _ bytes: RawSpan, _ wanted: [Range<UInt64>]) throws(DWARFError) {
        lines.removeAll()
        files.removeAll(keepingCapacity: true)
        guard let line = try unit.lineContribution() else { return try walk(unit, bytes, wanted) }
        let directory = unit.string(unit.root.directory, bytes)
        // Read first: where the line programs are inflated as they are read, the units' order is
        // theirs.
        try line.withBytes(lineBuffer) { (lineBytes: RawSpan) throws(DWARFError) in
            try walk(unit, bytes, wanted)
            do throws(ReadError) {
                var table = try LineTable(lineBytes, addressSize: unit.header.addressSize, unit.header.byteOrder)
                try lines.run(table, unit, lineBytes, wanted: wanted)
                table.addDefinedFiles(of: lines.rows.lazy.filter { $0 != PackedRow.none }.map(PackedRow.file), lineBytes)
                correctCallFiles(unit, bytes, table, lineBytes)
                findFiles(table, unit, lineBytes, directory)
            } catch {
                throw DWARFError(.line, endingAt: line.range.upperBound, error)
            }
        }
    }

    private mutating func walk(_ unit: Unit, _ bytes: RawSpan, _ wanted: [Range<UInt64>]) throws(DWARFError) {
        calls = try collector.run(unit, bytes, units, wanted: wanted, readsCalls: readsCalls)
        segments.run(collector.starts, collector.ends, collector.owners)
        for subroutine in collector.subroutines where keys.isInEntries(subroutine.name) { texts.keep(subroutine.name, keys, unit, bytes) }
    }

    private mutating func correctCallFiles(_ unit: Unit, _ bytes: RawSpan, _ table: LineTable, _ lineBytes: RawSpan) {
        let calls = collector.subroutines.lazy.filter(\.isInlined).map { (file: $0.callFile.map { Int($0) }, line: Int($0.callLine)) }
        guard var known = CallFiles(calls, table, { unit.string($0, lineBytes) }) else { return }
        known.read(unit, bytes, table, lineBytes)
        collector.correct(known)
    }

    private mutating func findFiles(_ table: LineTable, _ unit: Unit, _ lineBytes: RawSpan, _ directory: String?) {
        files.append(contentsOf: repeatElement(-2, count: table.files.count + 1))
        var last = -1
        for row in lines.rows where row != PackedRow.none {
            let number = PackedRow.file(row)
            if number == last { continue }
            last = number
            if files.indices.contains(number), files[number] == -2 { files[number] = -1 }
        }
        for subroutine in collector.subroutines {
            guard let number = subroutine.callFile.map({ Int($0) }) else { continue }
            if files.indices.contains(number), files[number] == -2 { files[number] = -1 }
        }
        for number in files.indices where files[number] == -1 {
            files[number] = paths.index(of: number, table, unit, lineBytes, directory: directory)
        }
    }
}
