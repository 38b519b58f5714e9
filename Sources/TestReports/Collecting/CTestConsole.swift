internal import BinaryPrimitives

/// Reads the output of ctest (3.16 to 3.31; `cmCTestRunTest.cxx`): which tests run, and which end by a signal. What a test has printed
/// comes after its result.
///
///     Test project /src/shop/build
///         Start 2: shop.reads_null
///     2/8 Test #2: shop.reads_null ..................***Exception: SegFault  0.00 sec
///     4/8 Test #4: shop.asserts .....................Subprocess aborted***Exception:   0.01 sec
///     8/8 Test #8: shop.exits .......................***Failed    0.00 sec
struct CTestConsole: ConsoleFamily {
    var isIdle: Bool { true }

    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent] {
        var rest = line
        if rest.consume("Test project /") { return [.testFolder("/" + rest.text)] }
        rest.skipBlanks()
        if rest.count < line.count, rest.consume("Start ") {
            rest.skipBlanks()
            guard rest.readDecimal() != nil, rest.consume(": ") else { return [] }
            return [.started(rest.text, isOuter: true)]
        }
        guard rest.readDecimal() != nil, rest.consume("/"), rest.readDecimal() != nil, rest.consume(" Test") else { return [] }
        rest.skipBlanks()
        guard rest.consume("#"), rest.readDecimal() != nil, rest.consume(": "), let dots = rest.firstRange(of: " ...") else { return [] }
        let test = rest.upTo(dots.lowerBound).text
        var result = rest.from(dots.upperBound)
        while result.at(0) == UInt8(ascii: ".") { result = result.from(1) }
        let hasCrashed = result.firstRange(of: "***Exception") != nil
        let isOther = ["***Not Run", "***Skipped", "Passed"].contains { result.firstRange(of: $0) != nil }
        guard hasCrashed || !isOther else { return [.ended(test, hasFailed: result.firstRange(of: "***Not Run") != nil, isOuter: true)] }
        var issue = ConsoleIssue(runner: .ctest, test: test, message: Self.text(result))
        if hasCrashed { issue.crash = ConsoleIssue.Crash(result) }
        return [.ended(test, hasFailed: true, isOuter: true)] + (hasCrashed ? [.issue(issue)] : [])
    }

    mutating func finish() -> [ConsoleEvent] { [] }

    /// The result without stars and time: `Exception: SegFault`, `Subprocess aborted`.
    private static func text(_ result: Span<UInt8>) -> String {
        guard let stars = result.firstRange(of: "***") else { return result.trimmed().text }
        if stars.lowerBound > 0 { return result.upTo(stars.lowerBound).trimmed().text }
        let rest = result.from(stars.upperBound)
        return rest.upTo(rest.firstRange(of: "  ")?.lowerBound ?? rest.count).trimmed().text
    }
}
