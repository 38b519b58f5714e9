internal import BinaryPrimitives
internal import CrashLogModel

/// Finds the row in a line that may have an unknown prefix:
///
///     May 25 00:50:27.802548 MyDUT INFO supervisord: harbour /opt/harbour(moor+0x45)[0x55a16c7bfcb5]
///     `---------------------- prefix ----------------------'`--------------- row ------------------'
///
/// A prefix is accepted if the next line has the same one, apart from digits and padding.
enum RowSearch {
    /// Reads the row at the leftmost position from which the line is a row to its end.
    ///
    /// Whether a line begins a stack, whose row it is, whether another stack claims it: each of these reads it, so that the results of
    /// the last lines are kept.
    static func row(in line: Span<UInt8>) -> StackRow? {
        guard let addressPosition = firstAddressOrOffset(in: line), !isComment(line) else { return nil }
        if let known = RowMemory.row(of: line) { return known.row }
        let row = row(in: line, before: addressPosition)
        RowMemory.keep(row, of: line)
        return row
    }

    private static func row(in line: Span<UInt8>, before addressPosition: Int) -> StackRow? {
        if let start = positionAfterContainer(line) { return StackRow(line, from: start) }
        if let row = StackRow(line) { return row }
        if isDisassembly(line) { return nil }
        var attempts = 0
        var position = 1
        while position <= addressPosition, attempts < maxAttempts {
            defer { position += 1 }
            guard isBoundary(line, position) else { continue }
            attempts += 1
            if let row = StackRow(line, from: position), row.start == position || attempts == 1 { return row }
        }
        return nil
    }

    /// Whether the line is an instruction of a disassembler, whose operand is not a row:
    /// `8ed3: 74 16   je 0x8eeb <moor+0x4b>`, `0x40113d <main+4>:  call …`.
    private static func isDisassembly(_ line: Span<UInt8>) -> Bool {
        var rest = line
        rest.skipBlanks()
        if rest.consume("=> ") { rest.skipBlanks() }
        if rest.hasPrefix("0x") {
            guard let end = rest.upTo(128).firstRange(of: ">:") else { return false }
            return rest.at(end.upperBound).map(isBlank) ?? false
        }
        var length = 0
        while let byte = rest.at(length), hexadecimalValue(byte) != nil { length += 1 }
        guard length > 0, rest.at(length) == UInt8(ascii: ":"), let blank = rest.at(length + 1), isBlank(blank) else { return false }
        rest = rest.from(length + 1)
        if blank == UInt8(ascii: "\t") { return true }
        rest.skipBlanks()
        // The instruction's first byte.
        guard let high = rest.at(0), let low = rest.at(1), hexadecimalValue(high) != nil, hexadecimalValue(low) != nil else { return false }
        return rest.at(2).map(isBlank) ?? false
    }

    /// Position after a container's number, which is not an address: `3f2a9c1b7d4e | `.
    private static func positionAfterContainer(_ line: Span<UInt8>) -> Int? {
        var length = 0
        while length < 13, let byte = line.at(length), hexadecimalValue(byte) != nil { length += 1 }
        return length == 12 && line.from(length).hasPrefix(" | ") ? length + 3 : nil
    }

    /// Maximum number of words of a prefix that are tried as the beginning of the row.
    private static let maxAttempts = 24

    /// Position of the first address or offset: only rows have them.
    static func firstAddressOrOffset(in line: Span<UInt8>) -> Int? {
        var index = 0
        let count = line.count
        while index + 2 < count {
            let byte = line[index]
            if byte == UInt8(ascii: "0"), line[index + 1] | 0x20 == UInt8(ascii: "x"), hexadecimalValue(line[index + 2]) != nil {
                return index
            }
            if byte == UInt8(ascii: "0"), line[index + 1] == byte, line[index + 2] == byte, isPaddedAddress(line, index) { return index }
            if byte == UInt8(ascii: "+"), index > 0, line[index - 1] == UInt8(ascii: " "), line[index + 1] == UInt8(ascii: " "),
                isDigit(line[index + 2])
            {
                return index
            }
            index += 1
        }
        return nil
    }

