internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles
internal import Synchronization

/// A file's debug information, kept between calls for a tool that gets address after address, and
/// resolves each before the next comes: compressed sections are inflated once.
///
/// The caller of such a tool cannot see where a result with inlined calls ends, so it sends an input without a
/// result in between: perf sends `,`, which is address 0. Only a search of all units shows that none covers it,
/// so this result is remembered.
final class CachedReader: Sendable {
    private struct State {
        var reader: DWARFReader??
        /// Addresses that no unit covers, with their result; the last one found is at the end.
        var uncovered: [Uncovered] = []
    }

    private struct Uncovered {
        var address: LinkAddress
        var result: DWARFResult
    }

    private let state = Mutex(State())

    private static let maxUncovered = 4
    /// Largest number of addresses in a call that are compared with the remembered ones.
    private static let fewAddresses = 8

    /// - Parameters:
    ///   - object: the same in every call.
    ///   - split: the same in every call.
    ///   - wanted: addresses, ascending.
    /// - Returns: the results in their order; `nil` if the object has no `.debug_info`.
    func results(
        for wanted: [LinkAddress], in object: ObjectFile, _ split: SplitLocations, details: DWARFDetails, calls: CollectedCallSites?
    ) -> [DWARFResult]? {
        let (opened, uncovered) = state.withLock { state in
            if case .none = state.reader { state.reader = .some(DWARFReader(object, split)) }
            return (state.reader, state.uncovered)
        }
        guard case .some(.some(let reader)) = opened else { return nil }
        guard wanted.count <= Self.fewAddresses else { return reader.results(for: wanted, details: details, calls: calls) }
        var requested: [LinkAddress] = []
        for address in wanted where !uncovered.contains(where: { $0.address == address }) { requested.append(address) }
        let found = requested.isEmpty ? [] : reader.results(for: requested, details: details, calls: calls)
        var results: [DWARFResult] = []
        var next = 0
        for address in wanted {
            if let known = uncovered.first(where: { $0.address == address }) {
                results.append(known.result)
                continue
            }
            results.append(found[next])
            if !found[next].isKnown, found[next].problem == nil { remember(Uncovered(address: address, result: found[next])) }
            next += 1
        }
        return results
    }

    private func remember(_ address: Uncovered) {
        state.withLock { state in
            if state.uncovered.count == Self.maxUncovered { state.uncovered.removeFirst() }
            state.uncovered.append(address)
        }
    }
}
