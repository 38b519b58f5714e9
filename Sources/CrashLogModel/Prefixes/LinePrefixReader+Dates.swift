internal import BinaryPrimitives

/// Prefixes that are or begin with a date.
extension LinePrefixReader {
    /// `2008-10-26 13:25:43.385 `, `2026-11-21T00:18:13.408Z `, `2021/10/20 17:25:36 `: NSLog, ISO
    /// 8601, Docker's `--timestamps`, GitHub; and the text that some writers put right after it:
    /// containerd (`stdout F `), GitLab (`00O `), the unified log
    /// (` 0x1a2b Error 0x0 123 0 App: (Foundation) `).
    package mutating func readDate(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        guard LinePrefixReader.skipDate(&rest) else { return false }
        let end = count - rest.count
        guard skipGap(&rest) else { return false }
        note(date: start..<end)
        readLogcatColumns(&rest)
        readContainerStream(&rest)
        readGitLab(&rest)
        readUnifiedColumns(&rest)
        readUnifiedType(&rest)
        let before = rest.count
        readSyslogName(&rest)
        if rest.count == before { readServiceName(&rest) }
        line = rest
        return true
    }

    /// `13:25:43.385 `, `13:25:43 `: Jenkins' timestamps, consoles. Followed by a blank.
    package mutating func readClock(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        guard LinePrefixReader.skipClock(&rest) else { return false }
        let end = count - rest.count
        guard readCompactLevel(&rest) || skipGap(&rest) else { return false }
        note(date: start..<end)
        line = rest
        return true
    }

    /// `Oct 26 13:25:43 host name[pid]: `: syslog, and journalctl's short form.
    package mutating func readSyslogDate(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        let months = ["Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec "]
        guard months.contains(where: { rest.consume($0) }) else { return false }
        rest.skipBlanks()
        guard rest.readDecimal().map({ $0 <= 31 }) ?? false, rest.consume(" "), LinePrefixReader.skipClock(&rest) else { return false }
        let end = count - rest.count
        guard skipGap(&rest) else { return false }
        note(date: start..<end)
        let before = rest.count
        readSyslogName(&rest)
        if rest.count == before { readSyslogProgram(&rest) }
        line = rest
        return true
    }

    /// `01-26 13:25:43.385 1234 1240 F DEBUG : ` and `01-26 13:25:43.385 F/DEBUG ( 1234): `:
    /// logcat's `threadtime` and `time`.
    package mutating func readLogcatDate(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        guard LinePrefixReader.skipDigits(2, &rest), rest.consume("-"), LinePrefixReader.skipDigits(2, &rest), rest.consume(" "),
            LinePrefixReader.skipClock(&rest)
        else { return false }
        let end = count - rest.count
        guard skipGap(&rest) else { return false }
        if readLogcatBrief(&rest) {
            note(date: start..<end)
            line = rest
            return true
        }
        rest.skipBlanks()
        let nameStart = count - rest.count
        guard let pid = rest.readDecimal(), rest.at(0).map(isBlank) ?? false else { return false }
        rest.skipBlanks()
        guard rest.readDecimal() != nil, rest.consume(" ") else { return false }
        guard LinePrefixReader.isLevel(rest.at(0)), rest.at(1) == UInt8(ascii: " ") else { return false }
        rest = rest.from(2)
        guard let colon = rest.upTo(64).firstIndex(of: UInt8(ascii: ":")) else { return false }
        rest = rest.from(colon + 1)
        note(date: start..<end)
        noteLine(nameStart..<count - rest.count)
        parts.pid = parts.pid ?? Int(exactly: pid)
        _ = rest.consume(" ")
        line = rest
        return true
    }
}
