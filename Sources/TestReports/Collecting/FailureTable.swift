/// The failures of a run, each once and counted.
struct FailureTable: Sendable {
    /// The console and the stream of events report the same failures, and a process that prints its stack may be captured when it ends:
    /// each source counts for itself.
    enum Source: Int, CaseIterable { case report, memory, console, events, testLog }

    /// Failures beyond the most that are kept.
    private(set) var leftOut = 0
    private var all: [(failure: Failure, counts: [Int])] = []
    private var indices: [Key: Int] = [:]
    private var framesKept = 0

    /// Distinct failures that are kept.
    private static let failureLimit = 1000
    private static let testLimit = 50
    /// Frames of all failures together, beyond which only the beginnings of stacks are kept: a
    /// thousand deep stacks, each of many threads, are more than anybody reads.
    private static let frameLimit = 200_000

    /// Key of equal failures: the same rule on the same line; without a line, the same texts and
    /// functions.
    private struct Key: Hashable {
        let rule: String
        let location: String

        init(_ failure: Failure) {
            // A debugger and the process itself report one hang under two names.
            rule = failure.kind == .hang ? "hang" : failure.rule
            if let location = failure.location {
                self.location = "\(location.path):\(location.line)"
            } else {
                let functions = failure.stacks.first?.frames.prefix(3).map { $0.function ?? $0.address ?? "" } ?? []
                location = ([failure.title, failure.message] + functions + failure.tests.prefix(1)).joined(separator: "\u{1}")
            }
        }
    }

    /// Failures in the order in which they were met, with their counts.
    ///
    /// A hang without a line is left out where another has one: stacks are requested in two ways,
    /// and one may not get through the system's code to the user's own.
    var failures: [Failure] {
        let hasHang = all.contains { $0.failure.kind == .hang && $0.failure.location != nil }
        return all.filter { !hasHang || $0.failure.kind != .hang || $0.failure.location != nil }.map { failure, counts in
            var failure = failure
            failure.count = max(1, counts.max() ?? 1)
            return failure
        }
    }

    /// Whether a debugger has reported a process that took too long.
    /// - Parameter withLocation: only if a line of the user's own code was found.
    func hasResolvedHang(withLocation: Bool) -> Bool {
        all.contains { $0.failure.rule == FailureRule.timeout.id && (!withLocation || $0.failure.location != nil) }
    }

    /// Number of printed reports with a line.
    func printedReports(at location: Failure.Location) -> Int {
        all.reduce(0) { sum, entry in
            let own = entry.failure.location
            return own?.path == location.path && own?.line == location.line ? sum + entry.counts[Source.report.rawValue] : sum
        }
    }

    /// The line of a crash that a process has printed and that was not captured yet.
    func printedLocation(_ rule: String) -> Failure.Location? {
        all.first { entry in
            entry.failure.rule == rule && entry.failure.location != nil
                && entry.counts[Source.memory.rawValue] < entry.counts[Source.report.rawValue]
        }?.failure.location
    }

    /// A crash whose stack a process has printed.
    /// - Parameter rule: of the signal; `nil`: any.
    func printedCrash(_ rule: String?, tests: [String]) -> Failure? {
        all.first { entry in
            entry.counts[Source.report.rawValue] > 0 && entry.failure.kind == .crash && (rule ?? entry.failure.rule) == entry.failure.rule
                && (tests.isEmpty || entry.failure.tests.isEmpty || entry.failure.tests.contains(where: tests.contains))
        }?.failure
    }

    /// Whether a process that was ended after an assertion on this line is known. The line of the call, and that of the message, are
    /// different lines of an assertion that has several.
    func hasAssertion(at location: Failure.Location) -> Bool {
        all.contains { entry in
            guard let own = entry.failure.location, own.path == location.path, entry.failure.rule == "crash/SIGABRT" else { return false }
            let isAssertion = entry.failure.stacks.first?.frames.contains { $0.function?.hasPrefix("__assert") == true } ?? false
            return own.line == location.line || isAssertion && abs(own.line - location.line) < 20
        }
    }

    /// Whether a name is that of a function, as a stack has it: `test_counts` of the test `test_queue.py::TestQueue::test_counts[2]`.
    private static func isName(_ function: String, of test: String) -> Bool {
        let name = test.prefix { $0 != "[" }
        return name.hasSuffix(function) && (name == function || [".", ":"].contains(name.dropLast(function.count).last))
    }

    mutating func add(_ failure: Failure, _ source: Source) {
        let key = Key(failure)
        if let index = indices[key] {
            // A stack that the process printed says more: its message. Some runners show it when they end.
            if source == .report, all[index].counts[Source.report.rawValue] == 0, all[index].counts[Source.memory.rawValue] > 0 {
                let tests = all[index].failure.tests
                all[index].failure = failure
                all[index].failure.tests = tests
            }
            all[index].counts[source.rawValue] += 1
            // The more detailed data stays: a column, the tests.
            if all[index].failure.location?.column == 0, let column = failure.location?.column {
                all[index].failure.location?.column = column
            }
            for test in failure.tests where !all[index].failure.tests.contains(test) && all[index].failure.tests.count < Self.testLimit {
                if let shorter = all[index].failure.tests.firstIndex(where: { Self.isName($0, of: test) }) {
                    all[index].failure.tests[shorter] = test
                    continue
                }
                all[index].failure.tests.append(test)
                if let stack = failure.stacks.first, framesKept < Self.frameLimit {
                    all[index].failure.stacksOfTests[test] = stack
                    framesKept += stack.frames.count
                }
            }
            return
        }
        guard all.count < Self.failureLimit else {
            leftOut += 1
            return
        }
        var failure = failure
        framesKept += failure.stacks.reduce(0) { $0 + $1.frames.count }
        if framesKept > Self.frameLimit {
            failure.stacks = failure.stacks.prefix(1).map { Failure.Stack(title: $0.title, frames: Array($0.frames.prefix(20))) }
        }
        indices[key] = all.count
        var counts = Source.allCases.map { _ in 0 }
        counts[source.rawValue] = 1
        all.append((failure, counts))
    }
}
