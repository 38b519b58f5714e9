internal import BinaryPrimitives

/// Reads the output of Swift Testing (6.3; the sign in front depends on the terminal):
///
///     ◇ Test fails() started.
///     ✘ Test fails() recorded an issue at NewTests.swift:7:9: Expectation failed: …
///     ↳ words
///       of ours
///     ✘ Test "shown: 100%, <b>" recorded an issue with 1 argument n → 2 at NewTests.swift:9:72: Expectation failed: (n → 2) == 1
///     ━ Test known() recorded a known issue at NewTests.swift:11:43: …
///     ✘ Test "shown: 100%, <b>" with 2 test cases failed after 0.002 seconds with 1 issue.
enum SwiftTestingConsole {
    static func event(_ line: Span<UInt8>) -> ConsoleEvent? {
        var rest = line
        // One character that is not ASCII and a space.
        guard let first = rest.at(0), first >= 0xC0, let space = rest.firstIndex(of: UInt8(ascii: " ")), space <= 7 else { return nil }
        let sign = rest.upTo(space).text
        rest = rest.from(space + 1)
        rest.skipBlanks()
        if sign == "↳" { return .detail(rest.text) }
        if rest.hasPrefix("Suite ") || rest.hasPrefix("Test run ") || rest.hasPrefix("Test case ") { return .other }
        guard rest.consume("Test ") else { return nil }
        if let mark = rest.firstRange(of: " recorded an issue") {
            return issue(rest.upTo(mark.lowerBound), rest.from(mark.upperBound)) ?? .other
        }
        if rest.hasSuffix(" started.") { return .started(rest.upTo(rest.count - " started.".utf8.count).text) }
        for phrase in [" passed after ", " failed after "] {
            guard let mark = rest.lastRange(of: phrase) else { continue }
            var name = rest.upTo(mark.lowerBound)
            if name.hasSuffix(" test cases") || name.hasSuffix(" test case"), let with = name.lastRange(of: " with ") {
                name = name.upTo(with.lowerBound)
            }
            return .ended(name.text, hasFailed: phrase == " failed after ")
        }
        return .other
    }

    /// ` with 1 argument n → 2 at NewTests.swift:9:72: Expectation failed: …`
    private static func issue(_ name: Span<UInt8>, _ text: Span<UInt8>) -> ConsoleEvent? {
        var issue = ConsoleIssue(runner: .swiftTesting, test: name.text, isNameOnly: true, message: "")
        var start = 0
        while let mark = text.firstRange(of: " at ", from: start) {
            start = mark.upperBound
            let rest = text.from(start)
            guard let end = rest.firstRange(of: ": ")?.lowerBound, let (head, column) = XCTestConsole.location(rest.upTo(end)) else {
                continue
            }
            let bytes = Array(head.utf8)
            guard let (file, line) = XCTestConsole.location(bytes.span) else { continue }
            issue.file = file
            issue.line = line
            issue.column = column
            issue.message = rest.from(end + 2).text
            return .issue(issue)
        }
        // An issue without a location: ` recorded an issue: …`
        guard let colon = text.firstRange(of: ": ") else { return nil }
        issue.message = text.from(colon.upperBound).text
        return .issue(issue)
    }
}
