internal import BinaryPrimitives

/// Reads the output of Rust's test runner about tests that fail without a panic (`libtest`,
/// `library/test/src/formatters/pretty.rs`); panics are reports, or `ProcessConsole` reads them:
///
///     ---- tests::errs stdout ----
///     Error: "odd"
///
///     ---- tests::must_panic stdout ----
///     note: test did not panic as expected at src/lib.rs:21:8
struct RustTestConsole: Sendable {
    private var issue: ConsoleIssue?
    private var test: String?
    /// The test has panicked.
    private var hasPanicked = false

    /// No test's output is read.
    var isIdle: Bool { test == nil }

    /// - Returns: an issue that is complete now.
    mutating func read(_ line: Span<UInt8>) -> ConsoleIssue? {
        var rest = line
        if rest.consume("---- "), rest.hasSuffix(" stdout ----") || rest.hasSuffix(" stderr ----") {
            let done = finish()
            test = rest.upTo(rest.count - " stdout ----".utf8.count).text
            return done
        }
        guard let test else { return nil }
        if rest.equals("failures:") || rest.hasPrefix("test result: ") { return finish() }
        // The error that the test's function returns is printed after all output of the test.
        if rest.hasPrefix("Error: ") {
            issue = ConsoleIssue(runner: .rustTest, test: test, message: rest.text)
        } else if rest.consume("note: test did not panic as expected") {
            var issue = ConsoleIssue(runner: .rustTest, test: test, message: "test did not panic as expected")
            // Older ones do not give the location.
            if rest.consume(" at "), let (head, column) = XCTestConsole.location(rest) {
                let bytes = Array(head.utf8)
                if let (file, number) = XCTestConsole.location(bytes.span) {
                    (issue.file, issue.line, issue.column) = (file, number, column)
                }
            }
            self.issue = issue
        } else if rest.hasPrefix("thread '"), rest.firstRange(of: " panicked at ") != nil {
            hasPanicked = true
        }
        return nil
    }

    /// A report has come out of the text: it is this test's panic.
    mutating func meetReport() { hasPanicked = test != nil }

    mutating func finish() -> ConsoleIssue? {
        defer { self = RustTestConsole() }
        return hasPanicked ? nil : issue
    }
}
