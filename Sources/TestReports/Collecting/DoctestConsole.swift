internal import BinaryPrimitives

/// Reads the output of doctest (2.4, reporter `console`; `doctest.cpp`, ConsoleReporter):
///
///     ===============================================================================
///     tests.cpp:13:
///     TEST CASE:  a total is right
///
///     tests.cpp:15: FATAL ERROR: REQUIRE( total == 5 ) is NOT correct!
///       values: REQUIRE( 4 == 5 )
struct DoctestConsole: ConsoleFamily {
    private enum Part: Sendable { case none, location, heading, body }

    private var part = Part.none
    private var test: String?
    private var issue: ConsoleIssue?

    var isIdle: Bool { part == .none }

    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent] {
        if ConsoleText.isRule(line, UInt8(ascii: "=")) {
            (part, test) = (.location, nil)
            return finish()
        }
        switch part {
        case .none: return []
        case .location:
            let isLocation = line.hasSuffix(":") && XCTestConsole.location(line.upTo(line.count - 1)) != nil
            part = isLocation ? .heading : .none
            return []
        case .heading:
            var rest = line
            if rest.consume("TEST CASE: ") { test = rest.trimmed().text }
            if line.count == 0 { part = test == nil ? .none : .body }
            return []
        case .body: break
        }
        if line.hasPrefix("[doctest] ") {
            part = .none
            return finish()
        }
        if line.count == 0 { return finish() }
        for mark in [": FATAL ERROR: ", ": ERROR: "] {
            guard let range = line.firstRange(of: mark), let location = XCTestConsole.location(line.upTo(range.lowerBound)),
                location.line > 0
            else { continue }
            let done = finish()
            var message = line.from(range.upperBound)
            issue = ConsoleIssue(runner: .doctest, test: test, file: location.file, line: location.line, message: message.text)
            if message.consume("test case CRASHED: ") { issue?.crash = ConsoleIssue.Crash(message) }
            return done
        }
        issue?.add(line.trimmed())
        return []
    }

    mutating func finish() -> [ConsoleEvent] {
        defer { issue = nil }
        return issue.map { [.issue($0)] } ?? []
    }
}
