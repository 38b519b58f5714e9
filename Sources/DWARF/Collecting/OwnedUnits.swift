internal import BinaryPrimitives
internal import ObjectFiles
internal import Synchronization

/// A unit with the addresses that it resolves.
package struct OwnedUnit: Sendable {
    struct Use: Sendable {
        var number: Int
        var ranges: [Range<UInt64>]
    }

    let loaded: LoadedUnits<Use>.Unit

    /// Among the units that resolve addresses, in their order.
    package var number: Int { loaded.use.number }
    /// Offset of the unit's header in `.debug_info`.
    package var offset: Int { loaded.header.offset }
    /// Ascending, none over another.
    package var ranges: [Range<UInt64>] { loaded.use.ranges }
}

/// Gives the units of a file that resolve addresses to several threads: one goes over them, and all
/// read them.
///
/// A section that is inflated as it is read passes once, where the address table describes its
/// units. What each resolves is then predicted as it passes, and may have been wrong (`corrected`).
package final class OwnedUnits: Sendable {
    private let sections: DWARFSections
    private let predicts: Bool?
    /// Owners that are known from the beginning.
    private let known: [UnitOwnership.Owner]?
    private let loaded = LoadedUnits<OwnedUnit.Use>(maxBytes: OwnedUnits.maxBytesWaiting)
    private let state = Mutex(State())

    /// Units that were inflated and not read yet, in bytes: the largest have some megabytes.
    private static let maxBytesWaiting = 4 << 20

    private struct State {
        var expectedCount = 0
        var isPredicted = false
        var handed: [UnitOwnership.Owner] = []
        var owners: [UnitOwnership.Owner] = []
        var failure: DWARFError?
        var isStopped = false
    }

    /// - Parameter predicts: `nil`: where the units are inflated as they are read.
    package convenience init(_ reader: DWARFReader, predicts: Bool? = nil) { self.init(reader.sections, predicts: predicts, known: nil) }

    private init(_ sections: DWARFSections, predicts: Bool?, known: [UnitOwnership.Owner]?) {
        self.sections = sections
        self.predicts = predicts
        self.known = known
    }

    /// Whether the section is inflated as it is read, by the thread that goes over it.
    package var isStreamed: Bool { ((try? sections.contents(.info)) ?? nil)?.isStreamed ?? false }

    /// Goes over the units: for one thread. It is done when all were handed out.
    /// - Parameter spare: reads a unit on this thread, where the others have enough.
    package func forEachUnit(_ spare: (OwnedUnit) -> Void) {
        do throws(DWARFError) { try pass(spare) } catch { state.withLock { $0.failure = error } }
        loaded.close()
    }

    private func pass(_ spare: (OwnedUnit) -> Void) throws(DWARFError) {
        let table = try UnitTable(sections)
        var owners = known
        if owners == nil {
            var ownership = UnitOwnership(table, predicts: predicts ?? table.isStreamed)
            let count = ownership.predictedCount
            state.withLock { state in
                state.expectedCount = count
                state.isPredicted = count > 0
            }
            try ownership.pass { hand($0, table, spare) }
            owners = try ownership.owners()
            if count > 0 { return state.withLock { $0.owners = owners ?? [] } }
        }
        state.withLock { state in
            state.owners = owners ?? []
            state.expectedCount = state.owners.count
        }
        for owner in owners ?? [] { hand(owner, table, spare) }
    }

    private func hand(_ owner: UnitOwnership.Owner, _ table: UnitTable, _ spare: (OwnedUnit) -> Void) {
        let number = state.withLock { state -> Int? in
            if state.isStopped { return nil }
            state.handed.append(owner)
            return state.handed.count - 1
        }
        guard let number else { return }
        let use = OwnedUnit.Use(number: number, ranges: owner.ranges)
        // Sections that are not compressed are read by the thread that needs them.
        guard table.isStreamed else {
            _ = loaded.add(LoadedUnits.Unit(header: owner.header, use: use, buffer: nil), weight: 0)
            return
        }
        let unit = loaded.load(owner.header, for: use, from: table)
        let size = unsafe unit.buffer?.bytes.capacity ?? 0
        if !loaded.add(unit, weight: size) { spare(OwnedUnit(loaded: unit)) }
    }

    /// The next unit, waited for until there is one; `nil` when there will be none any more.
    package func next() -> OwnedUnit? { loaded.next().map { OwnedUnit(loaded: $0) } }

    /// A unit was read.
    package func recycle(_ unit: OwnedUnit) { loaded.recycle(unit.loaded) }

    /// Hands out no more.
    package func stop() { state.withLock { $0.isStopped = true } }

    /// How many units there will be, as far as that is known when the first is handed out.
    package var expectedCount: Int { state.withLock { $0.expectedCount } }
    /// Afterwards: how many units resolve addresses.
    package var count: Int { state.withLock { $0.owners.count } }
    /// Why it is not known which units resolve which addresses.
    package var failure: DWARFError? { state.withLock { $0.failure } }

    /// Afterwards: whether all units were handed out, each with all of the addresses that it
    /// resolves and no others.
    package var areConsistent: Bool {
        state.withLock { state in
            !state.isPredicted
                || state.handed.count == state.owners.count
                    && zip(state.handed, state.owners).allSatisfy { $0.header.offset == $1.header.offset && $0.ranges == $1.ranges }
        }
    }

    /// Afterwards: the units once more, with what is true.
    package func corrected() -> OwnedUnits { OwnedUnits(sections, predicts: false, known: state.withLock { $0.owners }) }
}
