internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// The traces that have begun and not ended, each of another origin, and those that have ended and
/// wait because another that began before their end is still open.
struct OpenTraces: Sendable {
    struct Trace: Sendable {
        var format: any LineFormat
        /// Only the look of a line suggests this format: every other format comes first.
        var isWeak = false
        /// Range in the log from its first line to the end of its last line so far.
        var range: Range<Int>
        var origin: LineOrigin
        /// Prefix of its first line.
        var prefix: LinePrefix
        /// Number of a test that came before its first line, and so before all of its lines.
        var testNumber: UInt64?
        /// It is accepted only if it is the whole log.
        var standsAlone: Bool { type(of: format).standsAlone }
        /// End of the last line that it was shown.
        var shown = 0
        var unreadRows = UnreadRows()
        /// Number of consecutive lines, up to now, that its format did not recognise.
        var unknownLines = 0
        /// The memory map of the same writer before it, and the one inside and after it.
        var earlierMap: MapExcerpt?
        /// Cause that a program reported shortly before it.
        var earlierCause: CrashCause?
        var map = MapExcerpt()
        /// The stack has ended, and only a map's rows are still accepted.
        var isInMap = false
    }

    private(set) var traces: [Trace] = []
    private(set) var ended: [(reports: [CrashReport], range: Range<Int>)] = []
    /// The first trace that had begun and was rejected: its start, and what it lacked.
    private(set) var firstShortfall: (start: Int, message: String)?
    /// Ranges that had begun like a trace and were rejected, and the cause that the writer had
    /// reported before each.
    private(set) var unread: [(range: Range<Int>, earlierCause: CrashCause?)] = []
    /// The last trace that had begun and was rejected, while it has not been looked at again.
    private var failed: Range<Int>?
    /// Number of lines that the formats of all open traces accepted.
    private(set) var lines = 0

    var isEmpty: Bool { traces.isEmpty }

    /// Numbers of tests that the open traces began with.
    private var testNumbers: [UInt64] = []

    /// The latest test number.
    var testNumber: UInt64? { testNumbers.last }

    /// Start of the first trace that is still held.
    var start: Int? {
        let open = traces.map(\.range.lowerBound).min()
        let waiting = ended.map(\.range.lowerBound).min()
        guard let open else { return waiting }
        return min(open, waiting ?? open)
    }

    /// Index of the trace that a line may continue: one of the very same origin, else the latest
    /// that the line can belong to.
    func index(for origin: LineOrigin) -> Int? {
        // By index: looking at the traces themselves would copy each.
        traces.indices.first { traces[$0].origin == origin } ?? traces.indices.last { traces[$0].origin.isContinued(by: origin) }
    }

    /// Assigns the trace that waits for another writer's stack to the writer of a line that begins
    /// one.
    /// - Returns: index of the trace; `nil` if none waits.
    mutating func handOver(to origin: LineOrigin, _ format: any LineFormat.Type) -> Int? {
        guard
            let index = traces.indices.last(where: {
                traces[$0].format.awaitsStackFromOtherProcess && type(of: traces[$0].format) == format
            })
        else {
            return nil
        }
        traces[index].origin = origin
        return index
    }

    /// - Parameter limit: maximum number of open traces. Beyond it, the trace that has not gone on
    ///   for the longest time ends.
    mutating func open(_ trace: Trace, limit: Int) {
        if traces.count >= limit, let latest = traces.indices.min(by: { traces[$0].range.upperBound < traces[$1].range.upperBound }) {
            close(latest, because: "More than \(limit) writers' traces were open at one time: what follows of this one is read by itself.")
        }
        if let number = trace.testNumber { testNumbers.append(number) }
        traces.append(trace)
    }

    private mutating func remove(_ index: Int) -> Trace {
        let trace = traces.remove(at: index)
        if let number = trace.testNumber, let position = testNumbers.firstIndex(of: number) { testNumbers.remove(at: position) }
        return trace
    }

    /// Adds a row of a memory map to a trace.
    mutating func addMapping(_ index: Int, _ row: MemoryMapRow, end: Int) {
        traces[index].map.add(row, endingAt: end)
        traces[index].range = traces[index].range.lowerBound..<end
        traces[index].unknownLines = 0
    }

    /// Nothing more than a map's rows may follow in a trace.
    mutating func expectMap(_ index: Int) { traces[index].isInMap = true }

    /// Shows a trace its next line.
    mutating func consume(_ index: Int, _ line: Span<UInt8>, at range: Range<Int>, end: Int) -> LineVerdict {
        let verdict = traces[index].format.consume(line, at: range)
        switch verdict {
        case .more, .done:
            traces[index].range = traces[index].range.lowerBound..<end
            traces[index].unknownLines = 0
            lines += 1
        case .unknown:
            traces[index].unknownLines += 1
            traces[index].unreadRows.add(line, at: range.lowerBound)
        case .rejected: break
        }
        if verdict != .rejected { traces[index].shown = end }
        return verdict
    }

