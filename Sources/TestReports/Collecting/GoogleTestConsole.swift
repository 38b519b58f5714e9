internal import BinaryPrimitives

/// Reads the output of GoogleTest (1.12; `gtest.cc`, PrettyUnitTestResultPrinter):
///
///     [ RUN      ] Queue.Pops
///     /src/queue_test.cc:12: Failure
///     Expected equality of these values:
///       …
///     [  FAILED  ] Queue.Pops (0 ms)
enum GoogleTestConsole {
    static func event(_ line: Span<UInt8>, running: RunningTests, isInIssue: Bool) -> ConsoleEvent? {
        var rest = line
        if rest.consume("[ RUN      ] ") { return .started(rest.text) }
        for mark in ["[       OK ] ", "[  FAILED  ] ", "[  SKIPPED ] "] where rest.consume(mark) {
            // At the end the failed ones are named again, without a time.
            guard let time = rest.lastRange(of: " ("), rest.hasSuffix(" ms)") else { return .other }
            // `[  FAILED  ] Even/Even.Is/0, where GetParam() = 1 (0 ms)`
            return .ended(
                rest.upTo(rest.firstRange(of: ", where ")?.lowerBound ?? time.lowerBound).text, hasFailed: line.hasPrefix("[  FAILED"))
        }
        if rest.hasPrefix("[---") || rest.hasPrefix("[===") || rest.hasPrefix("[  PASSED  ]") { return .other }
        if let test = running.last, rest.hasSuffix(": Failure") {
            let head = rest.upTo(rest.count - ": Failure".utf8.count)
            var issue = ConsoleIssue(runner: .googleTest, test: test, message: "")
            if let (file, number) = XCTestConsole.location(head), number > 0 {
                issue.file = file
                issue.line = number
            } else if !head.equals("unknown file") {
                return nil
            }
            return .issue(issue)
        }
        // Its message is in the lines that follow, up to an empty one.
        guard isInIssue else { return nil }
        return line.trimmed().count == 0 ? .other : .detail(line.text)
    }
}
