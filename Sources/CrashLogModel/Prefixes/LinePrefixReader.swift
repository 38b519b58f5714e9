internal import BinaryPrimitives

/// Reads a line's prefix. Each kind has one function, which names the writer; they may follow one
/// another in any order.
package struct LinePrefixReader {
    package var parts: LinePrefix.Parts
    /// Ranges of the names that the line and message parts of the origin are made of.
    package var lineNames: [Range<Int>] = []
    package var messageNames: [Range<Int>] = []
    /// The line's length, to turn a rest's length into a position.
    package private(set) var count = 0

    package let allowsTestNumbers: Bool
    /// Number of the test whose trace is open.
    package let testNumber: UInt64?

    package init(parts: LinePrefix.Parts, allowsTestNumbers: Bool = true, testNumber: UInt64? = nil) {
        self.parts = parts
        self.allowsTestNumbers = allowsTestNumbers
        self.testNumber = testNumber
    }

    /// Maximum number of prefixes in a line: nobody writes more. Each has at least two bytes.
    package static let depth = 8

    package mutating func read(_ line: Span<UInt8>) {
        count = line.count
        var rest = line
        // A byte order mark at the log's beginning.
        if rest.at(0) == 0xEF, rest.at(1) == 0xBB, rest.at(2) == 0xBF { rest = rest.from(3) }
        // Serial consoles of some systems (OpenBSD's) end lines with LF and CR, in this order.
        while rest.at(0) == UInt8(ascii: "\r") { rest = rest.from(1) }
        for _ in 0..<LinePrefixReader.depth {
            var next = rest
            // `docker compose` and others colour the prefix; colours without a prefix after them
            // belong to the line's own text.
            LinePrefixReader.skipColours(&next)
            guard let first = next.at(0), readPrefix(&next, first) else { break }
            rest = next
        }
        parts.length = line.count - rest.count
        if !lineNames.isEmpty { parts.origin.line = LinePrefixReader.hash(lineNames, of: line) }
        if !messageNames.isEmpty { parts.origin.message = LinePrefixReader.hash(messageNames, of: line) }
        if messageNames.count > 1 { parts.origin.outerMessage = LinePrefixReader.hash(messageNames.dropLast(), of: line) }
    }

    /// Reads one prefix. Its first byte limits the kinds that it may be, and rejects nearly every
    /// line's own text.
    package mutating func readPrefix(_ rest: inout Span<UInt8>, _ first: UInt8) -> Bool {
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

    // MARK: What prefixes are made of

    package mutating func note(date: Range<Int>) {
        parts.date = parts.date ?? date
        parts.origin.dates &+= 1
    }

    package mutating func noteLine(_ range: Range<Int>) { lineNames.append(range) }
    package mutating func noteMessage(_ range: Range<Int>) { messageNames.append(range) }

    package static func hash(_ names: some Sequence<Range<Int>>, of line: Span<UInt8>) -> UInt64 {
        var hash = NameHash()
        for name in names {
            let bytes = line.clamped(to: name)
            for index in 0..<bytes.count { hash.combine(bytes[index]) }
            hash.combine(0)
        }
        return hash.value
    }

    package mutating func skipGap(_ rest: inout Span<UInt8>) -> Bool { rest.consume(" ") || rest.consume("\t") || rest.count == 0 }

    /// Skips `2008-10-26 13:25:43.385`, with `-` or `/`, a blank or `T`, with or without a fraction
    /// and a zone.
    package static func skipDate(_ line: inout Span<UInt8>) -> Bool {
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
    package static func skipClock(_ line: inout Span<UInt8>) -> Bool {
        var rest = line
        guard skipDigits(2, &rest), rest.consume(":"), skipDigits(2, &rest), rest.consume(":"), skipDigits(2, &rest) else { return false }
        if rest.consume(".") || rest.consume(",") { while let digit = rest.at(0), isDigit(digit) { rest = rest.from(1) } }
        line = rest
        return true
    }

    package static func skipDigits(_ count: Int, _ rest: inout Span<UInt8>) -> Bool {
        for index in 0..<count {
            guard let byte = rest.at(index), isDigit(byte) else { return false }
        }
        rest = rest.from(count)
        return true
    }

    /// Moves past `ESC [ … m`.
    package static func skipColours(_ rest: inout Span<UInt8>) {
        while rest.at(0) == 0x1B, rest.at(1) == UInt8(ascii: "["), let end = rest.upTo(24).firstIndex(of: UInt8(ascii: "m")) {
            rest = rest.from(end + 1)
        }
    }

    package static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    package static func isLevel(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return isOne(byte, of: "VDIWEFS")
    }
}
