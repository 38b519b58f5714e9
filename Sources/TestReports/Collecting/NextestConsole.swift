internal import BinaryPrimitives

/// Reads the results of `cargo nextest run` (0.9; each test is a process of its own):
///
///             FAIL [   0.006s] (5/9) shop tests::must_panic
///       stdout ───
///         note: test did not panic as expected at src/lib.rs:47:8
///          SIGSEGV [   0.005s] (8/9) shop::crash crashes
///     ────────────
///          Summary [   0.459s] 9 tests run: 1 passed, 8 failed, 0 skipped
///             FAIL [   0.012s] (1/9) shop tests::errs
struct NextestConsole: ConsoleFamily {
    /// The test whose output is read.
    private var test: String?
    /// The results are listed again, those that count: a test that is run again may pass.
    private var isInSummary = false

    var isIdle: Bool { test == nil && !isInSummary }

    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent] {
        guard line.at(0) == 0x20 else {
            if line.count > 0, line.at(0) != 0xE2 { self = NextestConsole() }
            return []
        }
        if let (state, rest) = Self.heading(line) {
            if state == "Summary" {
                (test, isInSummary) = (nil, true)
                let text = line.from(rest)
                let count = [" failed", " timed out"].compactMap { ConsoleText.number(before: $0, in: text) }.reduce(0) {
                    $0.addingReportingOverflow($1).partialValue
                }
                return [.failed(count, isOuter: false)]
            }
            let hasFailed = state == "FAIL" || state == "TIMEOUT" || state.hasPrefix("SIG")
            let name = Self.name(line.from(rest))
            test = hasFailed && !isInSummary ? name : nil
            guard hasFailed, let name else { return [] }
            if isInSummary { return [.ended(name, hasFailed: true)] }
            guard state.hasPrefix("SIG") else { return [] }
            var issue = ConsoleIssue(runner: .ctest, test: name, message: state)
            let bytes = Array(state.utf8)
            issue.crash = ConsoleIssue.Crash(bytes.span)
            return [.issue(issue)]
        }
        var rest = line.trimmed()
        guard let test, rest.consume("note: test did not panic as expected at "), let (head, column) = XCTestConsole.location(rest) else {
            return []
        }
        let bytes = Array(head.utf8)
        guard let (file, number) = XCTestConsole.location(bytes.span) else { return [] }
        return [
            .issue(
                ConsoleIssue(
                    runner: .ctest, test: test, file: file, line: number, column: column, message: "test did not panic as expected"))
        ]
    }

    mutating func finish() -> [ConsoleEvent] { [] }

    /// `     SIGSEGV [   0.005s] `: the state, and where the rest begins.
    private static func heading(_ line: Span<UInt8>) -> (state: String, rest: Int)? {
        let text = line.upTo(48)
        guard let open = text.firstRange(of: " [ "), let close = text.firstRange(of: "s] ", from: open.upperBound) else { return nil }
        let state = text.upTo(open.lowerBound).trimmed()
        guard state.count > 0, state.firstIndex(of: 0x20) == nil, let first = state.at(0), first < 0x60 else { return nil }
        return (state.text, close.upperBound)
    }

    /// `tests::errs` of `(1/9) shop tests::errs`
    private static func name(_ text: Span<UInt8>) -> String? {
        let text = text.trimmed()
        return text.lastIndex(of: 0x20).map { text.from($0 + 1).text }
    }
}
