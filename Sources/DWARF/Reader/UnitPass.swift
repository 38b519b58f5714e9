internal import BinaryPrimitives
internal import ObjectFiles
internal import Synchronization

/// One pass over a `.debug_info` that is inflated as it is read: from its first unit to the last
/// that is needed, each inflated once.
///
/// One thread inflates and copies the units that are wanted; the others do lookups in the copies.
/// If all addresses are known to lie in some units, the others pass unread; if not, each
/// unit's root entry is looked at as it passes.
final class UnitPass: Sendable {
    private let sections: DWARFSections
    /// Ascending by unit.
    private let groups: [UnitGroup]
    /// Ascending.
    private let missing: [UInt64]
    private let details: DWARFDetails
    private let calls: CollectedCallSites?
    /// Each for the group that it resolves; the first bytes alone where there is none.
    private let loaded = LoadedUnits<Int?>(maxBytes: UnitPass.maxBytesWaiting)
    private let results: Mutex<Results>

    /// Units that were inflated and not read yet, in bytes.
    private static let maxBytesWaiting = 16 << 20

    /// Bytes, inflated, for each address, from which on inflating takes longer than the lookups. Of
    /// libjvm (258 KB for each) 1,000 addresses take 0.45 s, and 0.34 s if two threads inflate; of
    /// an application with Qt (368 KB) 0.62 and 0.47 s; of librados (154 KB) 0.3 s in either way.
    private static let bytesForAddress = 200 << 10

    private struct Results {
        var byGroup: [[DWARFResult]]
        var heads: [Int: UnitHead] = [:]
        var headers: [UnitHeader] = []
        var problem: DWARFError?
    }

    init(_ sections: DWARFSections, _ groups: [UnitGroup], missing: [UInt64], details: DWARFDetails, calls: CollectedCallSites?) {
        self.sections = sections
        self.details = details
        self.calls = calls
        self.groups = groups
        self.missing = missing
        results = Mutex(Results(byGroup: groups.map { _ in [] }))
    }

    /// After the pass: for each group its results.
    var resultsByGroup: [[DWARFResult]] { results.withLock { $0.byGroup } }
    /// All units, if addresses are missing.
    var headers: [UnitHeader] { results.withLock { $0.headers } }
    /// By a unit's offset what it says about the missing addresses.
    var heads: [Int: UnitHead] { results.withLock { $0.heads } }
    /// The first problem of reading.
    var problem: DWARFError? { results.withLock { $0.problem } }

    func run() {
        let information = try? sections.contents(.info)
        let addresses = groups.reduce(missing.count) { $0 + $1.wanted.count }
        // If the lookups take less time, the second processor would wait for the first.
        let isInflatingLonger = (information?.count ?? 0) / max(1, addresses) >= Self.bytesForAddress
        information?.inflateAhead(ifProcessors: isInflatingLonger ? 2 : 3)
        let threads = Atomic(0)
        Parallel.run(onThreads: Parallel.processors) {
            let worker = UnitWorker(sections, details: details, calls: calls)
            switch threads.add(1, ordering: .relaxed).newValue {
            case 1: inflate(worker)
            case 2:
                sections.prepareSmallSections()
                while loaded.isIdle, sections.prepareTexts() {}
            default: break
            }
            while let unit = loaded.next() { resolve(unit, worker) }
            guard let problem = (try? worker.units)?.problem else { return }
            results.withLock { $0.problem = $0.problem ?? problem }
        }
    }

    /// Goes over the units and hands out those that are needed.
    private func inflate(_ worker: UnitWorker) {
        var offset: Int? = 0
        var group = 0
        var headers: [UnitHeader] = []
        while let following = offset, group < groups.count || !missing.isEmpty {
            // With nothing missing, the address table gives where to go on.
            let next = missing.isEmpty ? groups[group].unit : following
            var header: UnitHeader?
            do throws(DWARFError) {
                (header, offset) = try worker.units.step(at: next)
            } catch {
                results.withLock { $0.problem = $0.problem ?? error }
                break
            }
            var own: Int?
            while group < groups.count, groups[group].unit <= next {
                // If the address table names a unit that does not exist, its addresses get that as their reason.
                if groups[group].unit == next, header != nil { own = group } else { fail(group, worker) }
                group += 1
            }
            guard let header else { continue }
            if !missing.isEmpty { headers.append(header) }
            if own != nil || (!missing.isEmpty && header.coversCode) { hand(header, own, worker) }
        }
        // The length of a unit could not be followed.
        for group in groups.indices[group...] { fail(group, worker) }
        results.withLock { $0.headers = headers }
        loaded.close()
    }

    private func hand(_ header: UnitHeader, _ group: Int?, _ worker: UnitWorker) {
        guard let units = try? worker.units else { return }
        let unit = loaded.load(header, for: group, headOnly: group == nil, from: units)
        if !loaded.add(unit, weight: group == nil ? 512 : header.end - header.offset) { resolve(unit, worker) }
    }

    /// Gives a group whose unit cannot be reached the reason as its result.
    private func fail(_ group: Int, _ worker: UnitWorker) {
        let found = worker.results(groups[group])
        results.withLock { $0.byGroup[group] = found }
    }

    private func resolve(_ unit: LoadedUnits<Int?>.Unit, _ worker: UnitWorker) {
        guard let buffer = unsafe unit.buffer?.bytes else { return }
        let head = missing.isEmpty || !unit.header.coversCode ? nil : worker.loadedHead(unit.header, buffer, missing)
        let found = unit.use.map { worker.loadedResults(groups[$0], unit.header, buffer) }
        results.withLock { results in
            if let head { results.heads[unit.header.offset] = head }
            if let found, let group = unit.use { results.byGroup[group] = found }
        }
        loaded.recycle(unit)
    }
}
