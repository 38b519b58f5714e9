internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles
internal import Synchronization

/// The calls of an image as its debug information has them, where no file has the code.
///
/// A lookup reads only the function that covers the address, and caches it. `read` prepares many addresses at once: it
/// reads each unit once, in file order, so that a compressed section is unpacked once.
final class CallSiteTable: Sendable {
    private let reader: DWARFReader
    private let machine: Machine?
    private let state = Mutex(State())

    private struct State {
        /// Cached functions or whole units, each with its unit's offset.
        var known: [(place: Int, part: CallSiteEntries)] = []
        /// Addresses that no unit covers.
        var uncovered: Set<LinkAddress> = []

        func part(covering address: LinkAddress) -> CallSiteEntries? { known.first { $0.part.functions.holds(address) }?.part }
        func whole(at place: Int) -> CallSiteEntries? { known.first { $0.place == place && $0.part.isWhole }?.part }
    }

    /// - Returns: `nil` if no file has entries for calls.
    init?(_ files: [ObjectFile]) {
        for file in files where file.description.kind != .relocatable {
            guard let reader = DWARFReader(file), reader.mayHaveCallSites else { continue }
            self.reader = reader
            machine = Machine(file)
            return
        }
        return nil
    }

    /// - Parameter wantsTarget: `false` allows a result without the called function.
    func call(returningTo address: LinkAddress, wantsTarget: Bool) -> CallEvidence {
        let address = machine?.cleared(address.value) ?? address.value
        guard address > 0, let unit = part(covering: LinkAddress(address - 1)) else { return .unknown }
        if let entry = unit.entry(returningTo: LinkAddress(address)) {
            guard wantsTarget, entry.hasOpenTarget, let whole = whole(covering: LinkAddress(address - 1)) else { return .call(site(entry)) }
            return .call(site(whole.entry(returningTo: LinkAddress(address)) ?? entry))
        }
        return unit.complete.holds(LinkAddress(address - 1)) ? .noCall : .unknown
    }

    func call(containing address: LinkAddress) -> CallEvidence {
        let address = LinkAddress(machine?.cleared(address.value) ?? address.value)
        guard let unit = part(covering: address) else { return .unknown }
        var mayBeInside = false
        for entry in unit.entries(returningBehind: address, within: 16) {
            let site = site(entry)
            if site.call <= address { return .call(site) }
            // Where the call begins is not known.
            if !isFixed, entry.call == nil { mayBeInside = true }
        }
        return !mayBeInside && unit.complete.holds(address) ? .noCall : .unknown
    }

    func forEachCall(_ body: (CallSite) -> Bool) {
        var sites: [CallSite] = []
        reader.forEachUnitsCallSites { unit in
            sites += unit.entries.map { site($0) }
            return true
        }
        sites.sort { ($0.returnAddress, $0.target?.value ?? .max) < ($1.returnAddress, $1.target?.value ?? .max) }
        var last: LinkAddress?
        for site in sites where site.returnAddress != last {
            guard body(site) else { return }
            last = site.returnAddress
        }
    }

    private var isFixed: Bool { machine?.isVariable == false }

    private func site(_ entry: CallSiteEntries.Entry) -> CallSite {
        var distance: UInt64 = 1
        if isFixed {
            distance = if case .mips? = machine { 8 } else if case .sparc? = machine { 8 } else { 4 }
        }
        let call = entry.call ?? LinkAddress(entry.returnAddress.value &- distance)
        return CallSite(call: call, returnAddress: entry.returnAddress, target: entry.target)
    }

    /// Reads and caches the functions that cover some addresses.
    func read(_ addresses: [LinkAddress]) {
        var wanted: Set<LinkAddress> = []
        for address in addresses {
            let address = LinkAddress(machine?.cleared(address.value) ?? address.value)
            guard address.value > 0 else { continue }
            wanted.insert(address)
            wanted.insert(LinkAddress(address.value - 1))
        }
        let state = state.withLock { $0 }
        let open = wanted.filter { !state.uncovered.contains($0) && state.part(covering: $0) == nil }.sorted()
        guard !open.isEmpty else { return }
        var units: [Int: [LinkAddress]] = [:]
        for (address, place) in zip(open, places(covering: open)) { if let place { units[place, default: []].append(address) } }
        for (place, own) in units.sorted(by: { $0.key < $1.key }) where state.whole(at: place) == nil {
            if let part = reader.callSites(ofUnitAt: place, around: own) { keep(part, place) }
        }
    }

    /// Offset of the unit that covers each address. Addresses outside of all units are cached as uncovered.
    private func places(covering addresses: [LinkAddress]) -> [Int?] {
        let places = reader.units(covering: addresses)
        state.withLock { state in for (address, place) in zip(addresses, places) where place == nil { state.uncovered.insert(address) } }
        return places
    }

    /// Returns the calls of the function that covers an address, from the cache or the file.
    private func part(covering address: LinkAddress) -> CallSiteEntries? {
        let (before, isUncovered) = state.withLock { ($0.part(covering: address), $0.uncovered.contains(address)) }
        if before != nil || isUncovered { return before }
        guard let place = places(covering: [address]).first ?? nil else { return nil }
        return state.withLock { $0.whole(at: place) } ?? reader.callSites(ofUnitAt: place, around: [address]).map { keep($0, place) }
    }

    /// Returns all calls of the unit of a cached function.
    private func whole(covering address: LinkAddress) -> CallSiteEntries? {
        guard let place = state.withLock({ $0.known.first { $0.part.functions.holds(address) }?.place }) else { return nil }
        return state.withLock { $0.whole(at: place) } ?? reader.callSites(ofUnitAt: place).map { keep($0, place) }
    }

    @discardableResult
    private func keep(_ part: CallSiteEntries, _ place: Int) -> CallSiteEntries {
        state.withLock { state in
            // A whole unit replaces its parts.
            if part.isWhole { state.known.removeAll { $0.place == place } }
            state.known.append((place, part))
        }
        return part
    }
}

extension CallSiteEntries {
    fileprivate func entry(returningTo address: LinkAddress) -> Entry? {
        let found = entries[index(notBelow: address)...].prefix { $0.returnAddress == address }
        return found.first { $0.target != nil } ?? found.first
    }

    /// The entries whose return addresses are after an address, by at most so many bytes.
    fileprivate func entries(returningBehind address: LinkAddress, within count: UInt64) -> ArraySlice<Entry> {
        guard let first = address.advanced(by: 1), let last = address.advanced(by: count) else { return [] }
        return entries[index(notBelow: first)...].prefix { $0.returnAddress <= last }
    }

    private func index(notBelow address: LinkAddress) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].returnAddress < address { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
