internal import BinaryPrimitives

/// Reads the results of `make check` with automake's parallel driver (1.16; `lib/am/check.am`). What the failed tests have printed, and how
/// they ended, is in the log that the last line names; its path is one from make's folder on:
///
///     make[2]: Entering directory '/src/shop/build'
///     FAIL: tests/reads_null
///     ============================================================================
///     Testsuite summary for shop 1.0
///     ============================================================================
///     # TOTAL: 6
///     # FAIL:  4
///     # ERROR: 1
///     ============================================================================
///     See ./test-suite.log
struct AutomakeConsole: ConsoleFamily {
    private var folder = "."
    /// Results that are tests' if a summary follows: other programs print such lines, too.
    private var results: [(test: String, state: String)] = []
    private var isInSummary = false
    private var failed = 0

    private static let resultLimit = 10_000
    private static let failures = ["FAIL", "ERROR", "XPASS"]

    var isIdle: Bool { !isInSummary }

    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent] {
        var rest = line
        if line.hasPrefix("make"), let mark = line.firstRange(of: ": Entering directory '"), line.hasSuffix("'") {
            folder = line.clamped(to: mark.upperBound..<line.count - 1).text
            return []
        }
        if rest.consume("Testsuite summary for ") {
            isInSummary = true
            return []
        }
        guard isInSummary else {
            for state in Self.failures where rest.consume(state + ": ") {
                if results.count < Self.resultLimit { results.append((rest.text, state)) }
            }
            return []
        }
        for state in Self.failures where rest.consume("# \(state):") {
            rest = rest.trimmed()
            failed += rest.readDecimal().flatMap { Int(exactly: $0) } ?? 0
            return []
        }
        guard rest.consume("See "), let end = rest.firstRange(of: "test-suite.log") else { return [] }
        let path = rest.upTo(end.upperBound).text
        defer { (results, isInSummary, failed) = ([], false, 0) }
        return results.map { .ended($0.test, hasFailed: true, isOuter: true, result: $0.state) }
            + [.failed(failed, isOuter: true), .testLog(TestLog(runner: .automake, path: Path.join(folder, path)))]
    }

    mutating func finish() -> [ConsoleEvent] { [] }
}
