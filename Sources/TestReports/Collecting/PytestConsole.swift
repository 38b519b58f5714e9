internal import BinaryPrimitives

/// Reads the output of pytest (7 to 9; `_pytest/terminal.py`, `_pytest/_code/code.py`): below the
/// heading `FAILURES` or `ERRORS` a block for each test, in the style long or short,
///
///     ___________________________ TestQueue.test_counts[2] ___________________________
///         def test_counts(self, n):                  tests/test_queue.py:23: in test_counts
///     >       assert n == 1                              assert n == 1
///     E       assert 2 == 1                          E   assert 2 == 1
///
///     tests/test_queue.py:23: AssertionError
///
/// or a line (`--tb=line`); then the short summary, which is all where there are no blocks
/// (`--tb=no`). In the style native the blocks are tracebacks, which are reports of their own.
struct PytestConsole: Sendable {
    private enum Part: Sendable { case none, failures, summary }

    private var part = Part.none
    /// The test whose block is read, and whether what its test printed has begun.
    private var issue: ConsoleIssue?
    private var isOver = false
    /// The indentation of the message's first line, after `E`.
    private var indentation = 0
    private var messageLines = 0
    /// Something was under the headings: the summary says nothing new.
    private var hasBlocks = false

    private static let messageLimit = 20
    private static let callerLimit = 200

    /// Nothing is read but headings.
    var isIdle: Bool { part == .none }

    /// - Returns: an issue that is complete now.
    mutating func read(_ line: Span<UInt8>) -> ConsoleIssue? {
        if let heading = Self.title(line, of: UInt8(ascii: "=")) { return begin(heading) }
        switch part {
        case .none: return nil
        case .summary: return hasBlocks ? nil : Self.summary(line)
        case .failures: break
        }
        if let name = Self.title(line, of: UInt8(ascii: "_")) {
            let done = finish()
            hasBlocks = true
            issue = ConsoleIssue(runner: .pytest, test: Self.test(name), message: "")
            return done
        }
        guard issue != nil else {
            // `--tb=line`
            guard let (location, rest) = Self.location(line), rest < line.count else { return nil }
            hasBlocks = true
            return ConsoleIssue(runner: .pytest, file: location.file, line: location.line, message: line.from(rest).text)
        }
        if !isOver { readBlock(line) }
        return nil
    }

    /// The test whose block has not ended. If the block is empty, its traceback is elsewhere.
    mutating func finish() -> ConsoleIssue? {
        defer {
            issue = nil
            isOver = false
            messageLines = 0
        }
        guard let issue, issue.file != nil || !issue.message.isEmpty || issue.crash != nil else { return nil }
        return issue
    }

    private mutating func begin(_ heading: String) -> ConsoleIssue? {
        let done = finish()
        switch heading {
        case "FAILURES", "ERRORS": part = .failures
        case "short test summary info": part = .summary
        default:
            part = .none
            if heading == "test session starts" { hasBlocks = false }
        }
        return done
    }

    private mutating func readBlock(_ line: Span<UInt8>) {
        if line.hasPrefix("E  ") || line.equals("E") {
            let text = line.from(1)
            if messageLines == 0 { indentation = Self.blanks(text) }
            messageLines += 1
            guard messageLines <= Self.messageLimit, let message = issue?.message else { return }
            let detail = text.from(min(indentation, Self.blanks(text))).text
            issue?.message = message + (messageLines == 1 ? "" : "\n") + detail
        } else if line.hasPrefix("The above exception was") || line.hasPrefix("During handling of the above exception") {
            // The exception that was raised last ended the test; it comes with its own stack.
            issue?.message = ""
            issue?.file = nil
            issue?.line = 0
            issue?.callers = []
            messageLines = 0
        } else if line.hasPrefix("worker '"), let mark = line.firstRange(of: "' crashed while running '"), line.hasSuffix("'") {
            // pytest-xdist (3.8): the process that ran the test has ended, and the block has the file's name.
            issue?.test = line.clamped(to: mark.upperBound..<line.count - 1).text
            issue?.message = line.text
            issue?.crash = ConsoleIssue.Crash(Span())
        } else if line.hasPrefix("---"), line.firstRange(of: " Captured ") != nil {
            isOver = true
        } else if let (location, _) = Self.location(line), let current = issue {
            // The outermost call comes first.
            if let file = current.file, current.callers.count < Self.callerLimit {
                issue?.callers.insert(SourceLocation(file: file, line: current.line), at: 0)
            }
            issue?.file = location.file
            issue?.line = location.line
        }
    }

    /// `FAILED tests/test_queue.py::TestQueue::test_long - assert [1, 2, 3] == [1, 2, 4]`
    private static func summary(_ line: Span<UInt8>) -> ConsoleIssue? {
        var rest = line
        guard rest.consume("FAILED ") || rest.consume("ERROR ") else { return nil }
        let end = rest.firstRange(of: " - ")
        let test = rest.upTo(end?.lowerBound ?? rest.count).text
        return ConsoleIssue(runner: .pytest, test: test, message: end.map { rest.from($0.upperBound).text } ?? "")
    }

    /// The text of a heading, which fills its line with a sign on both sides: `=== FAILURES ===`.
    private static func title(_ line: Span<UInt8>, of sign: UInt8) -> String? {
        guard line.at(0) == sign else { return nil }
        var start = 0
        while line.at(start) == sign { start += 1 }
        var end = line.count
        while end > start, line.at(end - 1) == sign { end -= 1 }
        // A long name leaves one sign on each side.
        guard end > start + 2, end < line.count, line.at(start) == UInt8(ascii: " "), line.at(end - 1) == UInt8(ascii: " ") else {
            return nil
        }
        let text = line.clamped(to: start + 1..<end - 1)
        // `_ _ _ _` is between the calls of one stack.
        guard text.at(0) != sign else { return nil }
        return text.text
    }

    /// `ERROR at setup of test_error`, `ERROR collecting tests/test_x.py`
    private static func test(_ title: String) -> String {
        for prefix in ["ERROR at setup of ", "ERROR at teardown of ", "ERROR collecting "] where title.hasPrefix(prefix) {
            return String(title.dropFirst(prefix.utf8.count))
        }
        return title
    }

    /// `tests/test_queue.py:23: AssertionError`, `…: in test_counts`, `…: `; and where the rest
    /// begins.
    private static func location(_ line: Span<UInt8>) -> (location: (file: String, line: Int), rest: Int)? {
        guard let first = line.at(0), first > 0x20, first != UInt8(ascii: ">") else { return nil }
        // Arguments are printed as `name = value`.
        guard let mark = line.firstRange(of: ": "), let location = XCTestConsole.location(line.upTo(mark.lowerBound)), location.line > 0,
            location.file.contains("."), !location.file.contains(" = ")
        else { return nil }
        return (location, mark.upperBound)
    }

    private static func blanks(_ text: Span<UInt8>) -> Int {
        var count = 0
        while text.at(count) == UInt8(ascii: " ") { count += 1 }
        return count
    }
}
