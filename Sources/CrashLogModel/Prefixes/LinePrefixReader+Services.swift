internal import BinaryPrimitives

/// Prefixes that log services and journals put before the lines that they pass on, besides a date
/// and `host name[pid]: `.
extension LinePrefixReader {
    /// `<134>1 2026-11-21T10:00:00.123Z host app 1234 ID47 [exampleSDID@32473 iut="3"] `: syslog by
    /// RFC 5424, the priority in front taken already: version, time, host, program, process,
    /// message's kind, structured data.
    package mutating func readSyslog5424(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard rest.consume("1 ") else { return false }
        var start = count - rest.count
        if !rest.consume("- ") {
            guard LinePrefixReader.skipDate(&rest), rest.at(0) == UInt8(ascii: " ") else { return false }
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
        guard LinePrefixReader.skipStructuredData(&rest), rest.consume(" ") || rest.count == 0 else { return false }
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
    package mutating func readServiceName(_ line: inout Span<UInt8>) {
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
        var length = 0
        while let byte = rest.at(length), LinePrefixReader.isNameByte(byte) { length += 1 }
        guard length > 0, rest.at(length) == UInt8(ascii: "["), let close = rest.upTo(length + 48).firstRange(of: "]: ") else { return }
        for index in length + 1..<close.lowerBound where !LinePrefixReader.isNameByte(rest[index]) { return }
        noteLine(start..<start + close.lowerBound)
        parts.container = parts.container ?? start..<start + close.lowerBound
        line = rest.from(close.upperBound)
    }

    /// Reads the text that may follow syslog's own date instead of `host name[pid]: `:
    /// `host name: ` of a program that does not give its process ID, and
    /// `iPhone server(libsystem)[812] <Error>: `, which the relay of Apple's devices writes.
    package mutating func readSyslogProgram(_ line: inout Span<UInt8>) {
        var rest = line
        let start = count - line.count
        let host = start..<start + rest.readToken().count
        guard !host.isEmpty, rest.consume(" ") else { return }
        let nameStart = count - rest.count
        var length = 0
        while let byte = rest.at(length), LinePrefixReader.isNameByte(byte) { length += 1 }
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
    package mutating func readPM2(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard rest.readDecimal() != nil, rest.consume("|") else { return false }
        let start = count - line.count
        var length = 0
        while let byte = rest.at(length), LinePrefixReader.isNameByte(byte) { length += 1 }
        guard length > 0 else { return false }
        rest = rest.from(length)
        rest.skipBlanks()
        guard rest.consume("| ") || (rest.count == 1 && rest.consume("|")) else { return false }
        noteLine(start..<start + length)
        line = rest
        return true
    }

    /// `1700000000.123456 host name[pid]: `: `journalctl -o short-unix`.
    package mutating func readUnixTime(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - rest.count
        guard LinePrefixReader.skipDigits(10, &rest), rest.consume("."), LinePrefixReader.skipDigits(6, &rest), rest.consume(" ") else {
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
    package mutating func readWeekday(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard LinePrefixReader.readWeekdayName(&rest), rest.consume(" ") else { return false }
        let start = count - rest.count
        guard LinePrefixReader.skipDate(&rest), rest.consume(" ") else { return false }
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

    package static func readWeekdayName(_ rest: inout Span<UInt8>) -> Bool {
        ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].contains { rest.consume($0) }
    }

    /// `4,1234,12345678,-;`: a record of the kernel's `/dev/kmsg`: priority and facility, number,
    /// microseconds, flags.
    package mutating func readKernelRecord(_ line: inout Span<UInt8>) -> Bool {
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
    package mutating func readKernelLevel(_ line: inout Span<UInt8>) -> Bool {
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
    package static func isKernelDate(_ inside: Span<UInt8>) -> Bool {
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
}
