internal import BinaryPrimitives
internal import Synchronization

/// Units that several threads collect, and one takes in their order.
///
/// Whoever takes them collects some, too, where the next one is not ready.
final class UnitLine: Sendable {
    /// What one unit came to.
    struct Collected: Sendable {
        /// `nil` where it cannot be opened.
        var functions: UnitFunctions?
        var problems: [DWARFError]
    }

    private let headers: [UnitHeader]
    private let sections: DWARFSections
    private let detail: FunctionEnumeration.Detail
    /// Which units may be collected: those shortly after the one that is taken next, so that few
    /// wait in memory.
    private let open = WorkQueue<Int>(most: .max)
    private let done: Mutex<[Int: Collected]>
    /// One for each unit that a helper has collected.
    private let arrivals = WorkQueue<Void>(most: .max)

    /// Units that may be collected and not taken yet.
    private static let most = 32

    init(_ headers: [UnitHeader], _ sections: DWARFSections, _ detail: FunctionEnumeration.Detail) {
        self.headers = headers
        self.sections = sections
        self.detail = detail
        done = Mutex([:])
        for index in headers.indices.prefix(Self.most) { _ = open.add(index, weight: 1) }
    }

    /// Gives what each unit came to to `body`, in the units' order.
    /// - Parameter helpers: threads beside this one.
    func forEach(helpers: Int, _ body: (Collected) -> Void) {
        for _ in 0..<helpers { _ = Parallel.start { [self] in help() } }
        let worker = CollectionWorker(sections, detail)
        for index in headers.indices {
            body(take(index, worker))
            if index + Self.most < headers.count { _ = open.add(index + Self.most, weight: 1) }
        }
        open.close()
    }

    private func help() {
        let worker = CollectionWorker(sections, detail)
        while let index = open.next() {
            collect(index, worker)
            _ = arrivals.add((), weight: 1)
        }
    }

    private func collect(_ index: Int, _ worker: CollectionWorker) {
        let collected = worker.collect(headers[index])
        done.withLock { $0[index] = collected }
    }

    private func take(_ index: Int, _ worker: CollectionWorker) -> Collected {
        while true {
            if let collected = done.withLock({ $0.removeValue(forKey: index) }) { return collected }
            if let next = open.next(waits: false) {
                collect(next, worker)
            } else {
                _ = arrivals.next()
            }
        }
    }
}