    /// Whether there is an address of sixteen hexadecimal digits without `0x`, or of twelve, of which one is a letter.
    private static func isPaddedAddress(_ line: Span<UInt8>, _ start: Int) -> Bool {
        guard start == 0 || isBlank(line[start - 1]) || isOne(line[start - 1], of: "<[(\":"), line.at(start + 3) == UInt8(ascii: "0")
        else {
            return false
        }
        var length = 0
        var hasLetter = false
        while length <= 16, let byte = line.at(start + length), hexadecimalValue(byte) != nil {
            hasLetter = hasLetter || !isDigit(byte)
            length += 1
        }
        return (length == 16 || length == 12 && hasLetter) && line.at(start + length).map { !isLetterOrDigit($0) } ?? true
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "_")
    }

    /// Whether a row may begin at the position: after a blank or the end of a prefix.
    private static func isBoundary(_ line: Span<UInt8>, _ position: Int) -> Bool {
        let before = line[position - 1]
        guard !isBlank(line[position]) else { return false }
        if isBlank(before) || before == UInt8(ascii: "]") { return true }
        if before == UInt8(ascii: "m"), isAfterColor(line, position) { return true }
        guard before == UInt8(ascii: ":") else { return false }
        // `ERROR:harbour.crash:[0] `: a number that no blank separates from the prefix.
        let isWord = position > 1 && isLetter(line[position - 2])
        return isOne(line[position], of: "#[(")
            || isWord && isDigit(line[position])
                && RowNumber(line, from: position).map { $0.style != .bare } == true
    }

    /// Whether the position is after a terminal's colour: `ESC[31m`.
    private static func isAfterColor(_ line: Span<UInt8>, _ position: Int) -> Bool {
        var index = position - 2
        while index > 0, isDigit(line[index]) || line[index] == UInt8(ascii: ";") { index -= 1 }
        return index > 0 && line[index] == UInt8(ascii: "[") && line[index - 1] == 0x1B
    }

    /// Whether the line is a comment of source code: examples in comments are not stacks.
    private static func isComment(_ line: Span<UInt8>) -> Bool {
        var rest = line
        rest.skipBlanks()
        return rest.hasPrefix("//")
    }

    /// Hash of a prefix without the parts that differ from line to line: digits and blanks.
    static func key(ofPrefix prefix: Span<UInt8>) -> UInt64 {
        var hash = NameHash()
        var last: UInt8 = 0
        var end = prefix.count
        // Debuggers mark one of the rows: `* frame #0`.
        while end > 0, isBlank(prefix[end - 1]) || prefix[end - 1] == UInt8(ascii: "*") { end -= 1 }
        for index in 0..<end {
            var byte = prefix[index]
            if isDigit(byte) { byte = UInt8(ascii: "0") }
            if byte == UInt8(ascii: "\t") { byte = UInt8(ascii: " ") }
            // `999` and `1000`, ` 9` and `10`
            if byte == last, byte == UInt8(ascii: "0") || byte == UInt8(ascii: " ") { continue }
            hash.combine(byte)
            last = byte
        }
        return hash.value
    }
}

/// The lines inside a trace that look like rows, but that its format could not read.
///
/// Rows are never lost silently: a note gives the number of missing rows, and quotes the first.
package struct UnreadRows: Sendable {
    private var rows: [(start: Int, text: String)] = []
    private static let maxRows = 1000

    package init() {}

    /// Adds a line if it looks like a row: a row number, and an address or an offset.
    /// - Parameter start: position of the line's first byte in the log.
    package mutating func add(_ line: Span<UInt8>, at start: Int) {
        guard rows.count < Self.maxRows, RowNumber(line, from: line.indent) != nil, RowSearch.firstAddressOrOffset(in: line) != nil else {
            return
        }
        rows.append((start, rows.isEmpty ? PlainText.line(line.trimmed().upTo(60).text) : ""))
    }

    /// The note for a report's rows.
    /// - Parameter end: the trace's end in the log; later rows do not belong to it.
    /// - Returns: `nil` if no row was left over.
    package func note(before end: Int) -> String? {
        let count = rows.count { $0.start < end }
        guard count > 0 else { return nil }
        return count == 1 ? "A row could not be parsed: \(rows[0].text)" : "\(count) rows could not be parsed, the first: \(rows[0].text)"
    }
}
