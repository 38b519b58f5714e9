internal import BinaryPrimitives
internal import ObjectFiles

/// The addresses that one unit resolves.
struct UnitGroup: Sendable {
    /// The unit's offset in `.debug_info`.
    let unit: Int
    /// Among all wanted addresses.
    private(set) var indices: [Int] = []
    /// Ascending.
    private(set) var wanted: [UInt64] = []
    /// For each where the code begins that the unit has around it without a gap; zero where that is
    /// not known.
    private(set) var rangeStarts: [UInt64] = []

    /// The wanted addresses by the unit that covers them, ascending by its offset.
    /// - Parameter isRequested: whether the address with that index is requested.
    static func groups(_ wanted: [UInt64], _ coverage: UnitFinder.Coverage, where isRequested: (Int) -> Bool = { _ in true }) -> [UnitGroup]
    {
        let covered = wanted.indices.filter { coverage.units[$0] >= 0 && isRequested($0) }
        var groups: [UnitGroup] = []
        for index in covered.sorted(by: { (coverage.units[$0], $0) < (coverage.units[$1], $1) }) {
            if groups.last?.unit != coverage.units[index] { groups.append(UnitGroup(unit: coverage.units[index])) }
            groups[groups.count - 1].indices.append(index)
            groups[groups.count - 1].wanted.append(wanted[index])
            groups[groups.count - 1].rangeStarts.append(coverage.starts[index])
        }
        return groups
    }

    private init(unit: Int) { self.unit = unit }
}

/// The state of one thread that reads units.
final class UnitWorker {
    private let opened: OpenedUnits
    private let infoBuffer = ReadBuffer()
    private let lineBuffer = ReadBuffer()
    private let split: SplitUnits
    private let sections: DWARFSections
    private let details: DWARFDetails
    private let calls: CollectedCallSites?
    private lazy var collected = sections.collectedRanges()
    /// Addresses resolved since the mapping's pages were given back.
    private var answered = 0
    /// Addresses, range lists and abbreviations are read through the mapping, here and there: each
    /// may make some 64 KB of a section resident. When they were given back after 16 addresses,
    /// that and the faults after it were 14 % of the samples of 1,000 addresses of libjvm.
    private static let answersKept = 64

    init(_ sections: DWARFSections, details: DWARFDetails = .none, calls: CollectedCallSites? = nil) {
        self.sections = sections
        self.details = details
        self.calls = calls
        opened = OpenedUnits(sections)
        split = SplitUnits(of: sections)
    }

    var units: UnitTable { get throws(DWARFError) { try opened.get() } }

    /// - Returns: one result for each of the group's addresses.
    func results(_ group: UnitGroup) -> [DWARFResult] {
        results(group) { (units: UnitTable, body: (Unit, RawSpan) -> [DWARFResult]) throws(DWARFError) in
            try units.withUnit(try units.header(at: group.unit), infoBuffer, body)
        }
    }

    /// The results from a unit that was loaded.
    func loadedResults(_ group: UnitGroup, _ header: UnitHeader, _ buffer: ReadBuffer) -> [DWARFResult] {
        results(group) { (units: UnitTable, body: (Unit, RawSpan) -> [DWARFResult]) throws(DWARFError) in
            try units.withLoadedUnit(header, buffer, body)
        }
    }

    /// Looks for addresses in the root entry of a unit that was loaded as a whole or in part.
    func loadedHead(_ header: UnitHeader, _ buffer: ReadBuffer, _ addresses: [UInt64]) -> UnitHead {
        do throws(DWARFError) {
            let units = try units
            let unit = if let unit = units.loadedHead(header, buffer) { unit } else { try units.unitHead(header) }
            return UnitHead(unit, addresses, &collected)
        } catch {
            return .covers([], error)
        }
    }

    private func results(
        _ group: UnitGroup, _ read: (UnitTable, (Unit, RawSpan) -> [DWARFResult]) throws(DWARFError) -> [DWARFResult]
    ) -> [DWARFResult] {
        var results: [DWARFResult]
        do throws(DWARFError) {
            let units = try units
            results = try read(units) { unit, bytes in
                var work = UnitResults(unit, wanted: group.wanted, rangeStarts: group.rangeStarts, details: details, calls: calls)
                work.run(bytes, lineBuffer, units, split)
                return work.results
            }
            for index in results.indices { results[index].unit = group.unit }
            answered += results.count
            if answered >= Self.answersKept {
                answered = 0
                sections.file.releasePages()
            }
        } catch {
            results = [DWARFResult](repeating: DWARFResult(), count: group.wanted.count)
            for index in results.indices { results[index].problem = error }
        }
        return results
    }
}
