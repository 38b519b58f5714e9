package import BinaryPrimitives
package import ObjectFiles
internal import Synchronization

/// The calls of the functions that lookups meet, read while their units are loaded: a compressed section is unpacked once
/// for both.
package final class CollectedCallSites: Sendable {
    /// Only its lookups collect.
    let object: ObjectFile
    private let state = Mutex<(addresses: [LinkAddress], parts: [(unit: Int, part: CallSiteEntries)])>(([], []))

    package init(of object: ObjectFile) { self.object = object }

    /// The addresses that were looked up.
    package var addresses: [LinkAddress] { state.withLock { $0.addresses } }

    /// Calls of functions, each with the `.debug_info` offset of the unit (of the skeleton, if the unit is split).
    package var parts: [(unit: Int, part: CallSiteEntries)] { state.withLock { $0.parts } }

    func add(_ addresses: [LinkAddress]) { state.withLock { $0.addresses += addresses } }

    /// - Parameter positions: of the entries of functions, in bytes from the unit's header, ascending.
    func read(functionsAt positions: [Int], of unit: Unit, _ bytes: RawSpan, _ units: UnitTable) {
        guard !positions.isEmpty else { return }
        let part = CallSiteReader(unit, units, bytes, functionsAt: positions).read(bytes)
        state.withLock { $0.parts.append(((unit.skeleton ?? unit).header.offset, part)) }
    }
}

/// The call sites of an image that were read from its debug information and kept: in an index.
package protocol RecordedCallSites: Sendable {
    /// The entries whose return addresses are in a range, ascending.
    func entries(returningTo range: ClosedRange<LinkAddress>) -> [CallSiteEntries.Entry]

    /// The range of a function that holds an address, if all its calls have entries.
    func completeFunction(at address: LinkAddress) -> Range<LinkAddress>?

    /// Gives every entry to `body`, ascending by the return addresses.
    /// - Parameter body: returns `false` to stop.
    func forEachEntry(_ body: (CallSiteEntries.Entry) -> Bool)
}
