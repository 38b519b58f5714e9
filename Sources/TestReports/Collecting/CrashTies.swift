/// Ties captured crashes to the tests that ran their processes.
///
/// A runner prints a line of its own about a crash (`***Exception: SegFault`), and the memory of the process is captured: both are one failure.
/// Tests that were running when the process ended are known from the output before that. Where several tests can be meant, none is.
struct CrashTies {
    /// A process that a signal has ended.
    struct Crash: Sendable {
        var failure: Failure
        /// `SIGSEGV`
        var signal: String
        /// The tests that were running when it ended.
        var moment: Moment
        /// The path of the program that it ran.
        var program: String?
    }

    /// State of the tests at a moment.
    struct Moment: Sendable, Hashable {
        /// The tests that have begun and not ended.
        var running: [String]
        /// How many have ended.
        var ended: Int
    }

    private let results: TestResults
    /// The paths of programs, by their tests, as far as the runner says them.
    private let programs: [String: String]

    /// - Parameter crashes: only where the moment does not say the test are the runner's logs read.
    init(_ results: TestResults, _ crashes: [Crash]) {
        self.results = results
        guard crashes.contains(where: { $0.moment.running.count != 1 }) else {
            programs = [:]
            return
        }
        programs = results.logs.reduce(into: [:]) { $0.merge($1.contents().programs) { _, new in new } }
    }

    /// - Returns: for each crash the index of the runner's report about it, if there is one that no other crash can be meant by.
    func ties(_ crashes: [Crash], _ notices: [ConsoleIssue]) -> [Int?] {
        var ties = [Int?](repeating: nil, count: crashes.count)
        var open = Set(notices.indices)
        func isPossible(_ crash: Crash, _ notice: ConsoleIssue) -> Bool {
            let signals = notice.crash?.signals ?? []
            let running = tests(crash)
            // A program's own runner names its own tests, in the output of the outer runner's test.
            let names = [notice.test, notice.outerTest].compactMap { $0 }
            return (signals.isEmpty || signals.contains(crash.signal)) && (running.isEmpty || running.contains(where: names.contains))
        }
        func tie(_ crash: Int, _ notice: Int) {
            ties[crash] = notice
            open.remove(notice)
        }
        // One test was running.
        for index in crashes.indices where tests(crashes[index]).count == 1 {
            if let notice = open.sorted().first(where: { isPossible(crashes[index], notices[$0]) }) { tie(index, notice) }
        }
        // Several tests were running, but only one report fits this crash, and no other crash fits that report.
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for index in crashes.indices where ties[index] == nil && tests(crashes[index]).count > 1 {
                let possible = open.filter { isPossible(crashes[index], notices[$0]) }
                guard possible.count == 1, let notice = possible.first else { continue }
                let others = crashes.indices.filter { $0 != index && ties[$0] == nil && isPossible(crashes[$0], notices[notice]) }
                guard others.isEmpty else { continue }
                tie(index, notice)
                hasChanged = true
            }
        }
        // Runners that do not print when a test begins: the program, if no other crash and no other report has it.
        for index in crashes.indices where ties[index] == nil && crashes[index].moment.running.isEmpty {
            guard let program = crashes[index].program else { continue }
            let own = open.filter { isPossible(crashes[index], notices[$0]) && notices[$0].test.flatMap { programs[$0] } == program }
            if own.count == 1, crashes.count(where: { $0.program == program }) == 1, let notice = own.first { tie(index, notice) }
        }
        // Else in order, if there are as many reports as crashes.
        let unnamed = crashes.indices.filter { ties[$0] == nil && crashes[$0].moment.running.isEmpty }
        let left = open.sorted()
        if unnamed.count == left.count, zip(unnamed, left).allSatisfy({ isPossible(crashes[$0], notices[$1]) }) {
            for (crash, notice) in zip(unnamed, left) { tie(crash, notice) }
        }
        return ties
    }

    /// The tests that can have run the process: those that were running, of them those whose program it is.
    private func tests(_ crash: Crash) -> [String] {
        let running = crash.moment.running
        guard running.count > 1, let program = crash.program else { return running }
        let own = running.filter { programs[$0] == program }
        return own.isEmpty ? running : own
    }

    /// Whether the function of a test of GoogleTest that has passed is on the stack: a death test, whichever runner started its program.
    func isDeathTest(_ crash: Crash) -> Bool {
        guard let test = Self.googleTest(crash.failure) else { return false }
        return results.ended.last { $0.test.replacing(".", with: "_") == test }?.hasFailed == false
    }

    /// Whether a process was meant to crash: all tests that can have run it have passed.
    func isExpected(_ crash: Crash) -> Bool {
        let running = tests(crash)
        return !running.isEmpty && running.allSatisfy { results.hasFailed($0, after: crash.moment.ended) == false }
    }

    /// `CartDeathTest_Dies` of the function `CartDeathTest_Dies_Test::TestBody()` (`gtest-internal.h`, GTEST_TEST_CLASS_NAME_).
    static func googleTest(_ failure: Failure) -> String? {
        for function in failure.stacks.first?.frames.compactMap(\.function) ?? [] where function.hasSuffix(bodySuffix) {
            return String(function.dropLast(bodySuffix.utf8.count).split(separator: ":").last ?? "")
        }
        return nil
    }

    private static let bodySuffix = "_Test::TestBody()"
}
