internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles

/// The calls of an image as its debug information has them, where no file has the code.
///
/// Calls are read with the functions that cover looked-up addresses (`CollectedCallSites`), and cached by address.
final class CallSiteTable: Sendable {
    /// The file with the entries.
    let object: ObjectFile
    private let reader: LazyValue<DWARFReader?>
    /// Returns the calls that an index of the file has; `nil` until there is one.
    private let recorded: @Sendable () -> (any RecordedCallSites)?
    private let machine: Machine?
    /// The instructions of a WebAssembly module.
    private let code: WasmInstructions?
    /// Calls of the function that holds an address; `.some(nil)` if no function covers it.
    private let parts = RecentlyUsed<LinkAddress, Part?>(count: 1 << 15)
    private let wholeUnits = RecentlyUsed<Int, CallSiteEntries>(count: 16)

    fileprivate struct Part: Sendable {
        /// The offset of the unit in `.debug_info`.
        var unit: Int
        var calls: CallSiteEntries
    }

    /// - Parameter recorded: returns the calls that an index has of the first file with debug information.
    /// - Returns: `nil` if no file has entries for calls.
    init?(_ files: [ObjectFile], recorded: @escaping @Sendable () -> (any RecordedCallSites)?) {
        for file in files where file.description.kind != .relocatable && file.hasDebugInformation {
            let reader = LazyValue { DWARFReader(file) }
            guard recorded() != nil || reader.get()?.mayHaveCallSites == true else { continue }
            object = file
            self.reader = reader
            self.recorded = recorded
            machine = Machine(file)
            code = WasmInstructions(file)
            return
        }
        return nil
    }

    /// - Parameter wantsTarget: `false` allows a result without the called function, which avoids reading whole units.
    func call(returningTo address: LinkAddress, wantsTarget: Bool) -> CallEvidence {
        guard let (part, address) = partBefore(address) else { return .unknown }
        guard let entry = part.calls.entry(returningTo: address) else {
            return part.calls.complete.holds(LinkAddress(address.value - 1)) ? .noCall : .unknown
        }
        guard wantsTarget, entry.openTarget != nil, let whole = wholeUnit(at: part.unit) else { return .call(site(entry)) }
        return .call(site(whole.entry(returningTo: address) ?? entry))
    }

    /// Whether the call that returns to an address calls a function.
    /// - Parameters:
    ///   - function: its first byte.
    ///   - inner: any address in it, best one that was read.
    func calls(_ function: LinkAddress, holding inner: LinkAddress, returningTo address: LinkAddress) -> Bool {
        guard let (part, address) = partBefore(address), let entry = part.calls.entry(returningTo: address) else { return false }
        switch entry.openTarget {
        case nil: return entry.target == function
        case .inUnit(let index):
            guard let called = self.part(covering: cleared(inner)), called.unit == part.unit else { return false }
            return called.calls.starts[index] == function
        case .elsewhere: return wholeUnit(at: part.unit)?.entry(returningTo: address)?.target == function
        }
    }

    func call(containing address: LinkAddress) -> CallEvidence {
        let address = cleared(address)
        guard let calls = part(covering: address)?.calls else { return .unknown }
        if let code, let length = code.callLength(at: address) {
            let end = calls.entries(returningBehind: address, within: length).first { $0.returnAddress.value - address.value == length }
            if let end { return .call(CallSite(call: address, returnAddress: end.returnAddress, target: end.target)) }
        }
        var mayBeInside = false
        for entry in calls.entries(returningBehind: address, within: Self.longestDistance) {
            let site = site(entry)
            if site.call <= address { return .call(site) }
            // The first byte of the call is not known.
            if !isFixed, entry.call == nil { mayBeInside = true }
        }
        return !mayBeInside && calls.complete.holds(address) ? .noCall : .unknown
    }

    /// Maximum distance in bytes from the first byte of a call to its return address.
    fileprivate static let longestDistance: UInt64 = 16

