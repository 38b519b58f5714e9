internal import BinaryPrimitives

/// Reads the progress of pytest (7 to 9; `_pytest/terminal.py`): one that a signal ends prints neither its reports nor a summary. The failed
/// tests are then known from their letters, or with `-v` by their names, and so is the test that ran.
///
///     collected 5 items                                  collecting ... collected 5 items
///
///     test_cart.py .FFFatal Python error: Aborted        test_cart.py::test_adds PASSED                  [ 20%]
///                                                        test_cart.py::test_name FAILED                  [ 40%]
///                                                        test_cart.py::test_reads Fatal Python error: Aborted
///
/// With `-q` there is no heading, and nothing is known of such a run.
struct PytestProgress: ConsoleFamily {
    /// Tests have begun, and neither reports nor a summary have come.
    private var isOpen = false
    /// Failed tests whose names are not printed.
    private var letters = 0
    /// Names of failed tests.
    private var failed: [String] = []
    /// The test whose result has not come.
    private var current: String?

    private static let failedLimit = 10_000
    private static let results = ["PASSED", "FAILED", "ERROR", "SKIPPED", "XFAIL", "XPASS", "RERUN"]
    /// Passed, failed, error, skipped, expected to fail and passed although it was.
    private static let progress = Set(".FEsxX".utf8)

    var isIdle: Bool { !isOpen }

    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent] {
        if Self.collects(line) {
            let done = finish()
            isOpen = true
            return done
        }
        if isOpen, line.hasPrefix("===") || Self.isQuietSummary(line) {
            // The reports, which say more, or the summary.
            let done = end()
            self = PytestProgress()
            return done
        }
        if isOpen, let (name, end) = Self.test(line) { return self.end() + begin(name, line.from(end)) }
        if let current, let result = Self.results.first(where: { line.hasPrefix($0) }),
            line.at(result.utf8.count).map({ $0 <= 0x20 }) ?? true
        {
            return end(hasFailed: Self.isFailure(result)) + note(current, result)
        }
        if isOpen { letters += Self.failures(line) }
        return []
    }

    /// pytest has died, unless a summary has come.
    mutating func finish() -> [ConsoleEvent] {
        defer { self = PytestProgress() }
        guard isOpen else { return [] }
        let running = current
        var events = end(hasFailed: true) + failed.map { .ended($0, hasFailed: true) }
        // The test that ran is one more, if its name is not known.
        events += [
            .failed(letters + failed.count + 1, isOuter: false), .unreported("pytest died before it printed the reports"),
        ]
        guard let running else { return events }
        var issue = ConsoleIssue(runner: .pytest, test: running, message: "pytest died while it ran this test")
        issue.crash = ConsoleIssue.Crash(Span())
        return events + [.issue(issue)]
    }

    /// The test that ran has ended.
    private mutating func end(hasFailed: Bool = false) -> [ConsoleEvent] {
        defer { current = nil }
        return current.map { [.ended($0, hasFailed: hasFailed)] } ?? []
    }

    private mutating func begin(_ name: String, _ rest: Span<UInt8>) -> [ConsoleEvent] {
        if let result = Self.results.first(where: { rest.hasPrefix($0) }), rest.at(result.utf8.count).map({ $0 <= 0x20 }) ?? true {
            return note(name, result)
        }
        current = name
        return [.started(name)]
    }

    private mutating func note(_ name: String, _ result: String) -> [ConsoleEvent] {
        if Self.isFailure(result), failed.count < Self.failedLimit { failed.append(name) }
        return []
    }

    private static func isFailure(_ result: String) -> Bool { result == "FAILED" || result == "ERROR" }

    /// `collected 5 items`, `collecting ... collected 1 item / 2 deselected`
    private static func collects(_ line: Span<UInt8>) -> Bool {
        var rest = line
        _ = rest.consume("collecting ... ")
        guard rest.consume("collected "), let number = rest.readDecimal(), number > 0 else { return false }
        return rest.hasPrefix(" item")
    }

    /// `2 failed, 1 passed in 0.05s`
    private static func isQuietSummary(_ line: Span<UInt8>) -> Bool {
        var rest = line
        guard rest.readDecimal() != nil, rest.firstRange(of: " in ") != nil else { return false }
        return [" failed", " passed", " error", " skipped", " xfailed", " xpassed", " deselected", " warning"].contains {
            rest.hasPrefix($0)
        }
    }

    /// The name of a test as in the reports' headings: `TestQueue.test_counts[2]` of `tests/test_queue.py::TestQueue::test_counts[2] PASSED`.
    private static func test(_ line: Span<UInt8>) -> (name: String, end: Int)? {
        guard let mark = line.firstRange(of: "::"), line.upTo(mark.lowerBound).firstIndex(of: 0x20) == nil,
            line.upTo(mark.lowerBound).firstIndex(of: UInt8(ascii: ".")) != nil
        else {
            return nil
        }
        let rest = line.from(mark.upperBound)
        // A parameter may have blanks.
        var end = rest.firstIndex(of: 0x20) ?? rest.count
        if let bracket = rest.firstIndex(of: UInt8(ascii: "[")), bracket < end {
            end = rest.firstRange(of: "] ")?.lowerBound.advanced(by: 1) ?? rest.count
        }
        guard end > 0 else { return nil }
        let name = rest.upTo(end).text.split(separator: "::", omittingEmptySubsequences: true).joined(separator: ".")
        return (name, min(line.count, mark.upperBound + end + 1))
    }

    /// The failed tests in a line of letters: 2 of `test_cart.py .FF.. [100%]` and `test_cart.py .FFFatal Python error: Aborted`.
    private static func failures(_ line: Span<UInt8>) -> Int {
        var rest = line
        if let fatal = rest.firstRange(of: ProcessConsole.pythonMark) { rest = rest.upTo(fatal.lowerBound) }
        rest = rest.trimmed()
        if rest.hasSuffix("%]"), let percent = rest.lastRange(of: " [") { rest = rest.upTo(percent.lowerBound).trimmed() }
        if let blank = rest.lastIndex(of: 0x20) { rest = rest.from(blank + 1) }
        var count = 0
        for index in rest.indices {
            guard progress.contains(rest[index]) else { return 0 }
            if rest[index] == UInt8(ascii: "F") || rest[index] == UInt8(ascii: "E") { count += 1 }
        }
        return count
    }
}
