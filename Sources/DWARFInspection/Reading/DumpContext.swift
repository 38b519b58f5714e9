internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles

/// The units of a file and the sections that they draw on: those of a linked file, or those of a
/// `.dwo` file or package.
///
/// Values are read as they are: indexes, encodings and damaged values are printed unchanged.
final class DumpContext {
    let sections: DumpedSections
    let isSplit: Bool
    let info: SectionBytes
    let types: SectionBytes
    let abbreviations: SectionBytes
    let strings: SectionBytes
    let stringOffsets: SectionBytes
    let lineStrings: SectionBytes
    let lines: SectionBytes
    let addresses: SectionBytes
    /// `.debug_ranges`
    let ranges: SectionBytes
    let rangeLists: SectionBytes
    /// `.debug_loc`
    let locations: SectionBytes
    let locationLists: SectionBytes
    /// Those of `.debug_info`, then those of `.debug_types`.
    private(set) var units: [DumpUnit] = []
    /// How many of `units` are of `.debug_info`.
    private(set) var infoUnitCount = 0
    let report: (String) -> Void
    /// Addresses are given with those that the sections of a relocatable file were given, so that those of two
    /// sections differ.
    var printsRelocated = false
    /// The linked file's units, where a single skeleton has the addresses of this split unit.
    weak var linked: DumpContext?
    let index: PackageIndex?
    /// For the ranges of entries, and for the locations.
    private(set) lazy var rangesAllowance = allowance("ranges", max((linked?.ranges ?? ranges).count, rangeLists.count))
    private(set) lazy var locationsAllowance = allowance("locations", max(locations.count, locationLists.count))
    private var tables = RecentValues<TableKey, Abbreviations>(count: 64)
    private var failedTables: Set<TableKey> = []
    /// Entries of one unit follow one another.
    private var lastTable: (unit: DumpUnit, table: Abbreviations)?

    private struct TableKey: Hashable {
        var offset: UInt64
        var sizes: FormSizes
    }

    private(set) lazy var typeUnits: [UInt64: DumpUnit] = Dictionary(
        units.filter(\.isTypeUnit).map { ($0.typeSignature, $0) }
    ) { _, last in last }

    /// - Parameter report: gets what is damaged, a sentence each.
    init(_ sections: DumpedSections, isSplit: Bool, report: @escaping (String) -> Void) throws(DumpError) {
        self.sections = sections
        self.isSplit = isSplit
        self.report = report
        let suffix = isSplit ? ".dwo" : ""
        // Without these there are no units.
        info = try sections.bytes(".debug_info" + suffix)
        types = try sections.bytes(".debug_types" + suffix)
        abbreviations = try sections.bytes(".debug_abbrev" + suffix)
        let (unitIndex, typeIndex) =
            isSplit ? (try sections.bytes(".debug_cu_index"), try sections.bytes(".debug_tu_index")) : (.none, .none)
        if info.isEmpty { throw DumpError("no debug information: expected a .debug_info\(suffix) section") }
        strings = sections[".debug_str" + suffix]
        stringOffsets = sections[".debug_str_offsets" + suffix]
        lineStrings = sections[".debug_line_str"]
        lines = sections[".debug_line" + suffix]
        addresses = sections[".debug_addr"]
        ranges = sections[".debug_ranges"]
        rangeLists = sections[".debug_rnglists" + suffix]
        locations = sections[".debug_loc" + suffix]
        locationLists = sections[".debug_loclists" + suffix]
        index = PackageIndex(unitIndex, typeIndex)
        InspectionPhase.units.begin()
        for inTypes in [false, true] where !(inTypes ? types : info).isEmpty {
            let (found, problem) = DumpUnit.all(of: inTypes ? types : info, inTypes: inTypes, index)
            units += found
            if !inTypes { infoUnitCount = found.count }
            if let problem { report(problem) }
        }
    }

    /// The same for another thread: the bytes are shared, and what is read of them is its own.
    init(sharing other: DumpContext, report: @escaping (String) -> Void) {
        sections = other.sections
        isSplit = other.isSplit
        self.report = report
        info = other.info
        types = other.types
        abbreviations = other.abbreviations
        strings = other.strings
        stringOffsets = other.stringOffsets
        lineStrings = other.lineStrings
        lines = other.lines
        addresses = other.addresses
        ranges = other.ranges
        rangeLists = other.rangeLists
        locations = other.locations
        locationLists = other.locationLists
        index = other.index
        printsRelocated = other.printsRelocated
        linked = other.linked
        units = other.units.map { DumpUnit(sharing: $0) }
        infoUnitCount = other.infoUnitCount
    }

    private func allowance(_ what: String, _ size: Int) -> ListAllowance {
        let factor = Limits.standard.listReading
        return ListAllowance(size, factor: factor) { [report] in
            report(
                "entries share lists of \(what): when \(factor) times the bytes of all lists were read, those of further entries were left out"
            )
        }
    }

    /// How much of lists was read so far.
    var listsRead: ListsRead { ListsRead(ranges: rangesAllowance.spent, locations: locationsAllowance.spent) }

    /// Whether all lists could be read, where that much of them was.
    func allows(_ read: ListsRead) -> Bool { rangesAllowance.allows(read.ranges) && locationsAllowance.allows(read.locations) }

    /// Goes on as if that much had been read, and nothing reported.
    func startLists(after read: ListsRead) {
        rangesAllowance.start(after: read.ranges)
        locationsAllowance.start(after: read.locations)
        failedTables.removeAll()
    }

