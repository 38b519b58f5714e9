internal import BinaryPrimitives
internal import Synchronization

/// Units that several threads read, and one consumes in their order.
///
/// That one goes over the units, and loads those of a section that is inflated as it is read. It reads some, too, where the others have
/// enough or the next one is not ready.
final class UnitLine<Made: Sendable>: Sendable {
    /// The result of collecting one unit.
    struct Collected: Sendable {
        /// `nil` where it cannot be opened.
        var made: Made?
        var problems: [DWARFError]
    }

    typealias LoadedUnit = LoadedUnits<Int>.Unit

    typealias Worker = (LoadedUnit) -> Collected

    private let makeWorker: @Sendable (UnitTable?) -> Worker
    /// By their numbers in the line.
    private let open = LoadedUnits<Int>(maxBytes: UnitLine.maxBytesWaiting)
    private let done = Mutex<[Int: Collected]>([:])
    /// One for each unit that a helper has collected.
    private let arrivals = WorkQueue<Void>(maxWeight: .max)

    /// Units that were inflated and not read yet, in bytes: the largest have some megabytes.
    private static var maxBytesWaiting: Int { 4 << 20 }
    /// Units that may be collected and not taken yet, so that few wait in memory.
    private static var maxUnits: Int { 32 }

    /// - Parameter makeWorker: called by each thread once: returns what reads a unit, with buffers of its own. Its parameter has the units
    ///   that the thread has opened already.
    init(_ makeWorker: @escaping @Sendable (UnitTable?) -> Worker) { self.makeWorker = makeWorker }

    /// Units from which on a thread is worth being started.
    private static var minUnits: Int { 8 }

    /// Gives what each unit with code came to to `body`, in the units' order.
    /// - Parameters:
    ///   - isAlone: no other thread may read units.
    ///   - isWanted: whether a unit is wanted; others are not read.
    func forEach(
        _ units: UnitTable, isAlone: Bool = false, where isWanted: (UnitHeader) -> Bool = { _ in true }, _ body: (Collected) -> Void
    ) {
        let helpers = isAlone ? 0 : Parallel.processors - 1
        guard units.isStreamed else {
            let headers = units.allHeaders().filter { $0.coversCode && isWanted($0) }
            var rest = headers[...]
            return forEach(helpers: headers.count >= Self.minUnits ? helpers : 0, units, { rest.popFirst() }, body)
        }
        // Unit by unit, not all headers first: a section that is inflated as it is read passes once.
        var offset: Int? = 0
        func next() -> UnitHeader? {
            while let position = offset, position < units.size {
                let step = units.step(at: position)
                offset = step.next
                if let header = step.header, header.coversCode, isWanted(header) { return header }
            }
            return nil
        }
        forEach(helpers: helpers, units, next, body)
    }

    /// Gives what each unit came to to `body`, in the units' order.
    /// - Parameters:
    ///   - helpers: threads beside this one.
    ///   - units: those that this thread reads.
    ///   - next: the next unit's header; `nil` after the last.
    private func forEach(helpers: Int, _ units: UnitTable, _ next: () -> UnitHeader?, _ body: (Collected) -> Void) {
        for _ in 0..<helpers { _ = Parallel.start { [self] in help() } }
        let worker = makeWorker(units)
        var (handed, taken) = (0, 0)
        var isAtEnd = false
        while true {
            // Without helpers nothing would be gained by a unit that waits.
            while !isAtEnd, handed - taken < (helpers > 0 ? Self.maxUnits : 1) {
                guard let header = next() else {
                    isAtEnd = true
                    break
                }
                hand(header, handed, units, worker)
                handed += 1
            }
            guard taken < handed else { break }
            body(collect(taken, worker))
            taken += 1
        }
        open.close()
    }

    private func hand(_ header: UnitHeader, _ number: Int, _ units: UnitTable, _ worker: Worker) {
        // Sections that are not compressed are read by the thread that needs them.
        let unit = units.isStreamed ? open.load(header, for: number, from: units) : LoadedUnit(header: header, use: number, buffer: nil)
        let size = unsafe unit.buffer?.bytes.capacity ?? 0
        if !open.add(unit, weight: size) { collect(unit, worker) }
    }

    private func help() {
        let worker = makeWorker(nil)
        while let unit = open.next() {
            collect(unit, worker)
            _ = arrivals.add((), weight: 1)
        }
    }

    private func collect(_ unit: LoadedUnit, _ worker: Worker) {
        let collected = worker(unit)
        open.recycle(unit)
        done.withLock { $0[unit.use] = collected }
    }

    private func collect(_ number: Int, _ worker: Worker) -> Collected {
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
