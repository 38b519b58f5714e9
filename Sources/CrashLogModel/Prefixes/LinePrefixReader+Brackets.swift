internal import BinaryPrimitives

/// Prefixes in brackets, and a mail's and valgrind's marks.
extension LinePrefixReader {
    /// `[2026-11-21 00:18:13] `, `[ 12.345678] ` (the kernel's seconds), `[T1234] `,
    /// `[pod/web-1/main] `, `[error] `, `[pid 123] `.
    ///
    /// Brackets that may belong to a stack are not prefixes: `[0x400abc]` (backtrace_symbols),
    /// `[<ffffffff8107>] ` (kernels), a mere number.
    package mutating func readBracket(_ line: inout Span<UInt8>) -> Bool {
        guard let close = line.upTo(66).firstIndex(of: UInt8(ascii: "]")), close > 1 else { return false }
        var inside = line.clamped(to: 1..<close)
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
        var date = inside
        if LinePrefixReader.skipDate(&date) || LinePrefixReader.skipClock(&date), date.count == 0 {
            note(date: start + 1..<start + close)
            line = rest
            return true
        }
        // `[Tue Mar 05 10:11:12.000001 2024] `: Apache's, and `ctime`'s.
        if LinePrefixReader.isWrittenDate(inside) {
            note(date: start + 1..<start + close)
            line = rest
            return true
        }
        // A kernel pads its own (`[ C0]`, `[ 12.345678]`); with words after the blank it is the
        // message: `[ INFO: possible recursive locking detected ]`.
        let isPadded = inside.at(0) == UInt8(ascii: " ")
        if LinePrefixReader.isKernelDate(inside) {
            parts.origin.dates &+= 1
            line = rest
            return true
        }
        inside = inside.trimmed()
        if isPadded, inside.firstIndex(of: UInt8(ascii: " ")) != nil { return false }
        // A stack's own as well: `[c000000010f930b0] [c000000008068df8] .func+0x27c/0x390`
        // (PowerPC's kernel).
        if inside.count == 16 || inside.count == 8, (0..<inside.count).allSatisfy({ hexadecimalValue(inside[$0]) != nil }) { return false }
        var seconds = inside
        if seconds.readDecimal() != nil, seconds.consume("."), seconds.readDecimal() != nil, seconds.count == 0 {
            parts.origin.dates &+= 1
            // `journalctl -o short-monotonic`.
            readSyslogName(&rest)
            line = rest
            return true
        }
        // Unreal's rows keep their mark: it distinguishes them from other lines.
        guard !inside.hasPrefix("0x"), inside.count > 0, !inside.equals("Callstack") else { return false }
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

    /// Whether a text is a date with the name of a day or a month: names and numbers around a clock. `dmesg -T` prints the locale's names:
    /// `Fri Nov 29 01:01:48 2026`, `五 6月 26 21:21:55 2026`, `sam. févr. 29 01:01:48 2026`, `Sa Nov 29 01:01:48 2026`.
    package static func isWrittenDate(_ text: Span<UInt8>) -> Bool {
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
        let letters = (0..<name.count).count { (name[$0] | 0x20) &- UInt8(ascii: "a") < 26 }
        if letters == name.count { return 2...3 ~= letters }
        let foreign = (0..<name.count).count { name[$0] >= 0x80 }
        let digits = (0..<name.count).count { isDigit(name[$0]) }
        return foreign > 0 && letters + foreign + digits == name.count && name.count <= 24
    }

    /// `** 93 printk messages dropped ** `: a kernel's console puts this before the next line that
    /// it did not lose.
    package func readDropped(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard rest.consume("** "), rest.readDecimal() != nil, rest.consume(" printk messages dropped **") else { return false }
        rest.skipBlanks()
        line = rest
        return true
    }

    /// `<4>`: the kernel's and syslog's priority.
    package mutating func readPriority(_ line: inout Span<UInt8>) -> Bool {
        var rest = line.from(1)
        guard let priority = rest.readDecimal(), priority < 192, rest.consume(">") else { return false }
        _ = readSyslog5424(&rest)
        line = rest
        return true
    }

    /// `> `, `>> `: a mail's quotation.
    package mutating func readQuote(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        while rest.consume(">") {}
        guard rest.consume(" ") || rest.count == 0 else { return false }
        noteLine(count - line.count..<count - rest.count)
        line = rest
        return true
    }

    /// `==123== `, `--123-- `: valgrind, on every line. A sanitizer's `==123==ERROR: ` is on few of
    /// a report's lines and is its own; so is libFuzzer's and old sanitizers' `==123== ERROR: `.
    package mutating func readValgrind(_ line: inout Span<UInt8>, _ mark: UInt8) -> Bool {
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
}
