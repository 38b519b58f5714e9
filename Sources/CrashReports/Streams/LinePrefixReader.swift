internal import BinaryPrimitives

/// Reads a line's prefix. Each kind is one function, cited by who writes it; they may stand behind one another in any order.
struct LinePrefixReader {
    private(set) var parts: LinePrefix.Parts
    /// Where the names stand that the line and message parts of the origin are made of.
    private var lineNames: [Range<Int>] = []
    private var messageNames: [Range<Int>] = []
    /// The line's length, to turn a rest's length into a position.
    private var count = 0

    init(parts: LinePrefix.Parts) { self.parts = parts }

    /// More than this nobody writes; each is at least two bytes.
    private static let depth = 8

    mutating func read(_ line: Span<UInt8>) {
        count = line.count
        var rest = line
        // A byte order mark at the log's beginning.
        if rest.at(0) == 0xEF, rest.at(1) == 0xBB, rest.at(2) == 0xBF { rest = rest.from(3) }
        for _ in 0..<LinePrefixReader.depth {
            var next = rest
            // `docker compose` and others colour the prefix; the line's own colours are its own where no prefix follows them.
            LinePrefixReader.skipColours(&next)
            guard let first = next.at(0), take(&next, first) else { break }
            rest = next
        }
        parts.length = line.count - rest.count
        if !lineNames.isEmpty { parts.origin.line = LinePrefixReader.hash(lineNames, of: line) }
        if !messageNames.isEmpty { parts.origin.message = LinePrefixReader.hash(messageNames, of: line) }
    }

    /// Takes one prefix. Its first byte tells which it may be; nearly every line's own text is refused by it.
    private mutating func take(_ rest: inout Span<UInt8>, _ first: UInt8) -> Bool {
        switch first {
        case UInt8(ascii: "["): return takeBracket(&rest) || takeProcess(&rest)
        case UInt8(ascii: "<"): return takePriority(&rest)
        case UInt8(ascii: ">"): return takeQuote(&rest)
        case UInt8(ascii: "="), UInt8(ascii: "-"): return takeValgrind(&rest, first) || (first == UInt8(ascii: "-") && takeProcess(&rest))
        default:
            if isDigit(first) { return takeDate(&rest) || takeClock(&rest) || takeLogcatDate(&rest) || takeProcess(&rest) }
            guard !isBlank(first) else { return false }
            return takeSyslogDate(&rest) || takeCompose(&rest) || takeLogcatBrief(&rest) || takeProcess(&rest) || takeIdentifier(&rest)
                || takeJob(&rest)
        }
    }

    // MARK: Dates

    /// `2008-10-26 13:25:43.385 `, `2026-11-21T00:18:13.408Z `, `2021/10/20 17:25:36 `: NSLog, ISO 8601, Docker's `--timestamps`, GitHub; and what some writers put right
    /// behind it: containerd (`stdout F `), GitLab (`00O `), the unified log (` 0x1a2b  Error  0x0  123  0    App: (Foundation) `).
    private mutating func takeDate(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        guard LinePrefixReader.skipDate(&rest) else { return false }
        let end = count - rest.count
        guard takeGap(&rest) else { return false }
        note(date: start..<end)
        takeContainerStream(&rest)
        takeGitLab(&rest)
        takeUnifiedColumns(&rest)
        takeUnifiedType(&rest)
        takeSyslogName(&rest)
        line = rest
        return true
    }

    /// `13:25:43.385 `, `13:25:43 `: Jenkins' timestamps, consoles. Followed by a blank.
    private mutating func takeClock(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        guard LinePrefixReader.skipClock(&rest) else { return false }
        let end = count - rest.count
        guard takeGap(&rest) else { return false }
        note(date: start..<end)
        line = rest
        return true
    }

    /// `Oct 26 13:25:43 host name[pid]: `: syslog, and journalctl's short form.
    private mutating func takeSyslogDate(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        let months = ["Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec "]
        guard months.contains(where: { rest.take($0) }) else { return false }
        rest.skipBlanks()
        guard rest.takeDecimal().map({ $0 <= 31 }) ?? false, rest.take(" "), LinePrefixReader.skipClock(&rest) else { return false }
        let end = count - rest.count
        guard takeGap(&rest) else { return false }
        note(date: start..<end)
        takeSyslogName(&rest)
        line = rest
        return true
    }

