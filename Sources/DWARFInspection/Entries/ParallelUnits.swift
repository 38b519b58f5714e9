/// Writes the units of a large section on several threads. The output is that of one thread, byte
/// for byte, and so are the problems.
///
/// Each thread reads with a context of its own. What is common to all units is how much of lists
/// may be read (`ListAllowance`): a unit that is written before its turn is written again where the
/// units before it turn out to have left too little.
final class ParallelUnits: Sendable {
    private let order: UnitOrder
    private let first: Int
    // Used by the thread of its number alone.
    private nonisolated(unsafe) let writers: [UnitWriter]
    // Used by the thread that calls `write` alone.
    private nonisolated(unsafe) let context: DumpContext

    /// - Parameters:
    ///   - units: of `context`.
    ///   - makeText: how entries are written.
    init(
        _ units: ArraySlice<DumpUnit>, _ context: DumpContext, _ threads: DumpThreads, _ output: DumpOutput,
        makeText: (DumpContext, DumpOutput) -> EntryText
    ) {
        let order = UnitOrder(count: units.count, maxKept: threads.maxKept, after: context.listsRead)
        unsafe writers = (0..<threads.count).map { _ in UnitWriter(context, order, output, makeText) }
        unsafe self.context = context
        self.order = order
        first = units.startIndex
    }

    func write(_ threads: DumpThreads) {
        threads.run { [self] number in
            let writer = unsafe writers[number]
            while let unit = order.next() { writer.write(unit, first) }
        }
        // The next section's units may read what is left.
        unsafe context.startLists(after: order.read)
    }
}

/// Writes units on one thread, as their order lets it.
private final class UnitWriter {
    private let order: UnitOrder
    // These are the others' too, and used by who has the turn.
    private let sink: DumpOutput
    private let report: (String) -> Void

    private var context: DumpContext?
    private var text: EntryText?
    private var output: DumpOutput?
    /// The unit that is being written, and its text, if it does not have the turn.
    private var unit = 0
    private var kept: [[UInt8]] = []
    private var keptBytes = 0
    private var hasTurn = false
    /// More of lists was read than there is: what is still to come of the unit is dropped.
    private var isVoid = false

    init(_ shared: DumpContext, _ order: UnitOrder, _ sink: DumpOutput, _ makeText: (DumpContext, DumpOutput) -> EntryText) {
        self.order = order
        self.sink = sink
        report = shared.report
        let context = DumpContext(sharing: shared) { [unowned self] in add(problem: $0) }
        let output = DumpOutput { [unowned self] in add($0) }
        text = makeText(context, output)
        (self.context, self.output) = (context, output)
    }

    /// Writes a unit, and those after it that wait for no more than that.
    func write(_ index: Int, _ first: Int) {
        var next = Optional(index)
        while let unit = next {
            writeOnce(unit, first)
            next = finish()
        }
    }

    private func writeOnce(_ unit: Int, _ first: Int) {
        guard let context, let text, let output else { return }
        self.unit = unit
        let read = order.turn(of: unit)
        hasTurn = read != nil
        isVoid = false
        context.startLists(after: read ?? ListsRead())
        UnitText(text).write(context.units[first + unit])
        output.flush()
    }

    /// - Returns: a unit that this thread has to write, and that has the turn.
    private func finish() -> Int? {
        guard let context else { return nil }
        if !hasTurn {
            if order.keep(unit, UnitOrder.Kept(text: kept, read: context.listsRead)) {
                (kept, keptBytes) = ([], 0)
                return nil
            }
            claimTurn()
        }
        if isVoid { return unit }
        var read = context.listsRead
        while let (next, kept) = order.pass(read) {
            order.release(kept.size)
            read = read + kept.read
            guard context.allows(read) else { return next }
            for bytes in kept.text { sink.pass(bytes) }
        }
        return nil
    }

    private func add(_ bytes: [UInt8]) {
        if !hasTurn {
            if order.keeps(bytes.count, of: unit) {
                kept.append(bytes)
                keptBytes += bytes.count
                return
            }
            claimTurn()
        }
        if !isVoid { sink.pass(bytes) }
    }

    private func add(problem: String) {
        if isVoid { return }
        output?.flush()
        if !hasTurn { claimTurn() }
        if !isVoid { report(problem) }
    }

    /// Waits for the turn, and writes what was kept.
    private func claimTurn() {
        guard let context else { return }
        let read = order.waitForTurn(of: unit) + context.listsRead
        hasTurn = true
        order.release(keptBytes)
        isVoid = !context.allows(read)
        if !isVoid {
            for bytes in kept { sink.pass(bytes) }
            context.startLists(after: read)
        }
        (kept, keptBytes) = ([], 0)
    }
}
