internal import BinaryPrimitives

/// What stands before a line's own text because of where the line was written: a date, a process, a byte order mark.
///
/// Recognised, in this order, each once and each optional:
/// - a UTF-8 byte order mark;
/// - a date and time, `2008-10-26 13:25:43.385` or `2026-11-21T00:18:13.408Z`, with or without a fraction and a zone (NSLog, ISO 8601), in brackets or not;
/// - NSLog's and the unified log's `Name[pid:tid]`, where the pid is decimal, the tid hexadecimal, and the name may hold spaces.
public struct LinePrefix: Sendable, Hashable {
    /// The prefix's length in bytes; zero where there is none.
    public var length: Int
    /// The date and time as the line words it.
    public var timestamp: String?
    public var processName: String?
    public var pid: Int?

    public init(of line: Span<UInt8>) {
        var rest = line
        length = 0
        if rest.at(0) == 0xEF, rest.at(1) == 0xBB, rest.at(2) == 0xBF { rest = rest.from(3) }
        if let date = LinePrefix.takeDate(&rest) { timestamp = date }
        if let process = LinePrefix.takeProcess(&rest, isAfterDate: timestamp != nil) {
            processName = process.name
            pid = process.pid
        }
        length = line.count - rest.count
    }

    /// Takes `2008-10-26 13:25:43.385 ` and the like, and the blank behind it.
    private static func takeDate(_ line: inout Span<UInt8>) -> String? {
        // Cheap refusal first: nearly no line begins with a digit or a bracket and a digit.
        guard let first = line.at(0), isDigit(first) || first == UInt8(ascii: "[") else { return nil }
        var rest = line
        let isBracketed = rest.take("[")
        let start = rest
        guard takeDigits(4, &rest), rest.take("-"), takeDigits(2, &rest), rest.take("-"), takeDigits(2, &rest),
            rest.take(" ") || rest.take("T"),
            takeDigits(2, &rest), rest.take(":"), takeDigits(2, &rest), rest.take(":"), takeDigits(2, &rest)
        else { return nil }
        if rest.take(".") || rest.take(",") { while let digit = rest.at(0), isDigit(digit) { rest = rest.from(1) } }
        if rest.take("Z") {
        } else if let sign = rest.at(0), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
            var zone = rest.from(1)
            if takeDigits(2, &zone) {
                _ = zone.take(":")
                if takeDigits(2, &zone) { rest = zone }
            }
        }
        let text = start.upTo(start.count - rest.count).text
        if isBracketed, !rest.take("]") { return nil }
        guard rest.take(" ") || rest.take("\t") || rest.count == 0 else { return nil }
        line = rest
        return text
    }

    private static func takeDigits(_ count: Int, _ rest: inout Span<UInt8>) -> Bool {
        for index in 0..<count {
            guard let byte = rest.at(index), isDigit(byte) else { return false }
        }
        rest = rest.from(count)
        return true
    }

    /// Takes `Name[pid:tid] `, and behind a date the unified log's short type (`Df `) before and its `(subsystem) ` after it.
    private static func takeProcess(_ line: inout Span<UInt8>, isAfterDate: Bool) -> (name: String, pid: Int)? {
        // A name is short; a `[` further on belongs to the message.
        guard let open = line.upTo(96).firstIndex(of: UInt8(ascii: "[")), open > 0, let first = line.at(0), !isBlank(first) else {
            return nil
        }
        var rest = line.from(open + 1)
        guard let pid = rest.takeDecimal(), rest.take(":"), rest.takeHexadecimal() != nil, rest.take("] ") else { return nil }
        var name = line.upTo(open)
        // `log stream --style compact`: two letters say how important the message is.
        if isAfterDate, name.at(2) == UInt8(ascii: " "), let letter = name.at(0), (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter) {
            name = name.from(3).trimmed()
        }
        guard name.firstIndex(of: UInt8(ascii: ":")) == nil, name.count > 0, let number = Int(exactly: pid) else { return nil }
        line = rest
        return (name.text, number)
    }
}
