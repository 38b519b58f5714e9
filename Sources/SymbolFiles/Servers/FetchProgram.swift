internal import BinaryPrimitives
internal import Synchronization

/// Brings files from servers.
package protocol FileFetcher: Sendable {
    /// Requests all files at once. Calls on several threads do not wait for each other.
    /// - Returns: a reply for each file, in their order.
    func results(for files: [RequestedFile]) -> [DownloadResult]
}

/// `cairn-tools fetch`, a process of its own that holds all network code. It is started
/// when there is something to request for the first time, and serves the whole run.
///
/// A run waits no longer than its budget for all files together, a service no longer than that for each call; half a second more for a
/// program that exceeds it: it is then ended.
package final class FetchProgram: FileFetcher {
    private let path: String
    private let arguments: [String]
    private let budget: Duration
    private let isService: Bool
    private let state = Mutex(State())
    /// Held while a request is written, so that lines of two threads do not mix.
    private let sending = Mutex(())

    private struct State {
        var child: ChildProcess?
        /// Why no more is requested in this run.
        var end: String?
        /// Waiting of calls that have ended.
        var spent: Duration = .zero
        /// Calls that wait, and since when there is one.
        var calls = 0
        var begin = ContinuousClock.now
        /// Nothing is requested twice in one run.
        var known: [RequestedFile: DownloadResult.Outcome] = [:]
        var lastNumber = 0
        /// Requests without a reply, by their numbers.
        var waiting: [Int: Waiter] = [:]
        /// Whether a thread reads the program's replies.
        var isRead = false

        func spent(at now: ContinuousClock.Instant) -> Duration { spent + (calls > 0 ? now - begin : .zero) }
    }

    private struct Waiter {
        var file: RequestedFile
        var deadline: ContinuousClock.Instant
        var replies: WorkQueue<DownloadResult>
    }

    /// Time beyond the budget after which the program is ended.
    private static let grace: Duration = .milliseconds(500)
    /// The reading thread looks at least so often whether a request is over its time.
    private static let interval: Duration = .milliseconds(250)

    /// - Parameters:
    ///   - path: of the program.
    ///   - command: its first argument; `nil`: it has none.
    ///   - servers: those that it uses.
    ///   - budget: for all waiting of a run, or for each call of a service.
    ///   - showsProgress: it writes a line to standard error, which must be a terminal.
    ///   - isService: the run has no end: missing files are requested again, and a program that ended is started again.
    ///   - options: more of its options.
    package init(
        path: String, command: String? = nil, servers: [SymbolServer], budget: Duration, showsProgress: Bool, isService: Bool = false,
        options: [String] = []
    ) {
        self.path = path
        self.budget = budget
        self.isService = isService
        arguments = (command.map { [$0] } ?? []) + servers.flatMap { ["--url", $0.text] } + (showsProgress ? ["--progress"] : []) + options
    }

    package func results(for files: [RequestedFile]) -> [DownloadResult] {
        let known = state.withLock { state in state.known }
        let unknown = files.filter { known[$0] == nil }
        guard !unknown.isEmpty else { return files.map { DownloadResult($0, known[$0] ?? .failed("no reply")) } }
        var outcomes = known
        for result in request(unknown) { outcomes[result.file] = result.outcome }
        return files.map { DownloadResult($0, outcomes[$0] ?? .failed("no reply")) }
    }

    private func request(_ files: [RequestedFile]) -> [DownloadResult] {
        let now = ContinuousClock.now
        let (end, left) = state.withLock { state in
            let left = isService ? budget : budget - state.spent(at: now)
            if state.end == nil, left <= .zero { state.end = budgetIsSpent }
            if state.calls == 0 { state.begin = now }
            state.calls += 1
            return (state.end, left)
        }
        defer {
            state.withLock { state in
                state.calls -= 1
                if state.calls == 0 { state.spent += ContinuousClock.now - state.begin }
            }
        }
        if let end { return files.map { DownloadResult($0, .failed(end)) } }
        let child: ChildProcess
        do throws(FileError) { child = try runningProgram() } catch {
            let end = "it cannot be run: \(error.description)"
            if !isService { state.withLock { $0.end = end } }
            return files.map { DownloadResult($0, .failed(end)) }
        }
        let deadline = now + left + Self.grace
        let replies = WorkQueue<DownloadResult>(maxWeight: .max)
        let (lines, mustRead) = state.withLock { state in
            var lines: [String] = []
            for file in files {
                state.lastNumber += 1
                state.waiting[state.lastNumber] = Waiter(file: file, deadline: deadline, replies: replies)
                lines.append("\(state.lastNumber) \(file.line)\n")
            }
            defer { state.isRead = true }
            return (lines, !state.isRead)
        }
        if mustRead, !Parallel.start({ [self] in readReplies() }) { finish(child, "no thread can be started") }
        let text = "within \(left.milliseconds)\n" + lines.joined() + "\n"
        // A program that ended before it got the requests may have sent replies all the same.
        let delivery = sending.withLock { _ in child.send(text, before: deadline) }
        if delivery == .late { finish(child, budgetIsSpent) }
        var results: [DownloadResult] = []
        while results.count < files.count, let result = replies.next() { results.append(result) }
        return results
    }

    /// The program; it is started if it does not run.
    private func runningProgram() throws(FileError) -> ChildProcess {
        if let child = state.withLock({ $0.child }) { return child }
        let made = try ChildProcess(path: path, arguments: arguments)
        return state.withLock { state in
            let child = state.child ?? made
            state.child = child
            return child
        }
    }

    /// Reads replies as long as something waits for one.
    private func readReplies() {
        while true {
            let (child, nearest) = state.withLock { state in
                let nearest = state.waiting.values.lazy.map(\.deadline).min()
                if nearest == nil || state.child == nil { state.isRead = false }
                return (state.child, nearest)
            }
            guard let child, let nearest else { return }
            switch child.reply(before: min(nearest, .now + Self.interval)) {
            case .line(let line): accept(line)
            case .ended: return finish(child, "\(path) ended before it replied")
            case .late: if nearest <= .now { return finish(child, budgetIsSpent) }
            }
        }
    }

    private func accept(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[0]), let outcome = DownloadResult.Outcome(line: parts[1]) else { return }
        let waiter = state.withLock { state in
            let waiter = state.waiting.removeValue(forKey: number)
            if !isService, let waiter { state.known[waiter.file] = outcome }
            return waiter
        }
        if let waiter { _ = waiter.replies.add(DownloadResult(waiter.file, outcome), weight: 0) }
    }

    /// Ends the program; whoever waits for it gets the reason.
    private func finish(_ child: ChildProcess, _ reason: String) {
        let waiting = state.withLock { state -> [Waiter] in
            guard state.child === child else { return [] }
            (state.child, state.isRead) = (nil, false)
            if !isService { state.end = reason }
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        child.kill()
        for waiter in waiting { _ = waiter.replies.add(DownloadResult(waiter.file, .failed(reason)), weight: 0) }
    }

    private var budgetIsSpent: String { "the time budget of \(budget.text) is used up" }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    package var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }

    /// For people: `2 s`, `1.5 s`.
    package var text: String {
        let tenths = milliseconds % 1000 / 100
        return tenths == 0 ? "\(components.seconds) s" : "\(components.seconds).\(tenths) s"
    }
}