    /// `01-26 13:25:43.385  1234  1240 F DEBUG   : ` and `01-26 13:25:43.385 F/DEBUG   ( 1234): `: logcat's `threadtime` and `time`.
    private mutating func takeLogcatDate(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        guard LinePrefixReader.skipDigits(2, &rest), rest.take("-"), LinePrefixReader.skipDigits(2, &rest), rest.take(" "),
            LinePrefixReader.skipClock(&rest)
        else { return false }
        let end = count - rest.count
        guard takeGap(&rest) else { return false }
        if takeLogcatBrief(&rest) {
            note(date: start..<end)
            line = rest
            return true
        }
        rest.skipBlanks()
        let nameStart = count - rest.count
        guard let pid = rest.takeDecimal(), rest.at(0).map(isBlank) ?? false else { return false }
        rest.skipBlanks()
        guard rest.takeDecimal() != nil, rest.take(" ") else { return false }
        guard LinePrefixReader.isLevel(rest.at(0)), rest.at(1) == UInt8(ascii: " ") else { return false }
        rest = rest.from(2)
        guard let colon = rest.upTo(64).firstIndex(of: UInt8(ascii: ":")) else { return false }
        rest = rest.from(colon + 1)
        note(date: start..<end)
        noteLine(nameStart..<count - rest.count)
        parts.pid = parts.pid ?? Int(exactly: pid)
        _ = rest.take(" ")
        line = rest
        return true
    }

    // MARK: Behind a date

    /// `stdout F `, `stderr P `: the Container Runtime Interface's log files (containerd, CRI-O); P is a part of a line.
    private mutating func takeContainerStream(_ line: inout Span<UInt8>) {
        let start = count - line.count
        guard line.take("stdout F ") || line.take("stderr F ") || line.take("stdout P ") || line.take("stderr P ") else { return }
        noteLine(start..<count - line.count - 3)
    }

    /// `00O `, `01E+`: GitLab's runners with timestamps: the stream's number, O or E, and whether the line goes on with the last.
    private mutating func takeGitLab(_ line: inout Span<UInt8>) {
        var rest = line
        let start = count - line.count
        guard hexadecimalValue(rest.at(0) ?? 0) != nil, hexadecimalValue(rest.at(1) ?? 0) != nil,
            rest.at(2) == UInt8(ascii: "O") || rest.at(2) == UInt8(ascii: "E")
        else { return }
        rest = rest.from(3)
        guard rest.take(" ") || rest.take("+") else { return }
        noteLine(start..<start + 3)
        line = rest
    }

    /// ` 0x1a2b     Error       0x0                  123    0    App: (Foundation) `: `log show` in its default style: thread, type, activity, process, time to live.
    private mutating func takeUnifiedColumns(_ line: inout Span<UInt8>) {
        var rest = line
        rest.skipBlanks()
        guard rest.takeAddress() != nil, rest.at(0).map(isBlank) ?? false else { return }
        rest.skipBlanks()
        let type = rest.takeToken()
        guard ["Default", "Info", "Debug", "Error", "Fault", "Activity"].contains(where: { type.equals($0) }) else { return }
        rest.skipBlanks()
        guard rest.takeAddress() != nil else { return }
        rest.skipBlanks()
        guard let pid = rest.takeDecimal() else { return }
        rest.skipBlanks()
        guard rest.takeDecimal() != nil else { return }
        rest.skipBlanks()
        let start = count - rest.count
        guard let colon = rest.upTo(96).firstIndex(of: UInt8(ascii: ":")), rest.at(colon + 1) == UInt8(ascii: " ") else { return }
        rest = rest.from(colon + 2)
        noteMessage(start..<start + colon)
        parts.name = parts.name ?? start..<start + colon
        parts.pid = parts.pid ?? Int(exactly: pid)
        if rest.hasPrefix("("), let close = rest.upTo(96).firstRange(of: ") ") { rest = rest.from(close.upperBound) }
        line = rest
    }

    /// `Df `: `log stream --style compact` says in two letters how important the message is.
    private mutating func takeUnifiedType(_ line: inout Span<UInt8>) {
        guard ["Df ", "In ", "Db ", "E  ", "F  ", "A  "].contains(where: { line.hasPrefix($0) }) else { return }
        var rest = line.from(2)
        rest.skipBlanks()
        var process = rest
        if takeProcess(&process) { line = process }
    }

    /// `host name[pid]: `, `host kernel: `.
    private mutating func takeSyslogName(_ line: inout Span<UInt8>) {
        var rest = line
        let host = rest.takeToken()
        guard host.count > 0, rest.take(" ") else { return }
        let start = count - line.count
        if takeIdentifier(&rest) {
            noteMessage(start..<start + host.count)
            line = rest
        } else if rest.take("kernel: ") {
            noteLine(start..<count - rest.count)
            line = rest
        }
    }

    // MARK: Names

