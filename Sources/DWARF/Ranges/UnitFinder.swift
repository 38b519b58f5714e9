internal import BinaryPrimitives
internal import ObjectFiles
internal import Synchronization

/// Why a unit resolves an address. Where several units claim one, the first rank counts, and in it
/// the unit with the least offset.
///
/// `.debug_aranges` gives the unit at once, where it is and where it is complete. Compilers leave
/// units out of it (clang writes none, assemblers write their own), and nothing is missed because a
/// table was partial.
enum ClaimRank: UInt64 {
    /// `.debug_aranges` names the unit.
    case addressTable
    /// The ranges of its root entry cover the address, and `.debug_aranges` does not describe it.
    case undescribedRoot
    /// The same of a unit that `.debug_aranges` describes.
    case describedRoot
    /// Its root entry says no ranges, and one of its functions covers the address.
    case functions
    /// One of its functions covers the address, whatever its root entry says (`UnclaimedFunctions`).
    case unclaimedFunctions
    /// Its line table has a row of the address, which no unit covers (`UnclaimedRows`).
    case unclaimedRows

    static func root(isDescribed: Bool) -> Self { isDescribed ? .describedRoot : .undescribedRoot }

    /// A number that is less for a claim that goes before.
    /// - Parameter unit: its offset in `.debug_info`.
    func order(of unit: Int) -> UInt64 { rawValue << 60 | UInt64(unit) }
}

/// Finds the unit that covers each of some addresses: rank by rank (`ClaimRank`), as long as any
/// address is left, so that most lookups read the address table only.
struct UnitFinder {
    private let sections: DWARFSections
    private let table: UnitTable
    private let buffer: ReadBuffer

    init(_ sections: DWARFSections, _ table: UnitTable, _ buffer: ReadBuffer) {
        self.sections = sections
        self.table = table
        self.buffer = buffer
    }

    /// Which units cover some addresses.
    struct Coverage {
        /// For each address the offset of a unit in `.debug_info`; -1 if no unit covers it.
        var units: [Int]
        /// For each address where the code begins that the unit has around it without a gap; zero
        /// where that is not known.
        var starts: [UInt64]
    }

    /// - Parameter wanted: addresses, ascending.
    /// - Returns: for each address the offset of a unit in `.debug_info`; -1 if no unit covers it.
    func units(covering wanted: [UInt64]) -> [Int] { coverage(of: wanted).units }

    /// - Parameter wanted: addresses, ascending.
    func coverage(of wanted: [UInt64]) -> Coverage { coverage(of: wanted, Aranges(sections, wanted: wanted, buffer)) }

    /// - Parameter aranges: what the address table has of `wanted`.
    func coverage(of wanted: [UInt64], _ aranges: Aranges) -> Coverage {
        let found = Coverage(units: aranges.units, starts: aranges.starts)
        return found.units.contains(-1) ? completed(found, aranges.described, of: wanted) : found
    }

    /// Looks for the addresses that the address table does not have, in units that are read for them.
    func completed(_ coverage: Coverage, _ described: DescribedUnits, of wanted: [UInt64]) -> Coverage {
        var found = coverage
        let missing = Missing(found, wanted)
        guard let read = headsReadWithHeaders(described, missing.addresses) else {
            return completed(coverage, described, of: wanted) { heads(of: $0, $1) }
        }
        found.add(read, missing)
        if found.isIncomplete { search(after: read, described, wanted, &found) { heads(of: $0, $1) } }
        return found
    }

    /// Looks for the addresses that the address table does not have.
    /// - Parameters:
    ///   - described: the units that the address table has.
    ///   - heads: gives what units' root entries say about some addresses, one head for each unit.
    func completed(
        _ coverage: Coverage, _ described: DescribedUnits, of wanted: [UInt64], _ heads: ([UnitHeader], [UInt64]) -> [UnitHead]
    ) -> Coverage {
        var found = coverage
        guard found.isIncomplete else { return found }
        let read = searchRoots(.undescribedRoot, described, wanted, &found, heads)
        search(after: read, described, wanted, &found, heads)
        return found
    }

