internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles
internal import Synchronization

/// A file's debug information, kept between calls for whoever is asked address after address, and answers each before the next comes: compressed sections are inflated once.
///
/// Such a caller cannot tell where an answer with inlined calls ends, and asks something in between that nothing is known of: perf `,`, which is address 0. Only every unit together tells that
/// none covers it, so it is remembered.
final class KeptReader: Sendable {
    private struct State {
        var reader: DWARFReader??
        /// Addresses that no unit covers, with the answer that says so; the last that was found at the end.
        var uncovered: [Uncovered] = []
    }

    private struct Uncovered {
        var address: LinkAddress
        var answer: DWARFAnswer
    }

    private let state = Mutex(State())

    private static let mostUncovered = 4
    /// Addresses of one call up to which they are compared with those that are remembered.
    private static let fewAddresses = 8

    /// - Parameters:
    ///   - object: at every call the same.
    ///   - split: likewise.
    ///   - wanted: ascending.
    /// - Returns: the answers in their order; `nil` if the object has no `.debug_info`.
    func answers(for wanted: [LinkAddress], in object: ObjectFile, _ split: SplitPlaces, details: DWARFDetails) -> [DWARFAnswer]? {
        let (opened, uncovered) = state.withLock { state in
            if case .none = state.reader { state.reader = .some(DWARFReader(object, split)) }
            return (state.reader, state.uncovered)
        }
        guard case .some(.some(let reader)) = opened else { return nil }
        guard wanted.count <= Self.fewAddresses else { return reader.answers(for: wanted, details: details) }
        var asked: [LinkAddress] = []
        for address in wanted where !uncovered.contains(where: { $0.address == address }) { asked.append(address) }
        let found = asked.isEmpty ? [] : reader.answers(for: asked, details: details)
        var answers: [DWARFAnswer] = []
        var next = 0
        for address in wanted {
            if let known = uncovered.first(where: { $0.address == address }) {
                answers.append(known.answer)
                continue
            }
            answers.append(found[next])
            if !found[next].isKnown, found[next].problem == nil { remember(Uncovered(address: address, answer: found[next])) }
            next += 1
        }
        return answers
    }

    private func remember(_ address: Uncovered) {
        state.withLock { state in
            if state.uncovered.count == Self.mostUncovered { state.uncovered.removeFirst() }
            state.uncovered.append(address)
        }
    }
}
