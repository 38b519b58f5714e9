internal import BinaryPrimitives

/// Reads the output of Jest (29, `jest-message-util`); a part of a test's name is before each `›`:
///
///       ● lists › two lists agree
///
///         expect(received).toEqual(expected) // deep equality
///         …
///         > 21 |     expect([1, 2]).toEqual([1, 3]);
///
///           at Object.<anonymous> (cart.test.js:21:20)
struct JestConsole: ConsoleFamily {
    private var issue: ConsoleIssue?
    /// The message is over: the source's lines or the stack have begun.
    private var isOver = false
    /// Failures are said again, after those of all files.
    private var isSummary = false

    var isIdle: Bool { issue == nil && !isSummary }

    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent] {
        if line.hasPrefix("  \u{25CF} ") {
            let done = finish()
            let name = line.from("  \u{25CF} ".utf8.count).trimmed()
            guard !isSummary, !name.equals("Console") else { return done }
            issue = ConsoleIssue(runner: .jest, test: name.equals("Test suite failed to run") ? nil : name.text, message: "")
            return done
        }
        if line.hasPrefix("Summary of all failing tests") {
            isSummary = true
            return finish()
        }
        guard let first = line.at(0) else { return [] }
        if first != UInt8(ascii: " ") {
            if line.hasPrefix("Test Suites:") { isSummary = false }
            return finish()
        }
        guard issue != nil else { return [] }
        let text = line.trimmed()
        if text.hasPrefix("at "), let frame = ConsoleText.scriptLocation(text) {
            isOver = true
            issue?.add(frame: frame)
        } else if let bar = text.firstIndex(of: UInt8(ascii: "|")), bar <= 12, Self.isNumbered(text.upTo(bar)) {
            isOver = true
        } else if !isOver, text.count > 0 {
            issue?.add(text)
        }
        return []
    }

    mutating func finish() -> [ConsoleEvent] {
        defer { (issue, isOver) = (nil, false) }
        guard let issue, !issue.message.isEmpty || issue.file != nil else { return [] }
        return (issue.test.map { [.ended($0, hasFailed: true)] } ?? []) + [.issue(issue)]
    }

    /// `> 21 `, ` 22 `
    private static func isNumbered(_ text: Span<UInt8>) -> Bool {
        var rest = text.trimmed()
        _ = rest.consume("> ")
        rest.skipBlanks()
        return rest.readDecimal() != nil && rest.count == 0
    }
}