    /// Looks for addresses that no undescribed unit covers by its root entry.
    /// - Parameter undescribed: the root entries of these units.
    private func search(
        after undescribed: HeadsInOrder, _ described: DescribedUnits, _ wanted: [UInt64], _ found: inout Coverage,
        _ heads: ([UnitHeader], [UInt64]) -> [UnitHead]
    ) {
        if found.isIncomplete, !described.ascending.isEmpty { _ = searchRoots(.describedRoot, described, wanted, &found, heads) }
        searchFunctions(of: undescribed.silent, wanted, &found)
        if found.isIncomplete { searchUnclaimed(wanted, &found) }
        if found.isIncomplete { searchRows(wanted, &found) }
    }

    /// Looks for addresses in the root entries of one rank.
    private func searchRoots(
        _ rank: ClaimRank, _ described: DescribedUnits, _ wanted: [UInt64], _ found: inout Coverage,
        _ heads: ([UnitHeader], [UInt64]) -> [UnitHead]
    ) -> HeadsInOrder {
        let some = table.allHeaders().filter { $0.coversCode && ClaimRank.root(isDescribed: described.contains($0.offset)) == rank }
        let missing = Missing(found, wanted)
        var read = HeadsInOrder(missing.addresses)
        _ = read.add(heads(some, missing.addresses), of: some, number: 0)
        if let problem = read.problem { table.note(problem) }
        found.add(read, missing)
        return read
    }

    /// All units that may have functions.
    private var unitsWithCode: [UnitHeader] { table.allHeaders().filter(\.coversCode) }

    /// Several root entries at once, because `Parallel` has no code for units of its own: for each element that it hands on it allocates, and a
    /// program of swiftc has 15,000 of them.
    private static let headsAtOnce = 32

    private func runs(of headers: [UnitHeader]) -> [ArraySlice<UnitHeader>] {
        stride(from: 0, to: headers.count, by: Self.headsAtOnce).map { headers[$0..<min(headers.count, $0 + Self.headsAtOnce)] }
    }

    private func heads(of headers: [UnitHeader], _ addresses: [UInt64]) -> [UnitHead] {
        let sections = sections
        let heads = Parallel.map(runs(of: headers), minPerThread: 2, state: { HeadReader(sections) }) { reader, run in
            run.map { reader.head($0, addresses) }
        }
        return heads.flatMap { $0 }
    }

    /// Reads the units' headers on one thread, and meanwhile on others the root entries of the units that the address table does not
    /// describe, until all addresses are covered: a later unit claims none of them. In a program of swiftc or clang these are all units,
    /// 15,000, of which one address needs half on average.
    /// - Parameter addresses: ascending.
    /// - Returns: `nil` where it is not worthwhile, or the headers are known.
    private func headsReadWithHeaders(_ described: DescribedUnits, _ addresses: [UInt64]) -> HeadsInOrder? {
        guard !table.isStreamed, !table.knowsHeaders, table.size >= Self.minPipelinedBytes else { return nil }
        let sections = sections
        let queue = WorkQueue<(number: Int, headers: [UnitHeader])>(maxWeight: .max)
        let headers = Mutex<(known: [UnitHeader], problem: DWARFError?)?>(nil)
        let heads = Mutex(HeadsInOrder(addresses))
        let isDone = Atomic(false)
        let isBegun = Atomic(false)
        Parallel.run(onThreads: Parallel.processors) {
            let reader = HeadReader(sections)
            func read(_ run: (number: Int, headers: [UnitHeader])) {
                let read = run.headers.map { reader.head($0, addresses) }
                if heads.withLock({ $0.add(read, of: run.headers, number: run.number) }) { isDone.store(true, ordering: .relaxed) }
            }
            if !isBegun.exchange(true, ordering: .relaxed) {
                defer { queue.close() }
                var number = 0
                let known = Self.readHeaders(sections, described, while: { !isDone.load(ordering: .relaxed) }) { run in
                    // With one processor, nobody else reads them.
                    if Parallel.processors == 1 { read((number, run)) } else { _ = queue.add((number, run), weight: 0) }
                    number += 1
                }
                headers.withLock { $0 = known }
            }
            while !isDone.load(ordering: .relaxed), let run = queue.next() { read(run) }
        }
        let found = heads.withLock { $0 }
        guard !found.coverAll else { return found }
        guard let (known, problem) = headers.withLock({ $0 }) else { return nil }
        table.adopt(known)
        if let problem = problem ?? found.problem { table.note(problem) }
        return found
    }

    /// Size of `.debug_info` from which the headers take longer than a thread needs to begin.
    private static let minPipelinedBytes = 1 << 20

