internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles
internal import Synchronization

/// The calls of an image as its debug information has them, where no file has the code.
///
/// Of one address only the unit is read that covers it, and kept for the next.
final class CallSiteTable: Sendable {
    private let reader: DWARFReader
    private let machine: Machine?
    private let ranges: Lazily<UnitRanges>
    private let known = Mutex<[(place: Int, unit: CallSiteEntries)]>([])

    /// - Returns: `nil` if no file has entries for calls.
    init?(_ files: [ObjectFile]) {
        for file in files where file.description.kind != .relocatable {
            guard let reader = DWARFReader(file), reader.mayHaveCallSites else { continue }
            self.reader = reader
            machine = Machine(file)
            ranges = Lazily { reader.describedUnits() }
            return
        }
        return nil
    }

    func call(returningTo address: LinkAddress) -> CallEvidence {
        let address = machine?.cleared(address.value) ?? address.value
        guard address > 0, let unit = unit(covering: LinkAddress(address - 1)) else { return .unknown }
        if let entry = unit.entry(returningTo: LinkAddress(address)) { return .call(site(entry)) }
        return unit.complete.holds(LinkAddress(address - 1)) ? .noCall : .unknown
    }

    func call(containing address: LinkAddress) -> CallEvidence {
        let address = LinkAddress(machine?.cleared(address.value) ?? address.value)
        guard let unit = unit(covering: address) else { return .unknown }
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

    private func unit(covering address: LinkAddress) -> CallSiteEntries? {
        let place = ranges.get().unit(covering: address)
        let before = known.withLock { known in
            known.first { entry in place.map { $0 == entry.place } ?? entry.unit.functions.holds(address) }?.unit
        }
        if let before { return before }
        // Compilers leave units out of the table, as clang does all.
        if let place, let unit = reader.callSites(ofUnitAt: place) { return keep(unit, place) }
        guard let unit = reader.callSites(ofUnitCovering: address) else { return nil }
        return keep(unit, -1 - unit.unit)
    }

    private func keep(_ unit: CallSiteEntries, _ place: Int) -> CallSiteEntries {
        known.withLock { known in
            if !known.contains(where: { $0.place == place }) { known.append((place, unit)) }
        }
        return unit
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