    var infoUnits: ArraySlice<DumpUnit> { units[..<infoUnitCount] }
    var typesUnits: ArraySlice<DumpUnit> { units[infoUnitCount...] }

    /// The section that a unit is in.
    func section(of unit: DumpUnit) -> SectionBytes { unit.isInTypes ? types : info }

    /// The unit of `.debug_info` that an offset is in.
    func unit(containing offset: Int) -> DumpUnit? {
        let low = (0..<infoUnitCount).partitionPoint { units[$0].end > offset }
        return low < infoUnitCount && units[low].offset <= offset ? units[low] : nil
    }

    /// The abbreviations of a unit; `nil` where they cannot be read.
    func abbreviations(of unit: DumpUnit) -> Abbreviations? {
        if let last = lastTable, last.unit === unit { return last.table }
        let key = TableKey(offset: unit.abbreviationsOffset, sizes: unit.sizes)
        if let table = tables.value(for: key) {
            lastTable = (unit, table)
            return table
        }
        guard !failedTables.contains(key) else { return nil }
        do throws(DumpError) {
            let table = try Abbreviations(at: key.offset, of: abbreviations, key.sizes)
            tables.insert(table, for: key)
            return table
        } catch {
            report(error.problem)
            if failedTables.count < 4096 { failedTables.insert(key) }
            return nil
        }
    }

    /// A unit's part of another section in a package; `nil` where there is no index.
    func contribution(to unit: DumpUnit, _ kind: PackageIndex.Kind) -> Range<UInt64>? {
        index?.contribution(to: unit, kind)
    }

    /// The entry at an offset of a unit's section.
    /// - Returns: `nil` for a null entry, outside the unit, and where no abbreviation has its code.
    func entry(at offset: Int, in unit: DumpUnit) -> DumpEntry? {
        guard offset >= unit.root, offset < unit.end, let table = abbreviations(of: unit) else { return nil }
        var cursor = section(of: unit).cursor(at: offset)
        let code = cursor.uleb()
        guard code != 0, !cursor.isPastEnd, let abbreviation = table[code] else { return nil }
        return DumpEntry(unit: unit, offset: offset, abbreviation: abbreviation, values: cursor.position)
    }

    /// The bases of a unit's root entry, read once.
    func bases(of unit: DumpUnit) -> DumpBases {
        if let bases = unit.bases { return bases }
        var bases = DumpBases()
        // A header's size; the tables of a split unit have no base that gives it (DWARF 5, section
        // 7.28).
        let header: UInt64 = unit.offsetSize == 8 ? 20 : 12
        if isSplit {
            bases.rangeLists = header &+ (contribution(to: unit, .rangeLists)?.lowerBound ?? 0)
            bases.locationLists = header
            let strings = contribution(to: unit, .stringOffsets)
            let first = unit.version >= 5 ? UInt64(unit.offsetSize == 8 ? 16 : 8) : 0
            if !stringOffsets.isEmpty { bases.stringOffsets = ((strings?.lowerBound ?? 0) &+ first, unit.offsetSize) }
        } else {
            bases.rangeLists = header
        }
        // While it is read, its own values need the tables' bases: those first.
        unit.bases = bases
        guard let root = entry(at: unit.root, in: unit) else { return bases }
        if !isSplit {
            let find = { (attribute: UInt16) in self.value(attribute, of: root)?.sectionOffset }
            bases.addressTable = find(Attribute.addrBase) ?? find(Attribute.gnuAddrBase)
            if let base = find(Attribute.rnglistsBase) { bases.rangeLists = base }
            bases.locationLists = find(Attribute.loclistsBase) ?? 0
            if unit.version >= 5, let base = find(Attribute.strOffsetsBase) { bases.stringOffsets = stringTable(base, unit) }
        }
        unit.bases = bases
        if unit.version < 5, let id = value(Attribute.gnuDwoID, of: root)?.unsignedConstant { unit.dwoID = id }
        bases.address = (value(Attribute.lowPC, of: root) ?? value(Attribute.entryPC, of: root)).flatMap { address($0) }
        bases.lineTable = value(Attribute.stmtList, of: root)?.sectionOffset
        bases.language = value(Attribute.language, of: root)?.unsignedConstant
        bases.compilationDirectory = value(Attribute.compDir, of: root).flatMap { string($0) }?.bytes
        if let skeleton = unit.skeleton, let linked { bases.address = linked.bases(of: skeleton).address }
        if unit.version < 5 { bases.ranges = value(Attribute.gnuRangesBase, of: root)?.sectionOffset ?? 0 }
        unit.bases = bases
        return bases
    }

    /// The unit's table of string offsets: its header comes before the base (DWARF 5, section
    /// 7.26).
    private func stringTable(_ base: UInt64, _ unit: DumpUnit) -> (start: UInt64, size: Int)? {
        guard base <= UInt64(stringOffsets.count) else { return nil }
        // The 64-bit format's length begins with -1, sixteen bytes before the base.
        let isLong = unit.offsetSize == 8 && stringOffsets.number(at: Int(base) - 16, size: 4) == 0xffff_ffff
        return (base, isLong ? 8 : 4)
    }
}

/// An entry, before its values are read.
struct DumpEntry {
    let unit: DumpUnit
    /// In its section.
    let offset: Int
    let abbreviation: DumpAbbreviation
    /// Offset of its values.
    let values: Int

    var tag: UInt16 { abbreviation.tag }
}
