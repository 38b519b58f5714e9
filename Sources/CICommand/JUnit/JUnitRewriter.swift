internal import BinaryPrimitives
internal import TestReports

/// Symbolicates the stacks in a JUnit report that another tool wrote, in place; all else stays as
/// it is (its canonical form, byte for byte).
///
/// Stacks are looked for in the texts of `failure`, `error`, `system-out` and `system-err`,
/// wherever they are, and in the attribute `message` of the first two.
package struct JUnitRewriter: Sendable {
    package init() {}

    /// Knowledge of a run about its tests: a `failure` without a text gets one (ctest writes `<failure message=""/>`).
    package struct Tests {
        /// The failures of the run.
        var failures: [Failure] = []
        /// The runner's results of tests that failed, by the tests' names: `Timeout`.
        var results: [String: String] = [:]
        /// The failures with a line in what a test has printed.
        var failuresInOutput: ([UInt8]) -> [Failure] = { _ in [] }
    }

    private static func elements(_ names: [String]) -> String {
        "//*[" + names.map { "local-name()='\($0)'" }.joined(separator: " or ") + "]"
    }

    /// - Parameters:
    ///   - report: the report's bytes.
    ///   - path: appears in what is thrown.
    ///   - tests: texts for failures that have none.
    ///   - symbolicate: symbolicates a text; the same bytes where it has nothing to say.
    /// - Returns: the symbolicated report, and how many texts were changed; `nil` where none
    ///   was.
    /// - Throws: one line about what is wrong with it. XML with a document type, and XML beyond the
    ///   bounds of reports, is refused.
    package func rewritten(
        _ report: [UInt8], path: String, tests: Tests = Tests(), symbolicate: ([UInt8]) -> [UInt8]
    ) throws(TestReportError) -> (bytes: [UInt8], changes: Int)? {
        if let problem = XMLBounds.problem(report.span) { throw TestReportError(path: path, problem: problem) }
        let document: XMLDocument
        do {
            document = try XMLDocument(report)
        } catch {
            let linePrefix = error.line > 0 ? "line \(error.line): " : ""
            throw TestReportError(path: path, problem: "\(linePrefix)\(PlainText.line(error.message, limit: 200)): expected a JUnit report")
        }
        var changes = document.changeTexts(of: Self.elements(["failure", "error", "system-out", "system-err"]), symbolicate)
        changes += document.changeAttributes(Self.elements(["failure", "error"]) + "/@message", symbolicate)
        if !tests.failures.isEmpty || !tests.results.isEmpty { changes += document.fillEmptyFailures { Self.text(of: $0, $1, tests) } }
        guard changes > 0 else { return nil }
        guard let bytes = document.bytes() else {
            throw TestReportError(path: path, problem: "it could not be written: expected memory for it")
        }
        return (bytes, changes)
    }

    /// The failures of a test: the first one's title, and all of each; of one that did not crash the runner's word, with the lines that it
    /// has printed.
    private static func text(of test: String, _ output: [UInt8], _ tests: Tests) -> (message: String, content: String)? {
        let own = tests.failures.filter { $0.tests.contains(test) }.map { failure in
            var own = failure
            // Another test's stack is not this one's.
            if failure.tests.first != test { own.stacks = failure.stacksOfTests[test].map { [$0] } ?? [] }
            (own.tests, own.count) = ([test], 1)
            return own
        }
        if let first = own.first, first.kind != .testFailure { return (PlainText.line(first.title, limit: 1000), body(own)) }
        let printed = own.isEmpty ? tests.failuresInOutput(output) : own
        guard let first = printed.first else { return tests.results[test].map { ($0, "") } }
        let location = first.location.map { "\($0.path):\($0.line): " } ?? ""
        let result = tests.results[test].map { $0 + ": " } ?? ""
        return (result + location + PlainText.line(first.title, limit: 1000), body(printed))
    }

    private static func body(_ failures: [Failure]) -> String {
        failures.prefix(10).map { JUnitReport.body($0) }.joined(separator: "\n\n")
    }

    /// Symbolicates a report in place. The old one is there until the new one is whole; nothing is
    /// written where nothing changes.
    /// - Returns: how many texts were changed.
    package func rewrite(
        path: String, tests: Tests = Tests(), symbolicate: ([UInt8]) -> [UInt8]
    ) throws(TestReportError) -> Int {
        guard let size = FileStamp(path: path)?.size else {
            throw TestReportError(path: path, problem: "no such file: expected a JUnit report")
        }
        guard size <= UInt64(XMLBounds.fileLimit) else {
            throw TestReportError(path: path, problem: "\(size) bytes: expected at most \(XMLBounds.fileLimit)")
        }
        do {
            // If the path is a link, its target is replaced, and not the link.
            let path = Path.resolved(path) ?? path
            let report = try FileDescriptor.readAll(atPath: path)
            guard let (bytes, changes) = try rewritten(report, path: path, tests: tests, symbolicate: symbolicate) else { return 0 }
            try FileReplacement.write(bytes, to: path)
            return changes
        } catch let error as FileError {
            throw TestReportError(path: path, problem: error.problem)
        } catch let error as TestReportError {
            throw error
        } catch {
            throw TestReportError(path: path, problem: "it could not be rewritten: \(error)")
        }
    }
}
