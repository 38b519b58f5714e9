internal import BinaryPrimitives

/// How the tests of a run ended, as far as their runners say.
struct TestResults: Sendable {
    /// The tests that have ended, in order. One that is run again is there again.
    private(set) var ended: [Ended] = []
    /// Assertions of C, after which a process is ended.
    private(set) var assertions: [FatalMessage] = []
    /// Why failed tests have no line, if a runner has ended early: `pytest died before it printed the reports`.
    var unreported: String?
    /// The logs of what tests have printed.
    private(set) var logs: [TestLog] = []
    private var outer = 0
    private var inner = 0

    /// Tests that are kept; of further ones the results are not known.
    private static let testLimit = 1 << 16
    private static let assertionLimit = 1000
    private static let logLimit = 256
    /// A runner that counts more tests is none.
    private static let countLimit = 1_000_000

    /// A test that has ended.
    struct Ended: Sendable, Hashable {
        var test: String
        var hasFailed: Bool
        /// It is a test of an outer runner: a program that may have tests of its own.
        var isOuter: Bool
        /// The outer runner's word about it: `Timeout`.
        var result: String?
    }

    mutating func add(_ test: String, hasFailed: Bool, isOuter: Bool, result: String? = nil) {
        guard ended.count < Self.testLimit else { return }
        ended.append(Ended(test: test, hasFailed: hasFailed, isOuter: isOuter, result: result.map { PlainText.line($0, limit: 1000) }))
    }

    mutating func add(count: Int, isOuter: Bool) {
        guard (0...Self.countLimit).contains(count) else { return }
        if isOuter { outer += count } else { inner = min(inner + count, Self.countLimit) }
    }

    mutating func add(log: TestLog) {
        if logs.count < Self.logLimit, !logs.contains(log) { logs.append(log) }
    }

    mutating func add(assertion: FatalMessage) {
        if assertions.count < Self.assertionLimit { assertions.append(assertion) }
    }

    /// Number of failed tests in the runners' own summaries: an outer runner, as ctest, counts programs that have summaries themselves.
    var counted: Int { hasOuter ? outer : inner }
    /// An outer runner has run the tests.
    var hasOuter: Bool { outer > 0 || ended.contains(where: \.isOuter) }

    /// The tests that have failed, each once; with an outer runner only its own.
    var failed: [String] {
        var seen: Set<String> = []
        let hasOuter = hasOuter
        return ended.filter { $0.isOuter == hasOuter && $0.hasFailed && !$0.test.isEmpty && seen.insert($0.test).inserted }.map(\.test)
    }

    /// Whether a test failed that was running when this many tests had ended; `nil` where that is not known.
    func hasFailed(_ test: String, after count: Int) -> Bool? { ended.dropFirst(count).first { $0.test == test }?.hasFailed }
}