    /// Closes a trace; without a stack in it, it is text like any other.
    /// - Parameter cut: the reason, if the log would continue the trace: a sentence for the report.
    mutating func close(_ index: Int, because cut: String? = nil) {
        var trace = remove(index)
        var reports = trace.format.finish()
        guard !reports.isEmpty else {
            failed = trace.range
            note(unread: trace)
            let message = trace.format.incompleteTraceMessage
            if firstShortfall == nil, !message.isEmpty { firstShortfall = (trace.range.lowerBound, message) }
            return
        }
        if let cut { reports[reports.count - 1].noteCut(cut) }
        if let note = trace.unreadRows.note(before: trace.range.upperBound) { reports[0].notes.append(note) }
        let maps = [trace.map.rows.isEmpty ? nil : trace.map, trace.earlierMap].compactMap { $0 }
        for index in reports.indices {
            reports[index].recoverBases(maps: maps)
            reports[index].useEarlierCause(trace.earlierCause)
            reports[index].process.name = reports[index].process.name ?? trace.prefix.processName
            reports[index].process.pid = reports[index].process.pid ?? trace.prefix.pid
            reports[index].process.host = reports[index].process.host ?? trace.prefix.hostName
            reports[index].process.container = reports[index].process.container ?? trace.prefix.containerName
            reports[index].timestamp = reports[index].timestamp ?? trace.prefix.timestamp.map { Timestamp($0) }
        }
        ended.append((reports, trace.range))
    }

    /// Removes and returns the range of a trace that has just been rejected.
    mutating func removeFailed() -> Range<Int>? {
        defer { failed = nil }
        return failed
    }

    /// Rejects a trace.
    mutating func drop(_ index: Int) { note(unread: remove(index)) }

    private mutating func note(unread trace: Trace) {
        guard !(trace.format is RowStacks) else { return }
        unread.append((trace.range.lowerBound..<max(trace.range.upperBound, trace.shown), trace.earlierCause))
    }

    mutating func removeUnread() -> [(range: Range<Int>, earlierCause: CrashCause?)] {
        defer { unread = [] }
        return unread
    }

    /// Adds reports that were found in text that belongs to no trace.
    mutating func add(_ reports: [CrashReport], in range: Range<Int>) {
        guard !traces.contains(where: { $0.range.overlaps(range) }), !ended.contains(where: { $0.range.overlaps(range) }) else { return }
        ended.append((reports, range))
    }

    /// Whether nothing that a trace's format knows has come for so long that it counts as ended.
    func isLost(_ index: Int, _ limits: Limits) -> Bool { traces[index].unknownLines > limits.unknownLines }

    mutating func closeAll(because cut: String? = nil) {
        // From the end: removing one in front moves the others.
        while !traces.isEmpty { close(traces.count - 1, because: cut) }
    }

    /// The sentence for a trace that `Limits.heldTrace` ends.
    static func heldNote(_ limit: Int) -> String { "More than \(limit) bytes were held for the trace: what follows is read by itself." }

    /// Closes the traces that have not gone on for `distance` bytes of other writers' lines, or are longer than `limit`.
    ///
    /// A trace without a prefix has a 64th of the distance: a program that prints its stacks beside its own logger's lines prints all rows
    /// of one stack within milliseconds, and the next rows without a prefix are another crash.
    mutating func closeStale(at position: Int, distance: Int, limit: Int) {
        var index = 0
        while index < traces.count {
            let range = traces[index].range
            if range.count > limit {
                close(index, because: Self.heldNote(limit))
            } else if position - range.upperBound > (traces[index].origin.hasPrefix ? distance : distance / 64) {
                close(index)
            } else {
                index += 1
            }
        }
    }

    /// Removes and returns the traces that have ended, in the log's order: traces that overlap are
    /// together. Empty while a trace is open.
    mutating func removeEnded() -> [(reports: [CrashReport], range: Range<Int>)] {
        guard traces.isEmpty else { return [] }
        lines = 0
        guard !ended.isEmpty else { return [] }
        let sorted = ended.sorted { $0.range.lowerBound < $1.range.lowerBound }
        ended = []
        return sorted.reduce(into: []) { groups, next in
            // The range alone: holding the last group would copy its reports at each addition.
            if let last = groups.last?.range, next.range.lowerBound < last.upperBound {
                groups[groups.count - 1].reports += next.reports
                groups[groups.count - 1].range = last.lowerBound..<max(last.upperBound, next.range.upperBound)
            } else {
                groups.append(next)
            }
        }
    }
}
