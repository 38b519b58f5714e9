internal import BinaryPrimitives
internal import Synchronization

/// Brings files from debuginfod servers.
package protocol DebuginfodFetcher: Sendable {
    /// Requests all files at once.
    /// - Returns: a reply for each question, in their order.
    func results(for questions: [DebuginfodRequest]) -> [DebuginfodResult]
}

/// `cairn-tools fetch`, a process of its own that holds all network code. It is started
/// when there is something to request for the first time, and serves the whole run.
///
/// All waiting of a run together lasts no longer than the time budget, plus half a second for a
/// program that exceeds it: it is then ended.
package final class FetchProgram: DebuginfodFetcher {
    private let path: String
    private let arguments: [String]
    private let budget: Duration
    private let period: Duration?
    private let state = Mutex<State>(.init())

    private struct State: ~Copyable {
        var child: ChildProcess?
        /// Why no more is requested.
        var end: String?
        var spent: Duration = .zero
        /// When the first of the period was requested.
        var begin: ContinuousClock.Instant?
        /// Nothing is requested twice in one run.
        var known: [DebuginfodRequest: DebuginfodResult.Outcome] = [:]
    }

    /// Time beyond the budget after which the program is ended.
    private static let grace: Duration = .milliseconds(500)

    /// - Parameters:
    ///   - path: of the program.
    ///   - command: its first argument; `nil`: it has none.
    ///   - servers: the URLs that it uses.
    ///   - budget: for all waiting of the run.
    ///   - showsProgress: it writes a line to standard error, which must be a terminal.
    ///   - period: the time after which the budget is renewed, and missing files are requested
    ///     again: a service's run has no end. `nil` for never.
    ///   - options: more of its options.
    package init(
        path: String, command: String? = nil, servers: [String], budget: Duration, showsProgress: Bool, period: Duration? = nil,
        options: [String] = []
    ) {
        self.path = path
        self.budget = budget
        self.period = period
        arguments = (command.map { [$0] } ?? []) + servers.flatMap { ["--url", $0] } + (showsProgress ? ["--progress"] : []) + options
    }

    package func results(for questions: [DebuginfodRequest]) -> [DebuginfodResult] {
        state.withLock { state in
            let now = ContinuousClock.now
            if let period, state.begin.map({ now - $0 > period }) ?? false { state = State() }
            if state.begin == nil { state.begin = now }
            let unrequested = questions.filter { state.known[$0] == nil }
            if !unrequested.isEmpty { sendRequests(unrequested, &state) }
            let end = state.end ?? "no reply"
            return questions.map { DebuginfodResult($0, state.known[$0] ?? .failed(end)) }
        }
    }

    private func sendRequests(_ questions: [DebuginfodRequest], _ state: inout State) {
        guard state.end == nil else { return }
        let start = ContinuousClock.now
        defer { state.spent += ContinuousClock.now - start }
        let left = budget - state.spent
        guard left > .zero else {
            state.end = budgetIsSpent
            return
        }
        if state.child == nil {
            do throws(FileError) { state.child = try ChildProcess(path: path, arguments: arguments) } catch {
                state.end = "it cannot be run: \(error.description)"
                return
            }
        }
        guard var child = state.child.take() else { return }
        let deadline = start + left + Self.grace
        var waiting = Set(questions)
        let text = "within \(left.milliseconds)\n" + questions.map { $0.line + "\n" }.joined() + "\n"
        // A program that ended before it got the questions may have sent replies all the same.
        var isSound = child.send(text, before: deadline) != .late
        while isSound, !waiting.isEmpty {
            switch child.reply(before: deadline) {
            case .line(let line):
                guard let result = DebuginfodResult(line: line), waiting.remove(result.question) != nil else { continue }
                state.known[result.question] = result.outcome
            case .ended:
                state.end = "\(path) ended before it replied"
                isSound = false
            case .late: isSound = false
            }
        }
        if isSound {
            state.child = consume child
        } else {
            state.end = state.end ?? budgetIsSpent
            child.kill()
        }
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
