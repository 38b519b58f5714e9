internal import BinaryPrimitives

/// Reads the output of XCTest, on Linux and on macOS:
///
///     Test Case 'OldTests.testFails' started at 2026-11-22 09:10:14.840
///     Test Case '-[GreeterTests.OldTests testFails]' started.
///     /src/Tests/GreeterTests/OldTests.swift:7: error: OldTests.testFails : XCTAssertEqual failed: …
///     <EXPR>:0: error: OldTests.testThrows : threw error "…"
///     Test Case 'OldTests.testFails' failed (0.001 seconds)
enum XCTestConsole {
    static func event(_ line: Span<UInt8>, _ features: LineFeatures, running: RunningTests) -> ConsoleEvent? {
        var rest = line
        if rest.consume("Test Case '") {
            guard let close = rest.lastRange(of: "' ") else { return nil }
            let name = rest.upTo(close.lowerBound).text
            let state = rest.from(close.upperBound)
            if state.hasPrefix("started") { return .started(name) }
            if state.hasPrefix("passed (") || state.hasPrefix("failed (") || state.hasPrefix("skipped (") {
                return .ended(name, hasFailed: state.hasPrefix("failed ("))
            }
            return nil
        }
        if rest.hasPrefix("Test Suite '") { return .other }
        return features.hasColonAfterWords ? issue(line, running: running) : nil
    }

    /// Compilers' errors look the same; only the name of a test that runs distinguishes them.
    private static func issue(_ line: Span<UInt8>, running: RunningTests) -> ConsoleEvent? {
        guard let mark = line.firstRange(of: ": error: ") else { return nil }
        let rest = line.from(mark.upperBound)
        guard let colon = rest.firstRange(of: " : ") else { return nil }
        let test = rest.upTo(colon.lowerBound).text
        guard running.contains(test), let (file, number) = location(line.upTo(mark.lowerBound)) else { return nil }
        var issue = ConsoleIssue(runner: .xctest, test: test, message: rest.from(colon.upperBound).text)
        // `<EXPR>:0` where the location is not known.
        if number > 0, !file.hasPrefix("<") {
            issue.file = file
            issue.line = number
        }
        return .issue(issue)
    }

    /// `PATH:LINE`
    static func location(_ text: Span<UInt8>) -> (file: String, line: Int)? {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        var digits = text.from(colon + 1)
        guard let number = digits.readDecimal().flatMap({ Int(exactly: $0) }), digits.count == 0 else { return nil }
        return (text.upTo(colon).text, number)
    }
}
