internal import BinaryPrimitives

/// Reads the output of ctest (3.16 to 3.31; `cmCTestRunTest.cxx`): which tests run, and which end by a signal. What a test has printed
/// comes after its result.
///
///     Test project /src/shop/build
///         Start 2: shop.reads_null
///     2/8 Test #2: shop.reads_null ..................***Exception: SegFault  0.00 sec
///     4/8 Test #4: shop.asserts .....................Subprocess aborted***Exception:   0.01 sec
///     8/8 Test #8: shop.exits .......................***Failed    0.00 sec
///
/// With `-V` each line that a test prints has the test's number in front, and the lines of tests that run side by side alternate. They are
/// passed over: ctest's log has them as well.
///
///     8: Test command: /src/shop/build/exits
///     8: the prices differ
struct CTestConsole: ConsoleFamily {
    /// The numbers of the tests that have begun and not ended.
    private var running: [UInt64] = []
    /// The lines of tests have their numbers.
    private var isVerbose = false

    var isIdle: Bool { true }

    /// Whether a line was printed by a test, and comes with its number.
    mutating func isNumbered(_ line: Span<UInt8>) -> Bool {
        guard !running.isEmpty, let first = line.at(0), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        var rest = line
        guard let number = rest.readDecimal(), running.contains(number), rest.consume(":"), rest.count == 0 || rest.at(0) == 0x20 else {
            return false
        }
        if rest.hasPrefix(" Test command: ") { isVerbose = true }
        return isVerbose
    }

    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent] {
        var rest = line
        if rest.consume("Test project /") { return [.testLog(.ctest(folder: "/" + rest.text))] }
        rest.skipBlanks()
        if rest.count < line.count, rest.consume("Start ") {
            rest.skipBlanks()
            guard let number = rest.readDecimal(), rest.consume(": ") else { return [] }
            if running.count < Self.runningLimit { running.append(number) }
            return [.started(rest.text, isOuter: true)]
        }
        guard rest.readDecimal() != nil, rest.consume("/"), rest.readDecimal() != nil, rest.consume(" Test") else { return [] }
        rest.skipBlanks()
        guard rest.consume("#"), let number = rest.readDecimal(), rest.consume(": "), let dots = rest.firstRange(of: " ...") else {
            return []
        }
        running.removeAll { $0 == number }
        let test = rest.upTo(dots.lowerBound).text
        var result = rest.from(dots.upperBound)
        while result.at(0) == UInt8(ascii: ".") { result = result.from(1) }
        // Those that are disabled are not counted by ctest.
        let isOther = ["***Not Run (Disabled)", "***Skipped", "Passed"].contains { result.firstRange(of: $0) != nil }
        guard !isOther else { return [.ended(test, hasFailed: false, isOuter: true)] }
        let text = Self.text(result)
        let end = ConsoleEvent.ended(test, hasFailed: true, isOuter: true, result: text)
        guard result.firstRange(of: "***Exception") != nil else { return [end] }
        var issue = ConsoleIssue(runner: .ctest, test: test, message: text)
        issue.crash = ConsoleIssue.Crash(result)
        return [end, .issue(issue)]
    }

    /// Tests that run side by side; of further ones the lines are not passed over.
    private static let runningLimit = 4096

    mutating func finish() -> [ConsoleEvent] { [] }

    /// The result without stars and time: `Exception: SegFault`, `Subprocess aborted`, `Failed`, `Timeout`, `Not Run`.
    private static func text(_ result: Span<UInt8>) -> String {
        guard let stars = result.firstRange(of: "***") else { return result.trimmed().text }
        if stars.lowerBound > 0 { return result.upTo(stars.lowerBound).trimmed().text }
        let rest = result.from(stars.upperBound)
        return rest.upTo(rest.firstRange(of: "  ")?.lowerBound ?? rest.count).trimmed().text
    }
}
