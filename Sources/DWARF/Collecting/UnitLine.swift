internal import BinaryPrimitives
internal import Synchronization

/// Units that several threads collect, and one takes in their order.
///
/// That one goes over the units, and loads those of a section that is inflated as it is read. It
/// collects some, too, where the others have enough or the next one is not ready.
final class UnitLine<Made: Sendable>: Sendable {
    /// What one unit came to.
    struct Collected: Sendable {
        /// `nil` where it cannot be opened.
        var made: Made?
        var problems: [DWARFError]
    }

    typealias LoadedUnit = LoadedUnits<Int>.Unit

    private let sections: DWARFSections
    private let detail: FunctionEnumeration.Detail
    private let keys: NameKeys?
    private let make: @Sendable (UnitFunctions) -> Made
    /// By their numbers in the line.
    private let open = LoadedUnits<Int>(most: UnitLine.mostBytesWaiting)
    private let done = Mutex<[Int: Collected]>([:])
    /// One for each unit that a helper has collected.
    private let arrivals = WorkQueue<Void>(most: .max)

    /// Units that were inflated and not read yet, in bytes: the largest have some megabytes.
    private static var mostBytesWaiting: Int { 4 << 20 }
    /// Units that may be collected and not taken yet, so that few wait in memory.
    private static var most: Int { 32 }

    /// - Parameter make: what is kept of a unit; called by the thread that read it.
    init(
        _ sections: DWARFSections, _ detail: FunctionEnumeration.Detail, _ keys: NameKeys?,
        _ make: @escaping @Sendable (UnitFunctions) -> Made
    ) {
        self.sections = sections
        self.detail = detail
        self.keys = keys
        self.make = make
    }

    /// Gives what each unit came to to `body`, in the units' order.
    /// - Parameters:
    ///   - helpers: threads beside this one.
    ///   - units: those that this thread reads.
    ///   - next: the next unit's header; `nil` after the last.
    func forEach(helpers: Int, _ units: UnitTable, _ next: () -> UnitHeader?, _ body: (Collected) -> Void) {
        for _ in 0..<helpers { _ = Parallel.start { [self] in help() } }
        let worker = CollectionWorker(sections, detail, keys, units)
        var (handed, taken) = (0, 0)
        var isAtEnd = false
        while true {
            // Without helpers nothing would be gained by a unit that waits.
            while !isAtEnd, handed - taken < (helpers > 0 ? Self.most : 1) {
                guard let header = next() else {
                    isAtEnd = true
                    break
                }
                hand(header, handed, units, worker)
                handed += 1
            }
            guard taken < handed else { break }
            body(take(taken, worker))
            taken += 1
        }
        open.close()
    }

    private func hand(_ header: UnitHeader, _ number: Int, _ units: UnitTable, _ worker: CollectionWorker) {
        // What is stored as it is, is best read by who needs it.
        let unit = units.isStreamed ? open.load(header, for: number, from: units) : LoadedUnit(header: header, use: number, buffer: nil)
        let size = unsafe unit.buffer?.bytes.capacity ?? 0
        if !open.add(unit, weight: size) { collect(unit, worker) }
    }

    private func help() {
        let worker = CollectionWorker(sections, detail, keys)
        while let unit = open.next() {
            collect(unit, worker)
            _ = arrivals.add((), weight: 1)
        }
    }

    private func collect(_ unit: LoadedUnit, _ worker: CollectionWorker) {
        let collected = worker.collect(unit, make)
        open.recycle(unit)
        done.withLock { $0[unit.use] = collected }
    }

    private func take(_ number: Int, _ worker: CollectionWorker) -> Collected {
        while true {
            if let collected = done.withLock({ $0.removeValue(forKey: number) }) { return collected }
            if let next = open.next(waits: false) {
                collect(next, worker)
            } else {
                _ = arrivals.next()
            }
        }
    }
}