    /// NSLog's and the unified log's `Name[pid:tid] `, where the pid is decimal, the tid hexadecimal, and the name may hold spaces.
    private mutating func takeProcess(_ line: inout Span<UInt8>) -> Bool {
        // A name is short; a `[` further on belongs to the message.
        guard let open = line.upTo(96).firstIndex(of: UInt8(ascii: "[")), open > 0 else { return false }
        var rest = line.from(open + 1)
        guard let pid = rest.takeDecimal(), rest.take(":"), rest.takeHexadecimal() != nil, rest.take("] ") else { return false }
        guard line.upTo(open).firstIndex(of: UInt8(ascii: ":")) == nil, let number = Int(exactly: pid) else { return false }
        let start = count - line.count
        parts.name = parts.name ?? start..<start + open
        parts.pid = parts.pid ?? number
        noteMessage(start..<count - rest.count)
        line = rest
        return true
    }

    /// `name[pid]: `: syslog's and journald's identifier.
    private mutating func takeIdentifier(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard let open = line.upTo(64).firstIndex(of: UInt8(ascii: "[")), open > 0 else { return false }
        let name = line.upTo(open)
        for index in 0..<name.count where isBlank(name[index]) || name[index] == UInt8(ascii: ":") { return false }
        rest = line.from(open + 1)
        guard let pid = rest.takeDecimal(), rest.take("]: "), let number = Int(exactly: pid) else { return false }
        let start = count - line.count
        parts.name = parts.name ?? start..<start + open
        parts.pid = parts.pid ?? number
        noteMessage(start..<count - rest.count)
        line = rest
        return true
    }

    /// `web_1  | `: `docker compose logs` and `up`, foreman.
    private mutating func takeCompose(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        var length = 0
        while let byte = rest.at(length), LinePrefixReader.isNameByte(byte) { length += 1 }
        guard length > 0, length <= 64 else { return false }
        rest = rest.from(length)
        guard rest.at(0).map(isBlank) ?? false else { return false }
        rest.skipBlanks()
        guard rest.take("|") else { return false }
        LinePrefixReader.skipColours(&rest)
        guard rest.take(" ") || rest.count == 0 else { return false }
        let start = count - line.count
        noteLine(start..<start + length)
        line = rest
        return true
    }

    /// `F/DEBUG   ( 1234): `: logcat's `brief`.
    private mutating func takeLogcatBrief(_ line: inout Span<UInt8>) -> Bool {
        guard LinePrefixReader.isLevel(line.at(0)), line.at(1) == UInt8(ascii: "/") else { return false }
        guard let open = line.upTo(64).firstIndex(of: UInt8(ascii: "(")) else { return false }
        var rest = line.from(open + 1)
        rest.skipBlanks()
        guard let pid = rest.takeDecimal(), rest.take("):") else { return false }
        let start = count - line.count
        noteLine(start..<count - rest.count)
        parts.pid = parts.pid ?? Int(exactly: pid)
        _ = rest.take(" ")
        line = rest
        return true
    }

    /// `build<TAB>Run tests<TAB>2024-01-01T00:00:00.0000000Z `: `gh run view --log` puts job and step before GitHub's date.
    private mutating func takeJob(_ line: inout Span<UInt8>) -> Bool {
        let tab = UInt8(ascii: "\t")
        guard let first = line.upTo(128).firstIndex(of: tab), let second = line.upTo(256).firstIndex(of: tab, from: first + 1) else {
            return false
        }
        var rest = line.from(second + 1)
        guard takeDate(&rest) else { return false }
        let start = count - line.count
        noteLine(start..<start + second)
        line = rest
        return true
    }

    // MARK: In brackets and the like

    /// `[2026-11-21 00:18:13] `, `[   12.345678] ` (the kernel's seconds), `[T1234] `, `[pod/web-1/main] `, `[error] `, `[pid 123] `.
    ///
    /// What may be a stack's own is none: `[0x400abc]` (backtrace_symbols), `[<ffffffff8107>] ` (kernels), a mere number.
    private mutating func takeBracket(_ line: inout Span<UInt8>) -> Bool {
        guard let close = line.upTo(66).firstIndex(of: UInt8(ascii: "]")), close > 1 else { return false }
        var inside = line.clamped(to: 1..<close)
        var rest = line.from(close + 1)
        let start = count - line.count
        // The kernel puts two of them together: `[   12.345678][ T1234] `.
        guard takeGap(&rest) || rest.at(0) == UInt8(ascii: "[") else { return false }
        var date = inside
        if LinePrefixReader.skipDate(&date) || LinePrefixReader.skipClock(&date), date.count == 0 {
            note(date: start + 1..<start + close)
            line = rest
            return true
        }
        inside = inside.trimmed()
        var seconds = inside
        if seconds.takeDecimal() != nil, seconds.take("."), seconds.takeDecimal() != nil, seconds.count == 0 {
            parts.origin.dates &+= 1
            line = rest
            return true
        }
        guard !inside.hasPrefix("0x"), inside.count > 0 else { return false }
        var hasLetter = false
        for index in 0..<inside.count {
            let byte = inside[index]
            guard LinePrefixReader.isNameByte(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: " ") || byte == UInt8(ascii: ":")
            else { return false }
            hasLetter = hasLetter || (byte | 0x20) &- UInt8(ascii: "a") < 26
        }
        guard hasLetter else { return false }
        if inside.firstIndex(of: UInt8(ascii: "/")) != nil { noteLine(start..<start + close) } else { noteMessage(start..<start + close) }
        line = rest
        return true
    }

