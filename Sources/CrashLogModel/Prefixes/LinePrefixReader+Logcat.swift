internal import BinaryPrimitives

/// logcat's rarer forms. (`threadtime` and `time` begin with its date, `brief` with a level and a
/// tag.)
extension LinePrefixReader {
    /// Reads the columns after a full date: `-v year`'s ` 1234 1240 F DEBUG : `, and Android
    /// Studio's `29547-29547/? A/DEBUG: ` and, since Electric Eel,
    /// `29547-29560 DEBUG pid-29547 A `.
    package mutating func readLogcatColumns(_ line: inout Span<UInt8>) {
        var rest = line
        // `-v zone`
        if rest.consume("+") || rest.consume("-") { guard LinePrefixReader.skipDigits(4, &rest), rest.consume(" ") else { return } }
        rest.skipBlanks()
        let start = count - rest.count
        guard let pid = rest.readDecimal() else { return }
        if rest.consume("-") {
            guard rest.readDecimal() != nil, readStudioColumns(&rest) else { return }
        } else {
            guard rest.at(0).map(isBlank) ?? false else { return }
            rest.skipBlanks()
            guard rest.readDecimal() != nil, rest.consume(" "), LinePrefixReader.isLevel(rest.at(0)), rest.at(1) == UInt8(ascii: " ") else {
                return
            }
            guard let colon = rest.upTo(64).firstIndex(of: UInt8(ascii: ":")) else { return }
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
    private func isStudioLevel(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "A") || LinePrefixReader.isLevel(byte) }

    /// `F/DEBUG   : ` (`-v tag`) and `F( 1234: 1240) ` (`-v thread`).
    package mutating func readLogcatTag(_ line: inout Span<UInt8>) -> Bool {
        guard LinePrefixReader.isLevel(line.at(0)) else { return false }
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
            var length = 0
            while let byte = rest.at(length), LinePrefixReader.isNameByte(byte) { length += 1 }
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
    package mutating func readLogcatPlain(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        rest.skipBlanks()
        let start = count - rest.count
        guard let pid = rest.readDecimal(), rest.at(0).map(isBlank) ?? false else { return false }
        rest.skipBlanks()
        guard rest.readDecimal() != nil, rest.consume(" "), LinePrefixReader.isLevel(rest.at(0)), rest.at(1) == UInt8(ascii: " "),
            let colon = rest.upTo(64).firstIndex(of: UInt8(ascii: ":")), colon > 2
        else { return false }
        for index in 2..<colon where !LinePrefixReader.isNameByte(rest[index]) && rest[index] != UInt8(ascii: " ") { return false }
        rest = rest.from(colon + 1)
        guard rest.consume(" ") || rest.count == 0 else { return false }
        noteLine(start..<count - rest.count)
        parts.pid = parts.pid ?? Int(exactly: pid)
        line = rest
        return true
    }

    /// `DEBUG : `, `libc : `: the writers of crashes, if only the tag was kept. logcat pads tags to
    /// eight letters.
    package mutating func readLogcatMessage(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        let start = count - line.count
        guard rest.consume("DEBUG   : ") || rest.consume("libc    : ") else { return false }
        noteLine(start..<count - rest.count)
        line = rest
        return true
    }

    /// `  A  ` after the time: Android Studio's compact view.
    package func readCompactLevel(_ line: inout Span<UInt8>) -> Bool {
        guard line.hasPrefix("  "), isStudioLevel(line.at(2)), line.at(3) == UInt8(ascii: " "), line.at(4) == UInt8(ascii: " ") else {
            return false
        }
        line = line.from(5)
        return true
    }
}