    func forEachCall(_ body: (CallSite) -> Bool) {
        if let recorded = recorded() { return recorded.forEachEntry { body(site($0)) } }
        var sites: [CallSite] = []
        reader.get()?.forEachUnitsCallSites(targets: true) { unit in sites += unit.entries.map { site($0) } }
        sites.sort { ($0.returnAddress, $0.target?.value ?? .max) < ($1.returnAddress, $1.target?.value ?? .max) }
        var last: LinkAddress?
        for site in sites where site.returnAddress != last {
            guard body(site) else { return }
            last = site.returnAddress
        }
    }

    /// All addresses that calls return to, ascending, each once.
    func returnAddresses() -> [UInt64] {
        var addresses: [UInt64] = []
        if let recorded = recorded() {
            recorded.forEachEntry {
                addresses.append($0.returnAddress.value)
                return true
            }
        } else {
            reader.get()?.forEachUnitsCallSites(targets: false) { addresses += $0.entries.map(\.returnAddress.value) }
        }
        addresses.sort()
        return addresses.reduce(into: []) { distinct, address in if distinct.last != address { distinct.append(address) } }
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

    /// Reads and caches the functions that cover some addresses, or end before them.
    func read(_ addresses: [LinkAddress]) {
        guard recorded() == nil else { return }
        let wanted = withBytesBefore(addresses)
        let open = zip(wanted, parts[wanted]).filter { $0.1 == nil }.map(\.0)
        guard !open.isEmpty else { return }
        let found = CollectedCallSites(of: object)
        _ = reader.get()?.results(for: open, calls: found)
        keep(found)
    }

    /// Caches what was collected while addresses were looked up.
    func keep(_ found: CollectedCallSites) {
        var functions: [(range: Range<LinkAddress>, part: Part)] = []
        for (unit, part) in found.parts { for range in part.functions { functions.append((range, Part(unit: unit, calls: part))) } }
        functions.sort { $0.range.lowerBound < $1.range.lowerBound }
        for address in found.addresses {
            let next = functions.partitionPoint { $0.range.lowerBound > address }
            let covers = next > 0 && functions[next - 1].range.contains(address)
            parts.keep(covers ? functions[next - 1].part : nil, for: address)
        }
    }

    /// The addresses whose functions are needed for the calls that return to some addresses or contain them, ascending.
    func withBytesBefore(_ addresses: [LinkAddress]) -> [LinkAddress] {
        var wanted: Set<LinkAddress> = []
        for address in addresses {
            let address = cleared(address)
            guard address.value > 0 else { continue }
            wanted.insert(address)
            wanted.insert(LinkAddress(address.value - 1))
        }
        return wanted.sorted()
    }

    private func cleared(_ address: LinkAddress) -> LinkAddress { LinkAddress(machine?.cleared(address.value) ?? address.value) }

    /// The calls of the function with the byte before an address, with the address as it is compared.
    private func partBefore(_ address: LinkAddress) -> (part: Part, address: LinkAddress)? {
        let address = cleared(address)
        guard address.value > 0, let part = part(covering: LinkAddress(address.value - 1)) else { return nil }
        return (part, address)
    }

    private func part(covering address: LinkAddress) -> Part? {
        if let recorded = recorded() { return recorded.part(at: address) }
        if let known = parts[address] { return known }
        read([address])
        return parts[address] ?? nil
    }

    private func wholeUnit(at offset: Int) -> CallSiteEntries? {
        if let known = wholeUnits[offset] { return known }
        return reader.get()?.callSites(ofUnitAt: offset).map { wholeUnits.keep($0, for: offset) }
    }
}

extension RecordedCallSites {
    /// The calls that contain an address or return to the next one.
    fileprivate func part(at address: LinkAddress) -> CallSiteTable.Part? {
        guard let first = address.advanced(by: 1), let last = address.advanced(by: CallSiteTable.longestDistance) else { return nil }
        var calls = CallSiteEntries(unit: 0)
        let function = completeFunction(at: address)
        calls.complete = function.map { [$0] } ?? []
        calls.entries = entries(returningTo: first...min(last, function?.upperBound ?? last))
        return calls.entries.isEmpty && calls.complete.isEmpty ? nil : CallSiteTable.Part(unit: 0, calls: calls)
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

    private func index(notBelow address: LinkAddress) -> Int { entries.partitionPoint { $0.returnAddress >= address } }
}
