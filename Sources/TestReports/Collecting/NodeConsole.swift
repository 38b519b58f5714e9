internal import BinaryPrimitives

/// Reads the output of node's test runner for people (20, `--test-reporter=spec`), and the error that ends a script:
///
///     ✖ a total is right (1.03ms)
///       AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
///
///       4 !== 5
///
///           at TestContext.<anonymous> (file:///src/cart.test.mjs:7:10)
///
///     AssertionError [ERR_ASSERTION]: one is left
///         at file:///src/cart.mjs:3:8
///     Node.js v20.20.2
struct NodeConsole: ConsoleFamily {
    private var issue: ConsoleIssue?
    /// Blanks before the failure's name; a script's error has none, and no sign.
    private var indentation = 0
    private var isScript = false
    /// The line before was `test at cart.test.mjs:6:1`: what follows is said again.
    private var isRepetition = false
    private var hasFrames = false

    var isIdle: Bool { issue == nil && !isRepetition }

    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent] {
        var rest = line
        rest.skipBlanks()
        let blanks = line.count - rest.count
        if rest.consume("\u{2716} ") {
            let done = finish()
            let repeats = isRepetition
            isRepetition = false
            guard !repeats, !rest.equals("failing tests:"), let time = rest.lastRange(of: " ("), rest.hasSuffix("ms)") else { return done }
            (issue, indentation) = (ConsoleIssue(runner: .node, test: rest.upTo(time.lowerBound).text, message: ""), blanks)
            return done
        }
        if rest.hasPrefix("\u{2714} ") || rest.hasPrefix("\u{25B6} ") || rest.hasPrefix("\u{2139} ") {
            isRepetition = false
            return finish()
        }
        if blanks == 0, line.hasPrefix("test at ") {
            let done = finish()
            isRepetition = true
            return done
        }
        guard issue != nil else {
            if blanks == 0, !isRepetition, Self.isError(line) {
                (issue, isScript) = (ConsoleIssue(runner: .node, message: line.text), true)
            }
            return []
        }
        if isScript { return readScript(line, rest, blanks) }
        if line.count > 0, blanks <= indentation { return finish() }
        if rest.hasPrefix("at ") {
            hasFrames = true
            if let frame = ConsoleText.scriptLocation(rest) { issue?.add(frame: frame) }
        } else if !hasFrames, rest.count > 0 {
            issue?.add(rest)
        }
        return []
    }

    mutating func finish() -> [ConsoleEvent] {
        defer { (issue, isScript, hasFrames) = (nil, false, false) }
        // A failure of what has failed parts has no stack; and only node's own last line says that an error has ended a script.
        guard let issue, issue.file != nil, !isScript else { return [] }
        return [.ended(issue.test ?? "", hasFailed: true), .issue(issue)]
    }

    private mutating func readScript(_ line: Span<UInt8>, _ rest: Span<UInt8>, _ blanks: Int) -> [ConsoleEvent] {
        if line.hasPrefix("Node.js v") {
            isScript = false
            defer { (issue, hasFrames) = (nil, false) }
            return issue.flatMap { $0.file == nil ? nil : [.issue($0)] } ?? []
        }
        if rest.hasPrefix("at "), blanks > 0 {
            hasFrames = true
            if let frame = ConsoleText.scriptLocation(rest) { issue?.add(frame: frame) }
        } else if blanks == 0, line.count > 0, hasFrames, !line.equals("}") {
            return finish()
        } else if !hasFrames, rest.count > 0 {
            issue?.add(rest)
            // No message of node's own has more.
            if issue?.messageLines ?? 0 > 100 { return finish() }
        }
        return []
    }

    /// `AssertionError [ERR_ASSERTION]: one is left`: only an error with one of node's codes begins it.
    static func isError(_ line: Span<UInt8>) -> Bool {
        line.hasPrefix("AssertionError [ERR_") || line.hasPrefix("Error [ERR_") || line.hasPrefix("TypeError [ERR_")
            || line.hasPrefix("RangeError [ERR_")
    }
}
