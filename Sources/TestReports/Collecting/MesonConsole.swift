internal import BinaryPrimitives

/// Reads the results of `meson test` (1.0; `mesonbuild/mtest.py`). What the tests have printed is in the log that the last line names:
///
///     2/8 shop / reads null   FAIL            0.02s   killed by signal 11 SIGSEGV
///     8/8 shop / sleeps       TIMEOUT         1.02s   killed by signal 15 SIGTERM
///
///     Fail:               6
///     Timeout:            1
///
///     Full log written to /src/shop/build/meson-logs/testlog.txt
struct MesonConsole: ConsoleFamily {
    /// A result has come.
    private var isOpen = false

    private static let passed = ["OK", "SKIP", "EXPECTEDFAIL"]
    private static let failed = ["FAIL", "TIMEOUT", "ERROR", "UNEXPECTEDPASS", "INTERRUPT"]

    var isIdle: Bool { !isOpen }

    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent] {
        if isOpen {
            var rest = line
            if rest.consume("Full log written to ") {
                self = MesonConsole()
                return [.testLog(TestLog(runner: .meson, path: rest.trimmed().text))]
            }
            for label in ["Fail:", "Timeout:", "Unexpected Pass:"] where rest.consume(label) {
                rest = rest.trimmed()
                guard let count = rest.readDecimal().flatMap({ Int(exactly: $0) }), rest.count == 0 else { return [] }
                return [.failed(count, isOuter: true)]
            }
        }
        guard let (test, state, detail) = Self.result(line) else { return [] }
        isOpen = true
        guard Self.failed.contains(state) else { return [.ended(test, hasFailed: false, isOuter: true)] }
        let text = state + (detail.isEmpty ? "" : ": " + detail)
        let end = ConsoleEvent.ended(test, hasFailed: true, isOuter: true, result: text)
        // A test that takes too long is ended by meson.
        guard state != "TIMEOUT", state != "INTERRUPT", detail.hasPrefix("killed by signal "),
            let signal = detail.split(separator: " ").last, signal.hasPrefix("SIG")
        else { return [end] }
        var issue = ConsoleIssue(runner: .ctest, test: test, message: text)
        let bytes = Array(signal.utf8)
        issue.crash = ConsoleIssue.Crash(bytes.span)
        return [end, .issue(issue)]
    }

    mutating func finish() -> [ConsoleEvent] { [] }

    /// The name, the state, and what follows the duration.
    private static func result(_ line: Span<UInt8>) -> (test: String, state: String, detail: String)? {
        var rest = line.trimmed()
        guard rest.readDecimal() != nil, rest.consume("/"), rest.readDecimal() != nil, rest.consume(" ") else { return nil }
        for state in passed + failed {
            guard let mark = rest.lastRange(of: " \(state) "), mark.lowerBound > 0 else { continue }
            var after = rest.from(mark.upperBound)
            after.skipBlanks()
            guard after.readDecimal() != nil, after.consume("."), after.readDecimal() != nil, after.consume("s") else { continue }
            return (rest.upTo(mark.lowerBound).trimmed().text, state, after.trimmed().text)
        }
        return nil
    }
}
