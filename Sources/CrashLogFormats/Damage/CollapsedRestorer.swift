import BinaryPrimitives
internal import CrashLogModel

/// Restores paragraphs in which all white space became single blanks: a new line begins before a
/// row's number, an image's addresses and a report's key.
package struct CollapsedRestorer: Restorer {
    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        var copied = 0
        var rows = CollapsedRows()
        var index = 0
        while index < line.count {
            let next = line.firstIndex(of: UInt8(ascii: " "), from: index) ?? line.count
            if next + 1 < line.count, rows.begins(line, at: next + 1) {
                text.copy(line.clamped(to: copied..<next), at: start + copied)
                text.write(UInt8(ascii: "\n"), for: start + next..<start + next + 1)
                copied = next + 1
            }
            index = next + 1
        }
        text.copy(line.from(copied), at: start + copied)
        return line.count
    }

    /// Whether a line holds several: a stack's rows and a report's keys, or the rows 0 and 1.
    /// Numbers alone are those of a program's variables.
    package static func isCollapsed(_ line: Span<UInt8>) -> Bool {
        guard let first = line.firstIndex(of: UInt8(ascii: " ")), line.count >= 64 else { return false }
        var rows = CollapsedRows()
        var beginnings = rows.begins(line, at: 0) ? 1 : 0
        var blank: Int? = first
        while let position = blank {
            if rows.begins(line, at: position + 1) { beginnings += 1 }
            if beginnings > 1 { return true }
            blank = line.firstIndex(of: UInt8(ascii: " "), from: position + 1)
        }
        return false
    }
}

/// Finds where the lines of a paragraph began.
private struct CollapsedRows {
    /// The number of the next row of a stack.
    private var number: UInt64 = 0

    /// The words before a colon that begin a line of Apple's reports.
    private static let keys = [
        "Process:", "Path:", "Identifier:", "Version:", "Code Type:", "Parent Process:", "Responsible:", "User ID:", "Date/Time:",
        "OS Version:", "Report Version:", "Anonymous UUID:", "Crashed Thread:", "Triggered by Thread:", "Exception Type:",
        "Exception Codes:", "Exception Subtype:", "Exception Note:", "Termination Signal:", "Termination Reason:",
        "Terminating Process:", "Application Specific Information:", "Last Exception Backtrace:", "Incident Identifier:",
        "CrashReporter Key:", "Hardware Model:", "Role:", "Launch Time:", "Binary Images:",
    ]

    mutating func begins(_ line: Span<UInt8>, at start: Int) -> Bool {
        var rest = line.from(start)
        switch rest.at(0) {
        case let byte? where isDigit(byte):
            let whole = rest
            if whole.hasPrefix("0x") {
                // `0x104a38000 - 0x104a3bfff`
                guard rest.readAddress() != nil, rest.consume(" - "), rest.readAddress() != nil else { return false }
                return true
            }
            // `3 dyld 0x1c1dd8dec`: the next number, or the first of another stack.
            guard let value = rest.readDecimal(), value == number || value == 0, rest.consume(" ") else { return false }
            guard CollapsedRows.hasAddress(rest) else { return false }
            number = value + 1
            return true
        case let byte? where byte &- UInt8(ascii: "A") < 26:
            if rest.consume("Thread "), rest.readDecimal() != nil {
                if rest.consume(" Crashed:") || rest.consume(":") {
                    number = 0
                    return true
                }
                return false
            }
            let text = line.from(start)
            guard let key = CollapsedRows.keys.first(where: { text.hasPrefix($0) }) else { return false }
            // `Version:` of `OS Version:` begins nothing.
            return !CollapsedRows.keys.contains { longer in
                longer.hasSuffix(" " + key) && line.from(start - (longer.utf8.count - key.utf8.count)).hasPrefix(longer)
            }
        default: return false
        }
    }

    /// An image's name of few words, and an address.
    private static func hasAddress(_ text: Span<UInt8>) -> Bool {
        var rest = text.upTo(256)
        for _ in 0..<6 {
            let token = rest.readToken()
            guard token.count > 0, token.at(token.count - 1) != UInt8(ascii: ":") else { return false }
            _ = rest.consume(" ")
            var address = rest
            if address.readAddress() != nil { return address.at(0).map { isBlank($0) || $0 == 0x0A } ?? true }
        }
        return false
    }
}