    /// `<4>`: the kernel's and syslog's priority.
    private func takePriority(_ line: inout Span<UInt8>) -> Bool {
        var rest = line.from(1)
        guard let priority = rest.takeDecimal(), priority < 192, rest.take(">") else { return false }
        line = rest
        return true
    }

    /// `> `, `>> `: a mail's quotation.
    private mutating func takeQuote(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        while rest.take(">") {}
        guard rest.take(" ") || rest.count == 0 else { return false }
        noteLine(count - line.count..<count - rest.count)
        line = rest
        return true
    }

    /// `==123== `, `--123-- `: valgrind, on every line. (A sanitizer's `==123==ERROR: ` stands on a report's first line only and is its own.)
    private mutating func takeValgrind(_ line: inout Span<UInt8>, _ mark: UInt8) -> Bool {
        var rest = line
        guard rest.at(1) == mark else { return false }
        rest = rest.from(2)
        guard let pid = rest.takeDecimal(), rest.at(0) == mark, rest.at(1) == mark else { return false }
        rest = rest.from(2)
        guard rest.take(" ") || rest.count == 0 else { return false }
        noteLine(count - line.count..<count - rest.count)
        parts.pid = parts.pid ?? Int(exactly: pid)
        line = rest
        return true
    }

    // MARK: What prefixes are made of

    private mutating func note(date: Range<Int>) {
        parts.date = parts.date ?? date
        parts.origin.dates &+= 1
    }

    private mutating func noteLine(_ range: Range<Int>) { lineNames.append(range) }
    private mutating func noteMessage(_ range: Range<Int>) { messageNames.append(range) }

    private static func hash(_ names: [Range<Int>], of line: Span<UInt8>) -> UInt64 {
        var hash = NameHash()
        for name in names {
            let bytes = line.clamped(to: name)
            for index in 0..<bytes.count { hash.combine(bytes[index]) }
            hash.combine(0)
        }
        return hash.value
    }

    private mutating func takeGap(_ rest: inout Span<UInt8>) -> Bool { rest.take(" ") || rest.take("\t") || rest.count == 0 }

    /// Takes `2008-10-26 13:25:43.385`, with `-` or `/`, a blank or `T`, with or without a fraction and a zone.
    private static func skipDate(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard skipDigits(4, &rest), rest.take("-") || rest.take("/"), skipDigits(2, &rest), rest.take("-") || rest.take("/"),
            skipDigits(2, &rest), rest.take(" ") || rest.take("T"), skipClock(&rest)
        else { return false }
        if rest.take("Z") {
        } else if let sign = rest.at(0), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
            var zone = rest.from(1)
            if skipDigits(2, &zone) {
                _ = zone.take(":")
                if skipDigits(2, &zone) { rest = zone }
            }
        }
        line = rest
        return true
    }

    /// Takes `13:25:43` and a fraction.
    private static func skipClock(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard skipDigits(2, &rest), rest.take(":"), skipDigits(2, &rest), rest.take(":"), skipDigits(2, &rest) else { return false }
        if rest.take(".") || rest.take(",") { while let digit = rest.at(0), isDigit(digit) { rest = rest.from(1) } }
        line = rest
        return true
    }

    private static func skipDigits(_ count: Int, _ rest: inout Span<UInt8>) -> Bool {
        for index in 0..<count {
            guard let byte = rest.at(index), isDigit(byte) else { return false }
        }
        rest = rest.from(count)
        return true
    }

    /// Moves past `ESC [ … m`.
    private static func skipColours(_ rest: inout Span<UInt8>) {
        while rest.at(0) == 0x1B, rest.at(1) == UInt8(ascii: "["), let end = rest.upTo(24).firstIndex(of: UInt8(ascii: "m")) {
            rest = rest.from(end + 1)
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    private static func isLevel(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return "VDIWEFS".utf8.contains(byte)
    }
}
