internal import BinaryPrimitives

/// How many tests of a run have failed, and of how many the line is known.
package struct TestTally: Sendable, Hashable {
    /// Failed tests, as the runners count them.
    package var failed: Int
    /// Those with a line of the repository.
    package var located: Int
    /// Why the others have none, and their names.
    package var reasons: [Reason]

    /// Tests without a line for the same reason.
    package struct Reason: Sendable, Hashable {
        /// `the test runner printed no line`
        package var text: String
        package var tests: [String]
    }

    /// Tests that are named.
    private static let nameLimit = 5
    /// Reasons that are given.
    private static let reasonLimit = 3

    /// - Parameter outerTests: tests of an outer runner in whose output a failure has a line.
    /// - Returns: `nil` where no runner has named or counted a test.
    init?(_ failures: [Failure], _ results: TestResults, outerTests: Set<String>) {
        let errors = failures.filter { $0.level == .error }
        let named = results.failed
        guard results.counted > 0 || !named.isEmpty else { return nil }
        var withLine = outerTests
        for failure in errors where failure.location != nil { withLine.formUnion(failure.tests) }
        // A part of it has the line: `TestWeights/three` of `TestWeights`.
        var without = named.filter { name in !withLine.contains(name) && !withLine.contains { $0.hasPrefix(name + "/") } }
        let isKnown = Set(without)
        if results.hasOuter {
            withLine.formIntersection(named)
        } else {
            var more: [String] = []
            for failure in errors where failure.location == nil {
                more += failure.tests.filter { !withLine.contains($0) && !isKnown.contains($0) && !more.contains($0) }
            }
            without += more
        }
        failed = max(results.counted, withLine.count + without.count)
        // Failures of a test without a name.
        let unnamed = results.hasOuter ? 0 : errors.count { $0.location != nil && $0.tests.isEmpty }
        located = min(failed - without.count, withLine.count + unnamed)
        reasons = []
        for test in without {
            let failure = errors.first { $0.location == nil && $0.tests.contains(test) }
            add(test, failure?.missingLocationReason.map(Self.clause) ?? results.unreported ?? "the test runner printed no line")
        }
        let rest = failed - located - without.count
        if rest > 0 {
            let failure = errors.first { $0.location == nil && $0.tests.isEmpty }
            let reason =
                results.unreported ?? failure?.missingLocationReason.map(Self.clause) ?? "their lines were not found in the output"
            reasons.append(Reason(text: reason, tests: []))
        }
    }

    private mutating func add(_ test: String, _ reason: String) {
        if let index = reasons.firstIndex(where: { $0.text == reason }) {
            reasons[index].tests.append(test)
        } else {
            reasons.append(Reason(text: reason, tests: [test]))
        }
    }

    /// A sentence as a part of another.
    private static func clause(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// `7 tests failed: 6 with a line, 1 without, because the test runner printed no line: shop.exits`
    package var line: String {
        let count = "\(failed) test\(failed == 1 ? "" : "s") failed: "
        guard located < failed else { return count + (failed == 1 ? "its line is known" : "\(failed) with a line") }
        let parts = reasons.prefix(Self.reasonLimit).map { reason in
            let names = reason.tests.prefix(Self.nameLimit).map { PlainText.line($0, limit: 120) }.joined(separator: ", ")
            let more = reason.tests.count > Self.nameLimit ? ", …" : ""
            return PlainText.line(reason.text, limit: 240) + (names.isEmpty ? "" : " (\(names)\(more))")
        }
        let more = reasons.count > Self.reasonLimit ? "; …" : ""
        return count + "\(located) with a line, \(failed - located) without, because " + parts.joined(separator: "; ") + more
    }
}
