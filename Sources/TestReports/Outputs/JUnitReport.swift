internal import BinaryPrimitives

/// Failures as a JUnit report of cairn's own, for readers that take nothing else (Jenkins, GitLab,
/// Buildkite): suites, in which each failure is a test case.
///
/// It has the shape of Ant's reports, which every reader knows. Failed expectations are `failure`s.
/// A result that is no failure, or that happened in a command that succeeded, is `skipped`, which
/// no reader counts as a failure. Everything else is an `error`.
package struct JUnitReport: Sendable {
    package struct Suite: Sendable {
        /// The command that ran, or the log that was read.
        package var name: String
        /// When it began, in seconds since 1970 (UTC).
        package var startedAt: Int64
        /// How long it took.
        package var seconds: Double
        package var failures: [Failure]
        /// The command succeeded: it is a test case that passed. (Jenkins ends a build as failed
        /// for a report without test cases.)
        package var hasPassed: Bool

        package init(name: String, startedAt: Int64, seconds: Double = 0, failures: [Failure], hasPassed: Bool = false) {
            self.name = name
            self.startedAt = startedAt
            self.seconds = seconds
            self.failures = failures
            self.hasPassed = hasPassed
        }
    }

    private let host: String

    /// - Parameter host: the machine's name.
    package init(host: String = "localhost") { self.host = host }

    package func render(_ suites: [Suite]) -> [UInt8] {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        // GitLab takes no second test case of a name
        // (https://docs.gitlab.com/ci/testing/unit_test_reports/).
        var names: [String: Int] = [:]
        for (number, suite) in suites.enumerated() { text += self.suite(suite, number, &names) }
        return Array((text + "</testsuites>\n").utf8)
    }

    private func suite(_ suite: Suite, _ number: Int, _ names: inout [String: Int]) -> String {
        let elements = suite.failures.map(Element.init)
        func count(_ element: Element) -> Int { elements.count { $0 == element } }
        var text =
            "  <testsuite id=\"\(number)\" package=\"\" name=\"\(Self.token(suite.name, else: "cairn"))\" timestamp=\"\(Self.time(suite.startedAt))\" hostname=\"\(Self.token(host, else: "localhost"))\""
        text +=
            " tests=\"\(elements.count + (suite.hasPassed ? 1 : 0))\" failures=\"\(count(.failure))\" errors=\"\(count(.error))\" skipped=\"\(count(.skipped))\" time=\"\(Self.decimal(suite.seconds))\">\n"
        text += "    <properties/>\n"
        if suite.hasPassed {
            text +=
                "    <testcase name=\"\(Self.token(suite.name, else: "cairn"))\" classname=\"cairn.command\" time=\"\(Self.decimal(suite.seconds))\"/>\n"
        }
        for (failure, element) in zip(suite.failures, elements) { text += Self.testCase(failure, element, &names) }
        return text + "    <system-out/>\n    <system-err/>\n  </testsuite>\n"
    }

    private enum Element: String {
        case failure, error, skipped

        init(_ failure: Failure) {
            self =
                switch failure.kind {
                case .noFailure: .skipped
                case _ where failure.commandSucceeded: .skipped
                case .testFailure: .failure
                default: .error
                }
        }
    }

    private static func testCase(_ failure: Failure, _ element: Element, _ names: inout [String: Int]) -> String {
        var (type, name) = self.names(failure)
        let before = names[type + "\u{0}" + name, default: 0]
        names[type + "\u{0}" + name] = before + 1
        if before > 0 { name += " (\(before + 1))" }
        var text = "    <testcase name=\"\(token(name, else: failure.rule))\" classname=\"\(token(type, else: "cairn"))\" time=\"0\">\n"
        text += "      <\(element) message=\"\(XMLCharacters.escaped(PlainText.line(failure.title, limit: 1000)))\""
        if element != .skipped { text += " type=\"\(XMLCharacters.escaped(failure.rule))\"" }
        text += ">" + XMLCharacters.content(body(failure)) + "</\(element)>\n    </testcase>\n"
        return text
    }

    /// A failure as text: its line, its message and its stacks.
    package static func body(_ failure: Failure) -> String {
        var parts: [String] = []
        if let location = failure.location { parts.append("\(PlainText.line(location.path)):\(location.line)") }
        if !failure.message.isEmpty { parts.append(failure.message) }
        parts += FailureText(failure).remarks
        if let excerpt = failure.excerpt { parts.append(excerpt.text) }
        for stack in failure.stacks where !stack.frames.isEmpty {
            parts.append(stack.title + ":\n" + FailureText.rows(stack.frames, limit: 100))
        }
        return PlainText.lines(parts.joined(separator: "\n"))
    }

    /// The type and the function of a test's name: `OldTests.testFails`,
    /// `-[Module.OldTests testFails]`, `tests::pops`. A failure of no test has the rule's family
    /// and the title.
    private static func names(_ failure: Failure) -> (type: String, name: String) {
        guard let test = failure.tests.first else { return ("cairn." + failure.kind.rawValue, failure.title) }
        if test.hasPrefix("-["), test.hasSuffix("]"), let space = test.firstIndex(of: " ") {
            return (String(test[..<space].dropFirst(2)), String(test[space...].dropFirst().dropLast()))
        }
        // The words of a test that has a name of its own are not taken apart.
        let end = test.contains(" ") ? nil : test.lastIndex { $0 == "." || $0 == ":" }
        guard let end, end != test.startIndex else { return ("cairn." + failure.kind.rawValue, test) }
        var type = test[..<end]
        if type.hasSuffix(":") { type.removeLast() }
        return (String(type), String(test[end...].dropFirst()))
    }

    /// XML Schema's `token`: no blanks at the ends, and none side by side.
    private static func token(_ text: String, else other: String) -> String {
        let normalized = PlainText.line(text, limit: 1000).split(separator: " ").joined(separator: " ")
        return XMLCharacters.escaped(normalized.isEmpty ? other : normalized)
    }

    /// Milliseconds, without an exponent.
    private static func decimal(_ seconds: Double) -> String {
        let thousandths = seconds.isFinite ? Int64(max(0, min(seconds, 1e12)) * 1000) : 0
        let rest = String(thousandths % 1000)
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.utf8.count) + rest
    }

    /// `2026-11-22T09:10:14`, without a zone as the schema has it. The civil calendar by eras of
    /// 400 years, whose years begin in March.
    static func time(_ seconds: Int64) -> String {
        let seconds = max(0, min(seconds, 253_402_300_799))  // 9999-12-31T23:59:59
        let days = seconds / 86_400 + 719_468  // from 0000-03-01
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153  // March is 0
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        func two(_ value: Int64) -> String { (value < 10 ? "0" : "") + String(value) }
        let four = String(repeating: "0", count: max(0, 4 - String(year).utf8.count)) + String(year)
        let time = seconds % 86_400
        return "\(four)-\(two(month < 10 ? month + 3 : month - 9))-\(two(day))T\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60))"
    }
}
