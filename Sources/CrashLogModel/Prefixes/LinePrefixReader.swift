internal import BinaryPrimitives

/// Reads a line's prefix. Each kind has one function, which names the writer; they may follow one
/// another in any order.
package struct LinePrefixReader {
    private(set) var parts: LinePrefix.Parts
    /// Ranges of the names that the line and message parts of the origin are made of.
    private var lineNames: [Range<Int>] = []
    private var messageNames: [Range<Int>] = []
    /// The line's length, to turn a rest's length into a position.
    private var count = 0

    private let allowsTestNumbers: Bool
    /// Number of the test whose trace is open.
    private let testNumber: UInt64?

    init(parts: LinePrefix.Parts, allowsTestNumbers: Bool, testNumber: UInt64?) {
        self.parts = parts
        self.allowsTestNumbers = allowsTestNumbers
        self.testNumber = testNumber
    }

    /// Maximum number of prefixes in a line: nobody writes more. Each has at least two bytes.
    private static let maxPrefixes = 8

    mutating func read(_ line: Span<UInt8>) {
        count = line.count
        var rest = line
        // A byte order mark at the log's beginning.
        if rest.at(0) == 0xEF, rest.at(1) == 0xBB, rest.at(2) == 0xBF { rest = rest.from(3) }
        // Serial consoles of some systems (OpenBSD's) end lines with LF and CR, in this order.
        while rest.at(0) == UInt8(ascii: "\r") { rest = rest.from(1) }
        for _ in 0..<Self.maxPrefixes {
            var next = rest
            // `docker compose` and others colour the prefix; colours without a prefix after them
            // belong to the line's own text.
            Self.skipColours(&next)
            guard let first = next.at(0), readPrefix(&next, first) else { break }
            rest = next
        }
        parts.length = line.count - rest.count
        if !lineNames.isEmpty { parts.origin.line = Self.hash(lineNames, of: line) }
        if !messageNames.isEmpty { parts.origin.message = Self.hash(messageNames, of: line) }
        if messageNames.count > 1 { parts.origin.outerMessage = Self.hash(messageNames.dropLast(), of: line) }
    }

    /// Reads one prefix. Its first byte limits the kinds that it may be, and rejects nearly every
    /// line's own text.
    private mutating func readPrefix(_ rest: inout Span<UInt8>, _ first: UInt8) -> Bool {
        switch first {
        case UInt8(ascii: "["): return readFuchsia(&rest) || readBracket(&rest) || readProcess(&rest)
        case UInt8(ascii: "<"): return readPriority(&rest)
        case UInt8(ascii: ">"): return readQuote(&rest)
        case UInt8(ascii: "*"): return readDropped(&rest)
        case 0x1B: return readBuildkite(&rest)
        case UInt8(ascii: "="), UInt8(ascii: "-"): return readValgrind(&rest, first) || (first == UInt8(ascii: "-") && readProcess(&rest))
        default:
            if isDigit(first) {
                return readDate(&rest) || readLogcatPlain(&rest) || readClock(&rest) || readLogcatDate(&rest) || readZircon(&rest)
                    || readUnixTime(&rest)
                    || readPM2(&rest)
                    || readKernelRecord(&rest) || readTestNumber(&rest) || readProcess(&rest)
            }
            guard !isBlank(first) else { return readLogcatPlain(&rest) }
            return readSyslogDate(&rest) || readWeekday(&rest) || readKernelLevel(&rest) || readPytest(&rest) || readCompose(&rest)
                || readLogcatBrief(&rest) || readLogcatTag(&rest) || readLogcatMessage(&rest) || readProcess(&rest) || readIdentifier(&rest)
                || readJob(&rest)
        }
    }

    // MARK: Dates

    /// `2008-10-26 13:25:43.385 `, `2026-11-21T00:18:13.408Z `, `2021/10/20 17:25:36 `: NSLog, ISO
    /// 8601, Docker's `--timestamps`, GitHub; and the text that some writers put right after it:
    /// containerd (`stdout F `), GitLab (`00O `), the unified log
    /// (` 0x1a2b Error 0x0 123 0 App: (Foundation) `).
    private mutating func readDate(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        guard Self.skipDate(&rest) else { return false }
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
    private mutating func readClock(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        guard Self.skipClock(&rest) else { return false }
        let end = count - rest.count
        guard readCompactLevel(&rest) || skipGap(&rest) else { return false }
        note(date: start..<end)
        line = rest
        return true
    }

    /// `Oct 26 13:25:43 host name[pid]: `: syslog, and journalctl's short form.
    private mutating func readSyslogDate(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        let months = ["Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec "]
        guard rest.at(3) == UInt8(ascii: " "), months.contains(where: { rest.consume($0) }) else { return false }
        rest.skipBlanks()
        guard rest.readDecimal().map({ $0 <= 31 }) ?? false, rest.consume(" "), Self.skipClock(&rest) else { return false }
        let end = count - rest.count
        guard skipGap(&rest) else { return false }
        note(date: start..<end)
        let before = rest.count
        readSyslogName(&rest)
        if rest.count == before { readSyslogProgram(&rest) }
        line = rest
        return true
    }

    // MARK: Text behind a date

    /// `stdout F `, `stderr P `: the Container Runtime Interface's log files (containerd, CRI-O); P
    /// is a part of a line.
    private mutating func readContainerStream(_ line: inout Span<UInt8>) {
        let start = count - line.count
        guard line.consume("stdout F ") || line.consume("stderr F ") || line.consume("stdout P ") || line.consume("stderr P ") else {
            return
        }
        noteLine(start..<count - line.count - 3)
        parts.container = parts.container ?? start..<start + 6
    }

    /// `00O `, `01E+`: GitLab's runners with timestamps: the stream's number, O or E, and whether
    /// the line continues the last one.
    private mutating func readGitLab(_ line: inout Span<UInt8>) {
        var rest = line
        let start = count - line.count
        guard hexadecimalValue(rest.at(0) ?? 0) != nil, hexadecimalValue(rest.at(1) ?? 0) != nil,
            rest.at(2) == UInt8(ascii: "O") || rest.at(2) == UInt8(ascii: "E")
        else { return }
        rest = rest.from(3)
        guard rest.consume(" ") || rest.consume("+") else { return }
        noteLine(start..<start + 3)
        line = rest
    }

    /// ` 0x1a2b Error 0x0 123 0 App: (Foundation) `: `log show` in its default style: thread, type,
    /// activity, process, time to live.
    private mutating func readUnifiedColumns(_ line: inout Span<UInt8>) {
        var rest = line
        rest.skipBlanks()
        guard rest.readAddress() != nil, rest.at(0).map(isBlank) ?? false else { return }
        rest.skipBlanks()
        let type = rest.readToken()
        guard ["Default", "Info", "Debug", "Error", "Fault", "Activity"].contains(where: { type.equals($0) }) else { return }
        rest.skipBlanks()
        guard rest.readAddress() != nil else { return }
        rest.skipBlanks()
        guard let pid = rest.readDecimal() else { return }
        rest.skipBlanks()
        guard rest.readDecimal() != nil else { return }
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

    /// `Df `: `log stream --style compact` shows the importance of the message in two letters.
    private mutating func readUnifiedType(_ line: inout Span<UInt8>) {
        guard ["Df ", "In ", "Db ", "E  ", "F  ", "A  "].contains(where: { line.hasPrefix($0) }) else { return }
        var rest = line.from(2)
        rest.skipBlanks()
        var process = rest
        if readProcess(&process) { line = process }
    }

    /// `host name[pid]: `, `host kernel: `.
    private mutating func readSyslogName(_ line: inout Span<UInt8>) {
        var rest = line
        let host = rest.readToken()
        guard host.count > 0, rest.consume(" ") else { return }
        let start = count - line.count
        if readIdentifier(&rest) {
            noteMessage(start..<start + host.count)
            parts.host = parts.host ?? start..<start + host.count
            line = rest
        } else if rest.consume("kernel: ") {
            noteLine(start..<count - rest.count)
            parts.host = parts.host ?? start..<start + host.count
            line = rest
        }
    }

    // MARK: Logcat

    /// `01-26 13:25:43.385 1234 1240 F DEBUG : ` and `01-26 13:25:43.385 F/DEBUG ( 1234): `:
    /// logcat's `threadtime` and `time`.
    private mutating func readLogcatDate(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        guard Self.skipDigits(2, &rest), rest.consume("-"), Self.skipDigits(2, &rest), rest.consume(" "),
            Self.skipClock(&rest)
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
        guard let pid = rest.readDecimal(), Self.skipThread(&rest) else { return false }
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

    /// `F/DEBUG   ( 1234): `: logcat's `brief`.
    private mutating func readLogcatBrief(_ line: inout Span<UInt8>) -> Bool {
        guard Self.isLevel(line.at(0)), line.at(1) == UInt8(ascii: "/") else { return false }
        guard let open = line.upTo(64).firstIndex(of: UInt8(ascii: "(")) else { return false }
        var rest = line.from(open + 1)
        rest.skipBlanks()
        guard let pid = rest.readDecimal(), rest.consume("):") else { return false }
        let start = count - line.count
        noteLine(start..<count - rest.count)
        parts.pid = parts.pid ?? Int(exactly: pid)
        _ = rest.consume(" ")
        line = rest
        return true
    }

    /// Reads the columns after a full date: `-v year`'s ` 1234 1240 F DEBUG : `, and Android
    /// Studio's `29547-29547/? A/DEBUG: ` and, since Electric Eel,
    /// `29547-29560 DEBUG pid-29547 A `.
    private mutating func readLogcatColumns(_ line: inout Span<UInt8>) {
        var rest = line
        // `-v zone`
        if rest.consume("+") || rest.consume("-") { guard Self.skipDigits(4, &rest), rest.consume(" ") else { return } }
        rest.skipBlanks()
        let start = count - rest.count
        guard let pid = rest.readDecimal() else { return }
        if rest.consume("-") {
            guard rest.readDecimal() != nil, readStudioColumns(&rest) else { return }
        } else {
            guard Self.skipThread(&rest), let colon = rest.upTo(64).firstIndex(of: UInt8(ascii: ":")) else { return }
            rest = rest.from(colon + 1)
        }
        noteLine(start..<count - rest.count)
        parts.pid = parts.pid ?? Int(exactly: pid)
        _ = rest.consume(" ")
        line = rest
    }

    /// `/com.example.shop A/DEBUG:`, ` DEBUG com.example.shop A `
    private func readStudioColumns(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        if rest.consume("/") {
            _ = rest.readToken()
            rest.skipBlanks()
            guard isStudioLevel(rest.at(0)), rest.at(1) == UInt8(ascii: "/"), let colon = rest.upTo(64).firstIndex(of: UInt8(ascii: ":"))
            else {
                return false
            }
            line = rest.from(colon + 1)
            return true
        }
        guard rest.at(0).map(isBlank) ?? false else { return false }
        // Tag and process, each padded to its column.
        for _ in 0..<2 {
            rest.skipBlanks()
            guard rest.readToken().count > 0 else { return false }
        }
        rest.skipBlanks()
        guard isStudioLevel(rest.at(0)), rest.at(1).map(isBlank) ?? true else { return false }
        line = rest.from(2)
        return true
    }

    /// Studio shows what logcat calls F (fatal) as A (assert).
    private func isStudioLevel(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "A") || Self.isLevel(byte) }

    /// `F/DEBUG   : ` (`-v tag`) and `F( 1234: 1240) ` (`-v thread`).
    private mutating func readLogcatTag(_ line: inout Span<UInt8>) -> Bool {
        guard Self.isLevel(line.at(0)) else { return false }
        var rest = line.from(1)
        let start = count - line.count
        if rest.consume("(") {
            rest.skipBlanks()
            guard let pid = rest.readDecimal(), rest.consume(":") else { return false }
            rest.skipBlanks()
            guard rest.readDecimal() != nil || rest.readAddress() != nil, rest.consume(")") else { return false }
            parts.pid = parts.pid ?? Int(exactly: pid)
        } else {
            guard rest.consume("/") else { return false }
            let length = Self.nameLength(rest)
            // `E/LD:  Status of TA …`: OP-TEE's loader continues what its kernel began, `E/TC:? 0 TA panicked …`.
            guard (1...64).contains(length), !rest.hasPrefix("LD:") else { return false }
            rest = rest.from(length)
            rest.skipBlanks()
            guard rest.consume(":") else { return false }
        }
        guard skipGap(&rest) else { return false }
        noteLine(start..<count - rest.count)
        line = rest
        return true
    }

    /// `  190   190 F DEBUG   : `: `threadtime` without its date, as it is pasted.
    private mutating func readLogcatPlain(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        rest.skipBlanks()
        let start = count - rest.count
        guard let pid = rest.readDecimal(), Self.skipThread(&rest), let colon = rest.upTo(64).firstIndex(of: UInt8(ascii: ":")), colon > 2
        else { return false }
        for index in 2..<colon where !Self.isNameByte(rest[index]) && rest[index] != UInt8(ascii: " ") { return false }
        rest = rest.from(colon + 1)
        guard rest.consume(" ") || rest.count == 0 else { return false }
        noteLine(start..<count - rest.count)
        parts.pid = parts.pid ?? Int(exactly: pid)
        line = rest
        return true
    }

    /// `DEBUG : `, `libc : `: the writers of crashes, if only the tag was kept. logcat pads tags to
    /// eight letters.
    private mutating func readLogcatMessage(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - line.count
        guard rest.consume("DEBUG   : ") || rest.consume("libc    : ") else { return false }
        noteLine(start..<count - rest.count)
        line = rest
        return true
    }

    /// `  A  ` after the time: Android Studio's compact view.
    private func readCompactLevel(_ line: inout Span<UInt8>) -> Bool {
        guard line.hasPrefix("  "), isStudioLevel(line.at(2)), line.at(3) == UInt8(ascii: " "), line.at(4) == UInt8(ascii: " ") else {
            return false
        }
        line = line.from(5)
        return true
    }

    // MARK: Brackets and marks

    /// `[2026-11-21 00:18:13] `, `[ 12.345678] ` (the kernel's seconds), `[T1234] `,
    /// `[pod/web-1/main] `, `[error] `, `[pid 123] `.
    ///
    /// Brackets that may belong to a stack are not prefixes: `[0x400abc]` (backtrace_symbols),
    /// `[<ffffffff8107>] ` (kernels), a mere number.
    private mutating func readBracket(_ line: inout Span<UInt8>) -> Bool {
        guard let close = line.upTo(66).firstIndex(of: UInt8(ascii: "]")), close > 1 else { return false }
        let inside = line.clamped(to: 1..<close)
        var rest = line.from(close + 1)
        let start = count - line.count
        if readClockInBracket(inside, &rest) {
            note(date: start + 1..<start + close)
            line = rest
            return true
        }
        // `flutter run -v` puts this before the lines after `[ +120 ms] ` (`VerboseLogger` of
        // flutter_tools).
        if inside.trimmed().count == 0, inside.count == 8 {
            parts.origin.dates &+= 1
            line = rest
            return skipGap(&line)
        }
        // The kernel puts two of them together: `[   12.345678][ T1234] `.
        guard skipGap(&rest) || rest.at(0) == UInt8(ascii: "[") && ForumTag.end(in: line, at: 0) == nil else { return false }
        if !noteDate(inBracket: inside, at: start + 1..<start + close) {
            guard !Self.isOwnText(inBracket: inside) else { return false }
            let text = inside.trimmed()
            if Self.isSeconds(text) {
                parts.origin.dates &+= 1
                // `journalctl -o short-monotonic`.
                readSyslogName(&rest)
            } else {
                guard noteName(inBracket: text, at: start..<start + close) else { return false }
            }
        }
        line = rest
        return true
    }

    /// Notes the date or time that is all of a bracket's text. `dmesg` gives only a time since something else, which counts as a date.
    private mutating func noteDate(inBracket inside: Span<UInt8>, at range: Range<Int>) -> Bool {
        var rest = inside
        // `[Tue Mar 05 10:11:12.000001 2024] `: Apache's, and `ctime`'s.
        if (Self.skipDate(&rest) || Self.skipClock(&rest)) && rest.count == 0 || Self.isWrittenDate(inside) {
            note(date: range)
            return true
        }
        guard Self.isKernelDate(inside) else { return false }
        parts.origin.dates &+= 1
        return true
    }

    /// Whether a bracket that holds no date belongs to the line's own text: to the kernel's message or to a stack.
    private static func isOwnText(inBracket inside: Span<UInt8>) -> Bool {
        let text = inside.trimmed()
        // A kernel pads its own (`[ C0]`, `[ 12.345678]`); with words after the blank it is the
        // message: `[ INFO: possible recursive locking detected ]`.
        if inside.at(0) == UInt8(ascii: " "), text.firstIndex(of: UInt8(ascii: " ")) != nil { return true }
        // A stack's own as well: `[c000000010f930b0] [c000000008068df8] .func+0x27c/0x390`
        // (PowerPC's kernel).
        if text.count == 16 || text.count == 8, (0..<text.count).allSatisfy({ hexadecimalValue(text[$0]) != nil }) { return true }
        // Node's error without a stack: `[AggregateError: All promises were rejected] {`.
        if let colon = text.firstRange(of: ": "), text.upTo(colon.lowerBound).hasSuffix("Error") { return true }
        // Unreal's rows keep their mark: it distinguishes them from other lines.
        return text.hasPrefix("0x") || text.count == 0 || text.equals("Callstack")
    }

    /// `12.345678`: the kernel's seconds.
    private static func isSeconds(_ text: Span<UInt8>) -> Bool {
        var rest = text
        return rest.readDecimal() != nil && rest.consume(".") && rest.readDecimal() != nil && rest.count == 0
    }

    /// Notes the name in a bracket, which has a letter: with a slash it is a container's, else a thread's, a level's or a logger's.
    private mutating func noteName(inBracket text: Span<UInt8>, at range: Range<Int>) -> Bool {
        var hasLetter = false
        for index in 0..<text.count {
            let byte = text[index]
            guard Self.isNameByte(byte) || isOne(byte, of: "/ :") else { return false }
            hasLetter = hasLetter || isLetter(byte)
        }
        guard hasLetter else { return false }
        if text.firstIndex(of: UInt8(ascii: "/")) != nil { noteLine(range) } else { noteMessage(range) }
        return true
    }

    /// Whether a text is a date with the name of a day or a month: names and numbers around a clock. `dmesg -T` prints the locale's names:
    /// `Fri Nov 29 01:01:48 2026`, `五 6月 26 21:21:55 2026`, `sam. févr. 29 01:01:48 2026`, `Sa Nov 29 01:01:48 2026`.
    private static func isWrittenDate(_ text: Span<UInt8>) -> Bool {
        var rest = text
        var (hasClock, hasName) = (false, false)
        while rest.count > 0 {
            rest.skipBlanks()
            let word = rest.readToken()
            var clock = word
            if skipClock(&clock), clock.count == 0 {
                hasClock = true
            } else if isDateName(word) {
                hasName = true
            } else {
                guard word.count > 0, word.count <= 5, (0..<word.count).allSatisfy({ isDigit(word[$0]) || isOne(word[$0], of: "+-,") })
                else {
                    return false
                }
            }
        }
        return hasClock && hasName
    }

    /// Whether a word is a day's or a month's name: two or three letters, which a period may follow, or letters and digits of which one is
    /// beyond ASCII.
    private static func isDateName(_ word: Span<UInt8>) -> Bool {
        guard word.count > 0 else { return false }
        let name = word[word.count - 1] == UInt8(ascii: ".") ? word.extracting(..<(word.count - 1)) : word
        let letters = (0..<name.count).count { isLetter(name[$0]) }
        if letters == name.count { return 2...3 ~= letters }
        let foreign = (0..<name.count).count { name[$0] >= 0x80 }
        let digits = (0..<name.count).count { isDigit(name[$0]) }
        return foreign > 0 && letters + foreign + digits == name.count && name.count <= 24
    }

    /// `** 93 printk messages dropped ** `: a kernel's console puts this before the next line that
    /// it did not lose.
    private func readDropped(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard rest.consume("** "), rest.readDecimal() != nil, rest.consume(" printk messages dropped **") else { return false }
        rest.skipBlanks()
        line = rest
        return true
    }

    /// `<4>`: the kernel's and syslog's priority.
    private mutating func readPriority(_ line: inout Span<UInt8>) -> Bool {
        var rest = line.from(1)
        guard let priority = rest.readDecimal(), priority < 192, rest.consume(">") else { return false }
        _ = readSyslog5424(&rest)
        line = rest
        return true
    }

    /// `> `, `>> `: a mail's quotation.
    private mutating func readQuote(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        while rest.consume(">") {}
        guard rest.consume(" ") || rest.count == 0 else { return false }
        noteLine(count - line.count..<count - rest.count)
        line = rest
        return true
    }

    /// `==123== `, `--123-- `: valgrind, on every line. A sanitizer's `==123==ERROR: ` is on few of
    /// a report's lines and is its own; so is libFuzzer's and old sanitizers' `==123== ERROR: `.
    private mutating func readValgrind(_ line: inout Span<UInt8>, _ mark: UInt8) -> Bool {
        var rest = line
        guard rest.at(1) == mark else { return false }
        rest = rest.from(2)
        guard let pid = rest.readDecimal(), rest.at(0) == mark, rest.at(1) == mark else { return false }
        rest = rest.from(2)
        guard rest.consume(" ") || rest.count == 0, !rest.hasPrefix("ERROR: "), !rest.hasPrefix("ABORTING") else { return false }
        noteLine(count - line.count..<count - rest.count)
        parts.pid = parts.pid ?? Int(exactly: pid)
        line = rest
        return true
    }

    // MARK: Processes, containers and jobs

    /// NSLog's and the unified log's `Name[pid:tid] `, where the pid is decimal, the tid
    /// hexadecimal, and the name may hold spaces.
    private mutating func readProcess(_ line: inout Span<UInt8>) -> Bool {
        // A name is short; a `[` further on belongs to the message.
        guard let open = line.upTo(96).firstIndex(of: UInt8(ascii: "[")), open > 0 else { return false }
        var rest = line.from(open + 1)
        guard let pid = rest.readDecimal(), rest.consume(":"), rest.readHexadecimal() != nil, rest.consume("] ") else { return false }
        guard line.upTo(open).firstIndex(of: UInt8(ascii: ":")) == nil, let number = Int(exactly: pid) else { return false }
        let start = count - line.count
        parts.name = parts.name ?? start..<start + open
        parts.pid = parts.pid ?? number
        noteMessage(start..<count - rest.count)
        line = rest
        return true
    }

    /// `name[pid]: `: syslog's and journald's identifier.
    private mutating func readIdentifier(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard let open = line.upTo(64).firstIndex(of: UInt8(ascii: "[")), open > 0 else { return false }
        let name = line.upTo(open)
        for index in 0..<name.count where isBlank(name[index]) || name[index] == UInt8(ascii: ":") { return false }
        rest = line.from(open + 1)
        guard let pid = rest.readDecimal(), rest.consume("]: "), let number = Int(exactly: pid) else { return false }
        // The kernel speaks of that process: `harbour[4242]: segfault at 10 …`; the lines below
        // have no such name in front.
        guard !["segfault at ", "segfault (", "unhandled "].contains(where: { rest.hasPrefix($0) }) else { return false }
        let start = count - line.count
        parts.name = parts.name ?? start..<start + open
        parts.pid = parts.pid ?? number
        noteMessage(start..<count - rest.count)
        line = rest
        return true
    }

    /// `web_1  | `: `docker compose logs` and `up`, foreman.
    private mutating func readCompose(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        var length = 0
        // `web.1.k5eapsbs2g3h@node`: a service's task and its node.
        while let byte = rest.at(length), Self.isNameByte(byte) || byte == UInt8(ascii: "@") { length += 1 }
        guard length > 0, length <= 64 else { return false }
        rest = rest.from(length)
        guard rest.at(0).map(isBlank) ?? false else { return false }
        rest.skipBlanks()
        guard rest.consume("|") else { return false }
        Self.skipColours(&rest)
        guard rest.consume(" ") || rest.count == 0 else { return false }
        let start = count - line.count
        noteLine(start..<start + length)
        parts.container = parts.container ?? start..<start + length
        line = rest
        return true
    }

    /// `build<TAB>Run tests<TAB>2024-01-01T00:00:00.0000000Z `: `gh run view --log` puts job and
    /// step before GitHub's date.
    private mutating func readJob(_ line: inout Span<UInt8>) -> Bool {
        let tab = UInt8(ascii: "\t")
        guard let first = line.upTo(128).firstIndex(of: tab), let second = line.upTo(256).firstIndex(of: tab, from: first + 1) else {
            return false
        }
        var rest = line.from(second + 1)
        guard readDate(&rest) else { return false }
        let start = count - line.count
        noteLine(start..<start + second)
        line = rest
        return true
    }

    /// `01102.01116> `: Zircon's log, process and thread of five digits and more; after the seconds
    /// in brackets.
    private mutating func readZircon(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard let pid = rest.readDecimal(), line.count - rest.count >= 5, rest.consume(".") else { return false }
        let start = rest.count
        guard rest.readDecimal() != nil, start - rest.count >= 5, rest.consume("> ") else { return false }
        noteMessage(count - line.count..<count - rest.count - 2)
        parts.pid = parts.pid ?? Int(exactly: pid)
        line = rest
        return true
    }

    /// `[00115.266979][1102][1191][core/starnix_runner] WARN: `: Fuchsia's `ffx log`: seconds,
    /// process, thread, tags, how important it is. Threads of one process take turns in one trace.
    private mutating func readFuchsia(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard rest.consume("["), rest.readDecimal() != nil, rest.consume("."), rest.readDecimal() != nil, rest.consume("][") else {
            return false
        }
        let start = count - rest.count
        guard let pid = rest.readDecimal() else { return false }
        let end = count - rest.count
        guard rest.consume("]["), rest.readDecimal() != nil, rest.consume("][") else { return false }
        while let close = rest.upTo(512).firstIndex(of: UInt8(ascii: "]")) {
            rest = rest.from(close + 1)
            guard rest.consume("[") else { break }
        }
        guard rest.consume(" "), let colon = rest.upTo(8).firstRange(of: ": ") else { return false }
        rest = rest.from(colon.upperBound)
        noteMessage(start..<end)
        parts.origin.dates &+= 1
        parts.pid = parts.pid ?? Int(exactly: pid)
        line = rest
        return true
    }

    // MARK: Log services, journals and the kernel

    /// `<134>1 2026-11-21T10:00:00.123Z host app 1234 ID47 [exampleSDID@32473 iut="3"] `: syslog by
    /// RFC 5424, the priority in front taken already: version, time, host, program, process,
    /// message's kind, structured data.
    private mutating func readSyslog5424(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard rest.consume("1 ") else { return false }
        var start = count - rest.count
        if !rest.consume("- ") {
            guard Self.skipDate(&rest), rest.at(0) == UInt8(ascii: " ") else { return false }
            note(date: start..<count - rest.count)
            rest = rest.from(1)
        }
        start = count - rest.count
        var tokens: [Range<Int>] = []
        for _ in 0..<4 {
            let from = count - rest.count
            guard rest.readToken().count > 0 else { return false }
            tokens.append(from..<count - rest.count)
            guard rest.consume(" ") else { return false }
        }
        guard Self.skipStructuredData(&rest), rest.consume(" ") || rest.count == 0 else { return false }
        // A byte order mark says that the message is UTF-8.
        _ = rest.consume("\u{FEFF}")
        noteLine(tokens[0].lowerBound..<tokens[2].upperBound)
        parts.name = parts.name ?? tokens[1]
        parts.host = parts.host ?? tokens[0]
        line = rest
        return true
    }

    /// `-`, or elements in brackets, whose values may hold `\]`.
    private static func skipStructuredData(_ line: inout Span<UInt8>) -> Bool {
        if line.consume("-") { return true }
        guard line.at(0) == UInt8(ascii: "[") else { return false }
        var index = 0
        while line.at(index) == UInt8(ascii: "[") {
            while let byte = line.at(index), byte != UInt8(ascii: "]") { index += byte == UInt8(ascii: "\\") ? 2 : 1 }
            index += 1
        }
        guard index <= line.count else { return false }
        line = line.from(index)
        return true
    }

    /// Reads the text that may follow a date instead of `host name[pid]: `:
    ///
    ///     2026-11-21T10:00:00.123456+00:00 app[web.1]:          Heroku
    ///     2026-11-21T10:00:00.12+0000 [APP/PROC/WEB/0] ERR      Cloud Foundry
    private mutating func readServiceName(_ line: inout Span<UInt8>) {
        let start = count - line.count
        var rest = line
        if rest.consume("[APP/"), let close = rest.upTo(48).firstRange(of: "] ") {
            rest = rest.from(close.upperBound)
            guard rest.consume("OUT ") || rest.consume("ERR ") else { return }
            noteLine(start..<count - rest.count)
            parts.container = parts.container ?? start..<count - rest.count
            line = rest
            return
        }
        let length = Self.nameLength(rest)
        guard length > 0, rest.at(length) == UInt8(ascii: "["), let close = rest.upTo(length + 48).firstRange(of: "]: ") else { return }
        for index in length + 1..<close.lowerBound where !Self.isNameByte(rest[index]) { return }
        noteLine(start..<start + close.lowerBound)
        parts.container = parts.container ?? start..<start + close.lowerBound
        line = rest.from(close.upperBound)
    }

    /// Reads the text that may follow syslog's own date instead of `host name[pid]: `:
    /// `host name: ` of a program that does not give its process ID, and
    /// `iPhone server(libsystem)[812] <Error>: `, which the relay of Apple's devices writes.
    private mutating func readSyslogProgram(_ line: inout Span<UInt8>) {
        var rest = line
        let start = count - line.count
        let host = start..<start + rest.readToken().count
        guard !host.isEmpty, rest.consume(" ") else { return }
        let nameStart = count - rest.count
        let length = Self.nameLength(rest)
        guard length > 0 else { return }
        rest = rest.from(length)
        if rest.consume("("), let close = rest.upTo(96).firstIndex(of: UInt8(ascii: ")")) { rest = rest.from(close + 1) }
        var pid: UInt64?
        if rest.consume("[") {
            pid = rest.readDecimal()
            guard pid != nil, rest.consume("]"), rest.consume(" <"), let close = rest.upTo(16).firstIndex(of: UInt8(ascii: ">")) else {
                return
            }
            rest = rest.from(close + 1)
        }
        guard rest.consume(": ") || (rest.count == 1 && rest.consume(":")) else { return }
        parts.name = parts.name ?? nameStart..<nameStart + length
        parts.pid = parts.pid ?? pid.flatMap { Int(exactly: $0) }
        noteLine(start..<nameStart + length)
        parts.host = parts.host ?? host
        line = rest
    }

    /// `0|app      | `: PM2, a process's number and name.
    private mutating func readPM2(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard rest.readDecimal() != nil, rest.consume("|") else { return false }
        let start = count - line.count
        let length = Self.nameLength(rest)
        guard length > 0 else { return false }
        rest = rest.from(length)
        rest.skipBlanks()
        guard rest.consume("| ") || (rest.count == 1 && rest.consume("|")) else { return false }
        noteLine(start..<start + length)
        line = rest
        return true
    }

    /// `1700000000.123456 host name[pid]: `: `journalctl -o short-unix`.
    private mutating func readUnixTime(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        guard Self.skipDigits(10, &rest), rest.consume("."), Self.skipDigits(6, &rest), rest.consume(" ") else {
            return false
        }
        let end = count - rest.count
        let before = rest.count
        readSyslogName(&rest)
        guard rest.count < before else { return false }
        note(date: start..<end - 1)
        line = rest
        return true
    }

    /// `Sat 2026-11-21 10:00:00 UTC host name[pid]: `: `journalctl -o short-full` and `with-unit`.
    private mutating func readWeekday(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard rest.at(3) == UInt8(ascii: " "), Self.readWeekdayName(&rest), rest.consume(" ") else { return false }
        let start = count - rest.count
        guard Self.skipDate(&rest), rest.consume(" ") else { return false }
        let end = count - rest.count - 1
        let zone = rest.readToken()
        guard (1...6).contains(zone.count), rest.consume(" ") else { return false }
        let before = rest.count
        readSyslogName(&rest)
        guard rest.count < before else { return false }
        note(date: start..<end)
        line = rest
        return true
    }

    private static func readWeekdayName(_ rest: inout Span<UInt8>) -> Bool {
        ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].contains { rest.consume($0) }
    }

    /// `4,1234,12345678,-;`: a record of the kernel's `/dev/kmsg`: priority and facility, number,
    /// microseconds, flags.
    private mutating func readKernelRecord(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard let priority = rest.readDecimal(), priority < 192, rest.consume(","), rest.readDecimal() != nil, rest.consume(","),
            rest.readDecimal() != nil,
            rest.consume(",")
        else { return false }
        guard rest.consume("-") || rest.consume("c") || rest.consume("+"), let end = rest.upTo(32).firstIndex(of: UInt8(ascii: ";")) else {
            return false
        }
        parts.origin.dates &+= 1
        line = rest.from(end + 1)
        return true
    }

    /// `kern  :err   : `: `dmesg -x`, facility and level.
    private mutating func readKernelLevel(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard rest.consume("kern  :") || rest.consume("user  :") || rest.consume("daemon:") else { return false }
        guard ["emerg ", "alert ", "crit  ", "err   ", "warn  ", "notice", "info  ", "debug "].contains(where: { rest.consume($0) }),
            rest.consume(": ")
        else {
            return false
        }
        line = rest
        return true
    }

    /// A time in brackets as `dmesg` writes it: `Sat Nov 21 10:00:00 2026` (`-T`), `Nov21 10:00`
    /// and ` +0.000123` (`-e`); and `flutter run -v`: ` +12 ms`.
    private static func isKernelDate(_ inside: Span<UInt8>) -> Bool {
        var rest = inside.trimmed()
        if rest.consume("+") {
            guard rest.readDecimal() != nil else { return false }
            if rest.equals(" ms") { return true }
            guard rest.consume("."), rest.readDecimal() != nil else { return false }
            return rest.count == 0
        }
        let hasWeekday = readWeekdayName(&rest)
        if hasWeekday { guard rest.consume(" ") else { return false } }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard months.contains(where: { rest.consume($0) }) else { return false }
        rest.skipBlanks()
        guard rest.readDecimal().map({ $0 <= 31 }) ?? false, rest.consume(" "), skipDigits(2, &rest), rest.consume(":"),
            skipDigits(2, &rest)
        else { return false }
        if hasWeekday { guard rest.consume(":"), skipDigits(2, &rest), rest.consume(" "), skipDigits(4, &rest) else { return false } }
        return rest.count == 0
    }

    // MARK: Builders and test runners

    /// `ESC _bk;t=1700000000123 BEL`: Buildkite's agent writes the time of each line so
    /// (`ansi-timestamps`), in an application program command, which terminals do not show.
    private mutating func readBuildkite(_ line: inout Span<UInt8>) -> Bool {
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
    private mutating func readTestNumber(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard allowsTestNumbers, let number = rest.readDecimal(), number > 0, number < 100_000, rest.consume(": "),
            number == testNumber || !Self.isNumberedRow(rest)
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
    private mutating func readPytest(_ line: inout Span<UInt8>) -> Bool {
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
    private func readClockInBracket(_ inside: Span<UInt8>, _ line: inout Span<UInt8>) -> Bool {
        var clock = inside
        guard Self.skipClock(&clock), clock.count == 0 else { return false }
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

    // MARK: Parts of prefixes

    private mutating func note(date: Range<Int>) {
        parts.date = parts.date ?? date
        parts.origin.dates &+= 1
    }

    private mutating func noteLine(_ range: Range<Int>) { lineNames.append(range) }
    private mutating func noteMessage(_ range: Range<Int>) { messageNames.append(range) }

    private static func hash(_ names: some Sequence<Range<Int>>, of line: Span<UInt8>) -> UInt64 {
        var hash = NameHash()
        for name in names {
            let bytes = line.clamped(to: name)
            for index in 0..<bytes.count { hash.combine(bytes[index]) }
            hash.combine(0)
        }
        return hash.value
    }

    private mutating func skipGap(_ rest: inout Span<UInt8>) -> Bool { rest.consume(" ") || rest.consume("\t") || rest.count == 0 }

    /// Skips `2008-10-26 13:25:43.385`, with `-` or `/`, a blank or `T`, with or without a fraction
    /// and a zone.
    private static func skipDate(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard skipDigits(4, &rest), rest.consume("-") || rest.consume("/"), skipDigits(2, &rest), rest.consume("-") || rest.consume("/"),
            skipDigits(2, &rest), rest.consume(" ") || rest.consume("T"), skipClock(&rest)
        else { return false }
        if rest.consume("Z") {
        } else if let sign = rest.at(0), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
            var zone = rest.from(1)
            if skipDigits(2, &zone) {
                _ = zone.consume(":")
                if skipDigits(2, &zone) { rest = zone }
            }
        }
        line = rest
        return true
    }

    /// Skips `13:25:43` and a fraction.
    private static func skipClock(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard skipDigits(2, &rest), rest.consume(":"), skipDigits(2, &rest), rest.consume(":"), skipDigits(2, &rest) else { return false }
        if rest.consume(".") || rest.consume(",") { while let digit = rest.at(0), isDigit(digit) { rest = rest.from(1) } }
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

    package static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    private static func isLevel(_ byte: UInt8?) -> Bool { byte.map { isOne($0, of: "VDIWEFS") } ?? false }

    /// Skips ` 1240 ` before `F `: logcat's thread, which its level follows.
    private static func skipThread(_ rest: inout Span<UInt8>) -> Bool {
        guard rest.at(0).map(isBlank) ?? false else { return false }
        rest.skipBlanks()
        return rest.readDecimal() != nil && rest.consume(" ") && isLevel(rest.at(0)) && rest.at(1) == UInt8(ascii: " ")
    }

    /// Number of bytes at the beginning of a text that a name may have.
    private static func nameLength(_ text: Span<UInt8>) -> Int {
        var length = 0
        while let byte = text.at(length), isNameByte(byte) { length += 1 }
        return length
    }
}