    /// Reads the headers of all units, and gives those of undescribed ones to `body` in runs.
    /// - Parameter isWanted: whether further headers are needed.
    private static func readHeaders(
        _ sections: DWARFSections, _ described: DescribedUnits, while isWanted: () -> Bool, _ body: ([UnitHeader]) -> Void
    ) -> (known: [UnitHeader], problem: DWARFError?)? {
        guard let table = try? UnitTable(sections) else { return nil }
        var run: [UnitHeader] = []
        table.forEachHeader { header in
            if header.coversCode, !described.contains(header.offset) { run.append(header) }
            if run.count == headsAtOnce {
                body(run)
                run = []
            }
            return isWanted()
        }
        body(run)
        return (table.headers, table.problem)
    }

    /// Looks for addresses that no unit covers in the units' functions.
    private func searchUnclaimed(_ wanted: [UInt64], _ found: inout Coverage) {
        guard let unclaimed = UnclaimedFunctions(table, buffer) else { return }
        let addresses = unclaimed.named(Missing(found, wanted).addresses)
        if addresses.isEmpty { return }
        func isWanted(_ range: Range<UInt64>) -> Bool {
            let index = addresses.firstIndex(notBelow: range.lowerBound)
            return index < addresses.count && range.contains(addresses[index])
        }
        for (range, unit) in unclaimed.ranges(of: unitsWithCode, where: isWanted) {
            var index = wanted.firstIndex(notBelow: range.lowerBound)
            while index < wanted.count, range.contains(wanted[index]) {
                if found.units[index] < 0 { found.units[index] = unit }
                index += 1
            }
        }
    }

    /// Looks for addresses that no unit and no function covers in the line tables.
    private func searchRows(_ wanted: [UInt64], _ found: inout Coverage) {
        let missing = Missing(found, wanted)
        let units = UnclaimedRows(table, buffer).units(of: missing.addresses, unitsWithCode)
        for (index, unit) in zip(missing.indices, units) { if let unit { found.units[index] = unit } }
    }

    /// Units that do not state what they cover: only their functions do.
    private func searchFunctions(of headers: [UnitHeader], _ wanted: [UInt64], _ found: inout Coverage) {
        let missing = Missing(found, wanted)
        guard !missing.indices.isEmpty, !headers.isEmpty else { return }
        let (sections, addresses) = (sections, missing.addresses)
        // A section that is inflated as it is read is read in the units' order.
        let minRuns = table.isStreamed ? Int.max : 1
        let read = Parallel.map(runs(of: headers), minPerThread: minRuns, state: { OpenedUnits(sections) }) { units, run in
            let buffer = ReadBuffer()
            return run.map { header -> (covered: [Int], problem: DWARFError?) in
                do throws(DWARFError) { return (try Self.functions(covering: addresses, header, try units.get(), buffer), nil) } catch {
                    return ([], error)
                }
            }
        }
        for (header, (covered, problem)) in zip(headers, read.flatMap { $0 }) {
            if let problem { table.note(problem) }
            for index in covered.map({ missing.indices[$0] }) where found.units[index] < 0 { found.units[index] = header.offset }
        }
    }

    /// - Returns: the indices of the addresses that a function of a unit covers.
    private static func functions(
        covering addresses: [UInt64], _ header: UnitHeader, _ table: UnitTable, _ buffer: ReadBuffer
    ) throws(DWARFError) -> [Int] {
        guard table.declaresCode(header) else { return [] }
        return try table.withUnit(header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) -> [Int] in
            var finder = SubroutineFinder(unit, wanted: addresses)
            try finder.find(in: bytes)
            return finder.chains.indices.filter { !finder.chains[$0].isEmpty }
        }
    }
}

extension UnitFinder.Coverage {
    /// Some addresses are not covered.
    fileprivate var isIncomplete: Bool { units.contains(-1) }

    fileprivate mutating func add(_ heads: HeadsInOrder, _ missing: Missing) {
        for (index, claim) in zip(missing.indices, heads.claims) { (units[index], starts[index]) = (claim.unit, claim.start) }
    }
}

/// The addresses that are not covered.
private struct Missing {
    /// Indices in the array of all addresses.
    let indices: [Int]
    /// Ascending.
    let addresses: [UInt64]

    init(_ coverage: UnitFinder.Coverage, _ wanted: [UInt64]) {
        indices = wanted.indices.filter { coverage.units[$0] < 0 }
        addresses = indices.map { wanted[$0] }
    }
}

