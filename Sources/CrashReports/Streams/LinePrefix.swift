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
        let parts = LinePrefix.parts(of: line)
        length = parts.length
        timestamp = parts.date.map { line.clamped(to: $0).text }
        if let process = parts.process {
            processName = line.clamped(to: process.name).text
            pid = process.pid
        }
    }

    /// The prefix's length alone (bytes): nearly all lines of a log are looked at for nothing else.
    static func length(of line: Span<UInt8>) -> Int { parts(of: line).length }

    private static func parts(of line: Span<UInt8>) -> (length: Int, date: Range<Int>?, process: (name: Range<Int>, pid: Int)?) {
        var rest = line
        if rest.at(0) == 0xEF, rest.at(1) == 0xBB, rest.at(2) == 0xBF { rest = rest.from(3) }
        let dateStart = line.count - rest.count
        let date = takeDate(&rest).map { $0.lowerBound + dateStart..<$0.upperBound + dateStart }
        let processStart = line.count - rest.count
        let process = takeProcess(&rest, isAfterDate: date != nil).map { found in
            (name: found.name.lowerBound + processStart..<found.name.upperBound + processStart, pid: found.pid)
        }
        return (line.count - rest.count, date, process)
    }

    /// Takes `2008-10-26 13:25:43.385 ` and the like, and the blank behind it.
    /// - Returns: where the date stands in `line`.
    private static func takeDate(_ line: inout Span<UInt8>) -> Range<Int>? {
        // Cheap refusal first: nearly no line begins with a digit or a bracket and a digit.
        guard let first = line.at(0), isDigit(first) || first == UInt8(ascii: "[") else { return nil }
        var rest = line
        let isBracketed = rest.take("[")
        let start = line.count - rest.count
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
        let range = start..<line.count - rest.count
        if isBracketed, !rest.take("]") { return nil }
        guard rest.take(" ") || rest.take("\t") || rest.count == 0 else { return nil }
        line = rest
        return range
    }

    private static func takeDigits(_ count: Int, _ rest: inout Span<UInt8>) -> Bool {
        for index in 0..<count {
            guard let byte = rest.at(index), isDigit(byte) else { return false }
        }
        rest = rest.from(count)
        return true
    }

    /// Takes `Name[pid:tid] `, and behind a date the unified log's short type (`Df `) before and its `(subsystem) ` after it.
    private static func takeProcess(_ line: inout Span<UInt8>, isAfterDate: Bool) -> (name: Range<Int>, pid: Int)? {
        // A name is short; a `[` further on belongs to the message.
        guard let open = line.upTo(96).firstIndex(of: UInt8(ascii: "[")), open > 0, let first = line.at(0), !isBlank(first) else {
            return nil
        }
        var rest = line.from(open + 1)
        guard let pid = rest.takeDecimal(), rest.take(":"), rest.takeHexadecimal() != nil, rest.take("] ") else { return nil }
        var name = 0..<open
        // `log stream --style compact`: two letters say how important the message is.
        if isAfterDate, line.at(2) == UInt8(ascii: " "), (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) {
            name = min(3, open)..<open
            while name.count > 0, isBlank(line[name.lowerBound]) { name = name.lowerBound + 1..<open }
        }
        guard line.clamped(to: name).firstIndex(of: UInt8(ascii: ":")) == nil, name.count > 0, let number = Int(exactly: pid) else {
            return nil
        }
        line = rest
        return (name, number)
    }
}
