internal import BinaryPrimitives

/// Prefixes that builders and test runners put before the lines that they pass on.
extension LinePrefixReader {
    /// `ESC _bk;t=1700000000123 BEL`: Buildkite's agent writes the time of each line so
    /// (`ansi-timestamps`), in an application program command, which terminals do not show.
    package mutating func readBuildkite(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard rest.consume("\u{1B}_bk;t="), rest.readDecimal() != nil, rest.at(0) == 0x07 else { return false }
        parts.origin.dates &+= 1
        line = rest.from(1)
        return true
    }

    /// `12: `: `ctest -V` puts the test's number before each line of its output (`cmCTestRunTest`).
    /// Rows of stacks begin like that as well, such as those of Xorg and of Node: `10: 0x7f81 …`,
    /// `10: /usr/lib/xorg/Xorg (xorg_backtrace+0x4d) [0x49ce18]`; glibc's rows have no blank before
    /// the parenthesis. While a trace is open whose first line had no number, no number is removed;
    /// if it had one, only that test's number is:
    /// `12: 0x7feccab26000 was deallocated by thread 7 here:` of a report that began with `12: `.
    package mutating func readTestNumber(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard allowsTestNumbers, let number = rest.readDecimal(), number > 0, number < 100_000, rest.consume(": "),
            number == testNumber || !LinePrefixReader.isNumberedRow(rest)
        else { return false }
        noteLine(count - line.count..<count - rest.count)
        parts.testNumber = number
        line = rest
        return true
    }

    /// Whether the text after a number is a stack's row.
    private static func isNumberedRow(_ rest: Span<UInt8>) -> Bool {
        if rest.hasPrefix("/"), rest.contains(" (") || rest.firstIndex(of: UInt8(ascii: "(")) == nil { return true }
        if ["0x", "?", "[0x", "(vdso)", "<signal"].contains(where: { rest.hasPrefix($0) }) { return true }
        // V8 had rows of a name alone.
        return ["main", "_start", "__libc_start_main"].contains { rest.equals($0) } || isScriptRow(rest)
    }

    /// `runScriptInThisContext (node:internal/vm:209:10)`, `node:internal/main/eval_string:55:3`:
    /// Node's rows of scripts. Other rows that end with line and column begin with blanks, a sign
    /// or a number.
    private static func isScriptRow(_ text: Span<UInt8>) -> Bool {
        guard let first = text.at(0), !isBlank(first), !isDigit(first), first != UInt8(ascii: "#") else { return false }
        var end = text.hasSuffix(")") ? text.count - 1 : text.count
        for _ in 0..<2 {
            let last = end
            while end > 0, isDigit(text[end - 1]) { end -= 1 }
            guard end < last, end > 0, text[end - 1] == UInt8(ascii: ":") else { return false }
            end -= 1
        }
        return true
    }

    /// `E `: pytest marks the lines of an exception's text, `E` and three blanks
    /// (`FormattedExcinfo.fail_marker`); the text's own blanks stay.
    package mutating func readPytest(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard rest.consume("E   ") else { return false }
        noteLine(count - line.count..<count - line.count + 1)
        line = rest
        return true
    }

    /// Reads the text between a bracket with the time and the line in TeamCity's build log
    /// (`[10:00:00]W:       [Step 1/2] `, `[10:00:00] :     `) and in fastlane's (`[10:00:00]: `).
    /// - Parameters:
    ///   - inside: the text inside the bracket.
    ///   - line: the text after the bracket.
    package func readClockInBracket(_ inside: Span<UInt8>, _ line: inout Span<UInt8>) -> Bool {
        var clock = inside
        guard LinePrefixReader.skipClock(&clock), clock.count == 0 else { return false }
        var rest = line
        if !rest.consume(": ") {
            // The message's kind: nothing, or error, warning, information.
            guard let kind = rest.at(0), kind == UInt8(ascii: " ") || isOne(kind, of: "EWFimted") else { return false }
            rest = rest.from(1)
            guard rest.consume(":\t") else { return false }
            _ = rest.consume(" ")
        }
        line = rest
        return true
    }
}