/// The first units whose root entries cover some addresses. Several threads read the entries, in runs; a run is evaluated after all runs
/// before it.
private struct HeadsInOrder: Sendable {
    /// For each address the first unit that covers it; -1: none so far.
    private(set) var claims: [(unit: Int, start: UInt64)]
    /// The units that do not state what they cover.
    private(set) var silent: [UnitHeader] = []
    /// Why a root entry could not be read: the first reason.
    private(set) var problem: DWARFError?
    private let addresses: [UInt64]
    private var missing: Int
    /// Runs that were read before an earlier run, by their numbers.
    private var waiting: [Int: (headers: [UnitHeader], heads: [UnitHead])] = [:]
    private var next = 0

    /// - Parameter addresses: ascending.
    init(_ addresses: [UInt64]) {
        self.addresses = addresses
        claims = addresses.map { _ in (-1, 0) }
        missing = addresses.count
    }

    /// All addresses are covered.
    var coverAll: Bool { missing == 0 }

    /// Adds the results of a run of root entries.
    /// - Returns: whether all addresses are covered, so that no other root entry counts.
    mutating func add(_ heads: [UnitHead], of headers: [UnitHeader], number: Int) -> Bool {
        waiting[number] = (headers, heads)
        while !coverAll, let run = waiting.removeValue(forKey: next) {
            next += 1
            for (header, head) in zip(run.headers, run.heads) {
                switch head {
                case .covers(let covered, let problem):
                    self.problem = self.problem ?? problem
                    for (address, start) in covered { claim(address, header.offset, start) }
                case .silent: silent.append(header)
                case .empty: break
                }
            }
        }
        return coverAll
    }

    private mutating func claim(_ address: UInt64, _ unit: Int, _ start: UInt64) {
        var index = addresses.firstIndex(notBelow: address)
        while index < addresses.count, addresses[index] == address {
            if claims[index].unit < 0 {
                claims[index] = (unit, start)
                missing -= 1
            }
            index += 1
        }
    }
}

/// Result of looking for addresses in a unit's root entry.
enum UnitHead: Sendable {
    /// Which of them the unit covers, with where the code begins that it has around each without a
    /// gap; and what could not be read.
    case covers([(address: UInt64, start: UInt64)], DWARFError?)
    /// The unit does not state what it covers, and its functions may.
    case silent
    /// It has no functions.
    case empty

    /// - Parameters:
    ///   - addresses: ascending.
    ///   - collected: empty, and used again.
    init(_ unit: Unit, _ addresses: [UInt64], _ collected: inout CollectedRanges) {
        guard unit.hasRanges else {
            self = unit.root.hasChildren ? .silent : .empty
            return
        }
        collected.removeAll()
        var problem: DWARFError?
        do throws(DWARFError) {
            try unit.withRangeTables { (lists: RawSpan, table: RawSpan) throws(DWARFError) in
                let root = unit.root
                try unit.appendRanges(low: root.lowPC, high: root.highPC, ranges: root.ranges, lists, table, to: &collected)
            }
        } catch {
            problem = error
        }
        var covered: [(address: UInt64, start: UInt64)] = []
        var joined = JoinedRanges()
        for range in collected.ranges {
            let start = joined.start(of: range.start..<range.end)
            var index = addresses.firstIndex(notBelow: range.start)
            while index < addresses.count, addresses[index] < range.end {
                covered.append((addresses[index], start))
                index += 1
            }
        }
        self = .covers(covered, problem)
    }
}

/// Reads root entries, for one thread.
private final class HeadReader {
    /// Entries of range lists after which their pages are given back. An entry has some four to ten
    /// bytes, and those that give addresses by their numbers lead to eight more, which are among
    /// those of everything else in the unit.
    private static let entriesKept = 1 << 13
    private let opened: OpenedUnits
    private let file: MappedFile
    private var collected: CollectedRanges

    init(_ sections: DWARFSections) {
        opened = OpenedUnits(sections)
        file = sections.file
        collected = sections.collectedRanges()
    }

    func head(_ header: UnitHeader, _ addresses: [UInt64]) -> UnitHead {
        // Range lists are read through the mapping, and none is needed twice.
        if collected.entriesRead > Self.entriesKept {
            collected.forgetEntries()
            file.releasePages()
        }
        do throws(DWARFError) { return UnitHead(try opened.get().unitHead(header), addresses, &collected) } catch {
            return .covers([], error)
        }
    }
}
