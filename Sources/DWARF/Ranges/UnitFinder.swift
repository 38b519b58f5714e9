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
        let missing = wanted.indices.filter { coverage.units[$0] < 0 }.map { wanted[$0] }
        var early = headsReadWithHeaders(described, missing)
        return completed(coverage, described, of: wanted) { headers, addresses in
            // The first ones that are asked for are those of undescribed units.
            guard let known = early.take(), known.count == headers.count else { return heads(of: headers, addresses) }
            return known
        }
    }

    /// Looks for the addresses that the address table does not have.
    /// - Parameters:
    ///   - described: the units that the address table has.
    ///   - heads: gives what units' root entries say about some addresses, one head for each unit.
    func completed(
        _ coverage: Coverage, _ described: DescribedUnits, of wanted: [UInt64], _ heads: ([UnitHeader], [UInt64]) -> [UnitHead]
    ) -> Coverage {
        var found = coverage
        let headers = table.allHeaders()
        var silent: [UnitHeader] = []
        for rank in [ClaimRank.undescribedRoot, .describedRoot] where found.units.contains(-1) {
            let some = headers.filter { $0.coversCode && ClaimRank.root(isDescribed: described.contains($0.offset)) == rank }
            let missing = wanted.indices.filter { found.units[$0] < 0 }
            for (header, head) in zip(some, heads(some, missing.map { wanted[$0] })) {
                switch head {
                case .covers(let covered, let problem):
                    if let problem { table.note(problem) }
                    for (address, start) in covered {
                        var index = wanted.firstIndex(notBelow: address)
                        while index < wanted.count, wanted[index] == address {
                            if found.units[index] < 0 { (found.units[index], found.starts[index]) = (header.offset, start) }
                            index += 1
                        }
                    }
                case .silent: if rank == .undescribedRoot { silent.append(header) }
                case .empty: break
                }
            }
        }
        searchFunctions(of: silent, wanted, &found)
        guard found.units.contains(-1) else { return found }
        let others = headers.filter(\.coversCode)
        searchUnclaimed(others, wanted, &found)
        if found.units.contains(-1) { searchRows(others, wanted, &found) }
        return found
    }

    /// Several root entries at once, because `Parallel` has no code for units of its own: for each element that it hands on it allocates, and a
    /// program of swiftc has 15,000 of them.
    private static let headsAtOnce = 32

    private func heads(of headers: [UnitHeader], _ addresses: [UInt64]) -> [UnitHead] {
        let sections = sections
        let runs = stride(from: 0, to: headers.count, by: Self.headsAtOnce).map { headers[$0..<min(headers.count, $0 + Self.headsAtOnce)] }
        let heads = Parallel.map(runs, minPerThread: 2, state: { HeadReader(sections) }) { reader, run in
            run.map { reader.head($0, addresses) }
        }
        return heads.flatMap { $0 }
    }

    /// Reads the headers of all units on one thread, and meanwhile on others the root entries of those that the address table does not
    /// describe. Of a program of swiftc or clang these are all, and the headers take a fifth of the time.
    /// - Returns: the root entries in the units' order; `nil` where it is not worthwhile, or the headers are known.
    private func headsReadWithHeaders(_ described: DescribedUnits, _ addresses: [UInt64]) -> [UnitHead]? {
        guard !table.isStreamed, !table.knowsHeaders, table.size >= Self.minPipelinedBytes, Parallel.processors > 1 else { return nil }
        let sections = sections
        let queue = WorkQueue<(number: Int, headers: [UnitHeader])>(maxWeight: .max)
        let read = Mutex<(headers: [UnitHeader], problem: DWARFError?)?>(nil)
        let runs = Mutex<[(number: Int, heads: [UnitHead])]>([])
        let isBegun = Atomic(false)
        Parallel.run(onThreads: Parallel.processors) {
            if !isBegun.exchange(true, ordering: .relaxed) {
                let known = Self.readHeaders(sections, described, to: queue)
                read.withLock { $0 = known }
            }
            let reader = HeadReader(sections)
            while let run = queue.next() {
                let heads = run.headers.map { reader.head($0, addresses) }
                runs.withLock { $0.append((run.number, heads)) }
            }
        }
        guard let known = read.withLock({ $0 }) else { return nil }
        table.adopt(known.headers)
        if let problem = known.problem { table.note(problem) }
        return runs.withLock { $0.sorted { $0.number < $1.number }.flatMap(\.heads) }
    }

    /// Size of `.debug_info` from which the headers take longer than a thread needs to begin.
    private static let minPipelinedBytes = 1 << 20

    private static func readHeaders(
        _ sections: DWARFSections, _ described: DescribedUnits, to queue: WorkQueue<(number: Int, headers: [UnitHeader])>
    ) -> (headers: [UnitHeader], problem: DWARFError?)? {
        defer { queue.close() }
        guard let table = try? UnitTable(sections) else { return nil }
        var (number, run): (Int, [UnitHeader]) = (0, [])
        table.forEachHeader { header in
            guard header.coversCode, !described.contains(header.offset) else { return }
            run.append(header)
            guard run.count == headsAtOnce else { return }
            _ = queue.add((number, run), weight: 0)
            (number, run) = (number + 1, [])
        }
        _ = queue.add((number, run), weight: 0)
        return (table.allHeaders(), table.problem)
    }

    /// Looks for addresses that no unit covers in the units' functions.
    private func searchUnclaimed(_ headers: [UnitHeader], _ wanted: [UInt64], _ found: inout Coverage) {
        guard let unclaimed = UnclaimedFunctions(table, buffer) else { return }
        let addresses = unclaimed.named(wanted.indices.filter { found.units[$0] < 0 }.map { wanted[$0] })
        if addresses.isEmpty { return }
        func isWanted(_ range: Range<UInt64>) -> Bool {
            let index = addresses.firstIndex(notBelow: range.lowerBound)
            return index < addresses.count && range.contains(addresses[index])
        }
        for (range, unit) in unclaimed.ranges(of: headers, where: isWanted) {
            var index = wanted.firstIndex(notBelow: range.lowerBound)
            while index < wanted.count, range.contains(wanted[index]) {
                if found.units[index] < 0 { found.units[index] = unit }
                index += 1
            }
        }
    }

    /// Looks for addresses that no unit and no function covers in the line tables.
    private func searchRows(_ headers: [UnitHeader], _ wanted: [UInt64], _ found: inout Coverage) {
        let missing = wanted.indices.filter { found.units[$0] < 0 }
        let units = UnclaimedRows(table, buffer).units(of: missing.map { wanted[$0] }, headers)
        for (index, unit) in zip(missing, units) { if let unit { found.units[index] = unit } }
    }

    /// Units that do not state what they cover: only their functions do.
    private func searchFunctions(of headers: [UnitHeader], _ wanted: [UInt64], _ found: inout Coverage) {
        for header in headers {
            let missing = wanted.indices.filter { found.units[$0] < 0 }
            if missing.isEmpty { break }
            do throws(DWARFError) {
                let chains = try table.withUnit(header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) -> [[Subroutine]] in
                    var finder = SubroutineFinder(unit, wanted: missing.map { wanted[$0] })
                    try finder.find(in: bytes)
                    return finder.chains
                }
                for (index, chain) in zip(missing, chains) where !chain.isEmpty { found.units[index] = header.offset }
            } catch {
                table.note(error)
            }
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
