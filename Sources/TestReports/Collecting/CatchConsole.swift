internal import BinaryPrimitives

/// Reads the output of Catch2 (2 and 3, reporter `console`; `catch_reporter_console.cpp`). A test case's name, and the names of its
/// sections below it, stand between lines of dashes:
///
///     -------------------------------------------------------------------------------
///     a total is right
///     -------------------------------------------------------------------------------
///     tests.cpp:15
///     ...............................................................................
///
///     tests.cpp:17: FAILED:
///       REQUIRE( total == 5 )
///     with expansion:
///       4 == 5
struct CatchConsole: ConsoleFamily {
    private enum Part: Sendable { case none, heading, body, signal }

    private var part = Part.none
    private var test: String?
    private var issue: ConsoleIssue?
    private var headingLines = 0

    /// Lines of a heading; longer ones are another program's.
    private static let headingLimit = 20

    var isIdle: Bool { part == .none }

    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent] {
        if ConsoleText.isRule(line, UInt8(ascii: "-")) {
            let done = finish()
            // The second of the two lines of dashes.
            if part == .heading, test != nil {
                part = .body
            } else {
                (part, test, headingLines) = (.heading, nil, 0)
            }
            return done
        }
        switch part {
        case .none: return []
        case .heading:
            headingLines += 1
            if headingLines > Self.headingLimit || line.count == 0 { part = .none }
            if test == nil { test = line.trimmed().text }
            return []
        case .body, .signal: break
        }
        if ConsoleText.isRule(line, UInt8(ascii: "=")) {
            defer { part = .none }
            return finish()
        }
        if let mark = line.lastRange(of: ": "),
            line.from(mark.upperBound).equals("FAILED:") || line.from(mark.upperBound).equals("PASSED:"),
            let location = XCTestConsole.location(line.upTo(mark.lowerBound)), location.line > 0
        {
            let done = finish()
            part = .body
            if line.hasSuffix("FAILED:") {
                issue = ConsoleIssue(runner: .catch2, test: test, file: location.file, line: location.line, message: "")
            }
            return done
        }
        guard issue != nil else { return [] }
        if line.count == 0 { return finish() }
        if part == .signal { issue?.crash = ConsoleIssue.Crash(line.trimmed()) }
        part = line.equals("due to a fatal error condition:") ? .signal : .body
        issue?.add(line.trimmed())
        return []
    }

    mutating func finish() -> [ConsoleEvent] {
        defer { issue = nil }
        return issue.map { [.issue($0)] } ?? []
    }
}
