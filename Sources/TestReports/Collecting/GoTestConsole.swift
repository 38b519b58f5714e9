internal import BinaryPrimitives

/// Reads the output of `go test` (1.14 to 1.25; `testing/testing.go`, `cmd/go/internal/test`),
/// without `-v` and with it:
///
///     --- FAIL: TestTable (0.00s)                       === RUN   TestTable/two_words
///         --- FAIL: TestTable/two_words (0.00s)             queue_test.go:22: bad name: "two words"
///             queue_test.go:22: bad name: "two words"   --- FAIL: TestTable (0.00s)
///     FAIL                                                  --- FAIL: TestTable/two_words (0.00s)
///     FAIL	example.org/shop/queue	0.002s                    FAIL	example.org/shop/queue	0.003s
///
/// A test's log does not mark errors. The last line, at which `t.Fatal` ends a test, is taken for
/// the location, and the result says so.
struct GoTestConsole: Sendable {
    private struct Test: Sendable {
        var name: String
        var hasFailed = false
        /// The lines of its log, each with its file and number.
        var locations: [SourceLocation] = []
        var message: [String] = []
    }

    /// The tests of the package whose output is read, those that have said something or failed.
    private var tests: [Test] = []
    private var current: String?
    /// A report came in between: it is about the test that has printed nothing.
    var hasReport = false

    private static let testLimit = 4096
    private static let lineLimit = 20

    /// No test's log is read.
    var isIdle: Bool { current == nil }

    /// - Returns: the issues of a package, where the line is its last.
    mutating func read(_ line: Span<UInt8>) -> [ConsoleIssue] {
        var rest = line
        if rest.at(0) == UInt8(ascii: "F") || rest.at(0) == UInt8(ascii: "o") {
            guard rest.consume("FAIL\t") || rest.consume("ok  \t") else { return [] }
            return end(package: rest.upTo(rest.firstIndex(of: 0x09) ?? rest.firstIndex(of: UInt8(ascii: " ")) ?? rest.count).text)
        }
        if rest.consume("=== ") {
            // `RUN   `, `CONT  `, `NAME  `; a test that pauses says no more.
            guard rest.consume("RUN   ") || rest.consume("CONT  ") || rest.consume("NAME  ") else { return [] }
            current = rest.text
            return []
        }
        rest.skipBlanks()
        if rest.consume("--- ") {
            let hasFailed = rest.consume("FAIL: ")
            guard hasFailed || rest.consume("PASS: ") || rest.consume("SKIP: "), let time = rest.lastRange(of: " ("), rest.hasSuffix("s)")
            else {
                return []
            }
            let name = rest.upTo(time.lowerBound).text
            current = name
            if hasFailed, let index = index(of: name) { tests[index].hasFailed = true }
            return []
        }
        if let current { log(line, of: current) }
        return []
    }

    /// The issues of a package whose end did not come.
    mutating func finish() -> [ConsoleIssue] { end(package: nil) }

    /// A report has come out of the text.
    mutating func meetReport() { if current != nil { hasReport = true } }

    private mutating func index(of name: String) -> Int? {
        if let index = tests.lastIndex(where: { $0.name == name }) { return index }
        guard tests.count < Self.testLimit else { return nil }
        tests.append(Test(name: name))
        return tests.count - 1
    }

    /// ` queue_test.go:14: Pop() = 1, want 2`, four blanks in, and four more for each test that it
    /// is a part of; more lines of the same four further in.
    private mutating func log(_ line: Span<UInt8>, of name: String) {
        guard line.hasPrefix("    ") else { return }
        let text = line.trimmed()
        if let mark = text.firstRange(of: ": "), let (file, number) = XCTestConsole.location(text.upTo(mark.lowerBound)), number > 0,
            file.hasSuffix(".go"), !file.contains(" "), let index = index(of: name)
        {
            if tests[index].locations.count >= Self.lineLimit {
                tests[index].locations.removeFirst()
                tests[index].message.removeFirst()
            }
            tests[index].locations.append(SourceLocation(file: file, line: number))
            tests[index].message.append(text.from(mark.upperBound).text)
        } else if let index = tests.lastIndex(where: { $0.name == name }), let last = tests[index].message.last, last.utf8.count < 4096 {
            tests[index].message[tests[index].message.count - 1] = last + "\n" + text.text
        }
    }

    private mutating func end(package: String?) -> [ConsoleIssue] {
        defer { self = GoTestConsole() }
        let failed = tests.filter(\.hasFailed)
        return failed.compactMap { test in
            guard let location = test.locations.last else {
                // The message of a part says why the test failed, or a report does.
                let hasFailedPart = failed.contains { $0.name.hasPrefix(test.name + "/") }
                return hasReport || hasFailedPart
                    ? nil : ConsoleIssue(runner: .go, test: test.name, message: "The test failed without a message.")
            }
            var issue = ConsoleIssue(runner: .go, test: test.name, isNameOnly: true, message: test.message.joined(separator: "\n"))
            (issue.file, issue.line, issue.package) = (location.file, location.line, package)
            if Set(test.locations).count > 1 {
                issue.about =
                    "The test’s log has \(test.locations.count) lines, and any of them may be the failure. This is the last one."
                issue.message = zip(test.locations, test.message).map { "\($0.file):\($0.line): \($1)" }.joined(separator: "\n")
            }
            return issue
        }
    }
}
