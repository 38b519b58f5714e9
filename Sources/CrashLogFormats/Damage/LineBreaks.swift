internal import BinaryPrimitives
internal import CrashLogModel

/// Finds where long lines were broken: mailers break at the last blank before a column, terminals
/// at the column itself.
///
///     #1 0x757e27fc1d4d in moor(Ship*, int)
///     (/usr/lib/libtide.so.18.1+0x7c1d4d)
///
/// A line was broken if the first word of the next line had no room in it, unless the next line
/// begins like lines that certainly begin: with a stack's next number, or with a word that was seen
/// below a line with room to spare.
package struct LineBreaks: Sendable {
    /// The longest line.
    package let width: Int
    /// Lines are broken at the column itself.
    package let isExact: Bool

    private var number: Int?
    private var beginnings: Set<UInt64> = []

    package init(width: Int, isExact: Bool) {
        self.width = width
        self.isExact = isExact
    }

    /// - Parameters: two lines that follow one another, without their endings. Before each may be a
    ///   mail's `> `.
    /// - Returns: whether they were one.
    package mutating func joins(_ line: Span<UInt8>, _ next: Span<UInt8>) -> Bool {
        let quote = LineBreaks.quote(next)
        return joins(line.from(LineBreaks.quote(line)), next.from(quote), quote: quote)
    }

    /// The length of the marks of a mail that is quoted.
    package static func quote(_ line: Span<UInt8>) -> Int {
        guard line.at(0) == UInt8(ascii: ">") else { return 0 }
        var length = 1
        while let byte = line.at(length), byte == UInt8(ascii: ">") { length += 1 }
        return line.at(length) == UInt8(ascii: " ") ? length + 1 : length
    }

    private mutating func joins(_ line: Span<UInt8>, _ next: Span<UInt8>, quote: Int) -> Bool {
        if next.isBlankLine { return false }
        let isFull = isFull(line, next, quote: quote) && !line.isBlankLine
        // Few lines are long: of the others it need not be known.
        if isFull, LineBreaks.isApart(next) || LineBreaks.isDate(line) { return false }
        if let row = RowNumber(next, from: 0) {
            if !isFull || row.value == 0 || number.map({ row.value == $0 + 1 }) ?? true {
                number = row.value
                return false
            }
            return true
        }
        let key = LineBreaks.key(of: next)
        if let key, !isFull, beginnings.count < LineBreaks.maxBeginnings { beginnings.insert(key) }
        return isFull && !(key.map { beginnings.contains($0) } ?? false)
    }

    /// Returns whether a line always begins a line of its own: a note that rows were left out, a
    /// forum's tag, a writer's prefix, a chat's text before a message (`[10:22 AM] `), or a
    /// kernel's line about another program.
    private static func isApart(_ line: Span<UInt8>) -> Bool {
        if line.hasPrefix("...") || ForumTag.end(in: line, at: 0) != nil
            || LinePrefix.Parts(of: line, allowsTestNumbers: false).length > 0 || KernelSegfault.begins(line) != .none
        {
            return true
        }
        guard line.at(0) == UInt8(ascii: "["), let second = line.at(1), isDigit(second) else { return false }
        return line.upTo(8).firstIndex(of: UInt8(ascii: ":")) != nil
    }

    /// Whether a line has a date and a time zone alone. Google Cloud's log viewer copies such a line above each line of a log.
    private static func isDate(_ line: Span<UInt8>) -> Bool {
        let length = LinePrefix.Parts(of: line, allowsTestNumbers: false).length
        let zone = line.from(length).trimmed()
        return length > 0 && zone.count <= 5 && zone.indices.allSatisfy { isLetter(zone[$0]) }
    }

    private static let maxBeginnings = 256

    /// Whether the first word of the next line had no room in the line. An indented line was not
    /// broken: mailers leave no blank where they break.
    private func isFull(_ line: Span<UInt8>, _ next: Span<UInt8>, quote: Int) -> Bool {
        if isExact { return LineBreaks.width(of: line) + quote == width }
        guard let first = next.at(0), !isBlank(first) else { return false }
        return LineBreaks.width(of: line) + quote + 1 + LineBreaks.width(of: next.upTo(LineBreaks.firstWord(next))) > width
    }

    /// Hash of the indentation and the first word, independent of its digits. A number alone gives
    /// no key.
    private static func key(of line: Span<UInt8>) -> UInt64? {
        var rest = line
        rest.skipBlanks()
        let word = rest.upTo(firstWord(rest))
        guard !(0..<word.count).allSatisfy({ isDigit(word[$0]) }) else { return nil }
        let shown = word.hasPrefix("0x") ? word.upTo(2) : word
        return RowSearch.key(ofPrefix: shown) &+ UInt64(line.count - rest.count)
    }

    /// The first word's length.
    private static func firstWord(_ line: Span<UInt8>) -> Int { line.firstIndex(of: UInt8(ascii: " ")) ?? line.count }

    /// In characters.
    package static func width(of line: Span<UInt8>) -> Int {
        var width = line.count
        var index = 0
        while let mark = line.firstMarkupByte(from: index) {
            if line[mark] & 0xC0 == 0x80 { width -= 1 }
            index = mark + 1
        }
        return width
    }

    /// The width of a line that could have been broken at a blank; 0 for a single word, which
    /// mailers leave as long as it is.
    package static func breakableWidth(of line: Span<UInt8>) -> Int {
        var rest = line
        rest.skipBlanks()
        return firstWord(rest) < rest.trimmed().count ? width(of: line) : 0
    }

    // MARK: Signs

    /// Returns whether a text shows that its lines were broken.
    ///
    /// One broken row is enough if it is the line that ended the trace. In other texts some lines
    /// may be long by chance. In a document that could not be read any line is enough.
    package func areLikely(in text: Span<UInt8>, isFailed: Bool) -> Bool {
        guard (LineBreaks.narrowest...(isExact ? LineBreaks.widest : LineBreaks.widestMail)).contains(width) else { return false }
        let text = text.count > LineBreaks.maxBytes ? text.from(text.count - LineBreaks.maxBytes) : text
        // Which lines are long costs less than which begin.
        guard count(in: text, { isFull($0.from(LineBreaks.quote($0)), $1.from(LineBreaks.quote($1)), quote: LineBreaks.quote($1)) }) > 0
        else { return false }
        var breaks = self
        var even = 0
        var isLast = false
        var halves = 0
        var cutRows = 0
        let joined = count(in: text) { line, next in
            let isJoined = breaks.joins(line, next)
            isLast = isJoined && areHalves(line, next.from(LineBreaks.quote(next)))
            if isLast { halves += 1 }
            if isJoined, isExact ? isCutNumber(line, next) : isLastField(next) { cutRows += 1 }
            if isJoined, isExact, LineBreaks.width(of: next) == width { even += 1 }
            return isJoined
        }
        if isFailed { return joined > 0 }
        // The longest line is the last of every tenth trace: one alone is as wide as terminals are.
        if isExact, joined == 1, width % 10 != 0, width != 132 { return false }
        if 2 * cutRows > joined { return true }
        // A table's rows are all of one length.
        return halves > 0 && joined >= (isLast ? 1 : isExact ? 3 : 2) && 2 * even <= joined
    }

    /// Whether two lines look like the halves of a row: a word that continues in the next line, or
    /// the text that rows have after a name or a word like `in`.
    private func areHalves(_ line: Span<UInt8>, _ next: Span<UInt8>) -> Bool {
        guard let last = line.at(line.count - 1), let first = next.at(0) else { return false }
        if isExact { return !isBlank(last) && !isBlank(first) }
        if isOne(first, of: "([+/<") || isOne(last, of: ",+(&:") || next.hasPrefix("0x") { return true }
        // Go's rows: `fp=0xc000041f20 sp=0xc000041ef8` and `pc=0x40463c`.
        if next.upTo(LineBreaks.firstWord(next)).contains("=0x") { return true }
        // `format=flowed` (RFC 3676).
        if isBlank(last), let before = line.at(line.count - 2), !isBlank(before) { return true }
        let text = line.trimmed()
        return [" in", " at", " from", ",", " -"].contains { text.hasSuffix($0) } || next.hasPrefix("at ") || next.hasPrefix("in ")
    }

    /// Whether a line is the last field of a row: `pc=0x40463c`.
    private func isLastField(_ line: Span<UInt8>) -> Bool { line.contains("=0x") && LineBreaks.firstWord(line) == line.count }

    /// Whether a hexadecimal number ends in the next line, which has little else: `pc=0x4454` and `a9`.
    private func isCutNumber(_ line: Span<UInt8>, _ next: Span<UInt8>) -> Bool {
        guard let zero = line.lastRange(of: "0x"), next.count <= 16, next.count > 0 else { return false }
        return line.from(zero.upperBound).indices.allSatisfy { hexadecimalValue(line[zero.upperBound + $0]) != nil }
            && next.indices.allSatisfy { hexadecimalValue(next[$0]) != nil }
    }

    private static let narrowest = 40
    private static let widest = 240
    /// RFC 5322, section 2.1.1, recommends 78 characters at most; people set 60 to 90. The lines
    /// that were seen may all be shorter.
    package static let narrowestMail = 60
    private static let widestMail = 132
    private static let maxBytes = 1 << 16

    private func count(in text: Span<UInt8>, _ isWanted: (Span<UInt8>, Span<UInt8>) -> Bool) -> Int {
        var count = 0
        var start = 0
        var end = text.firstLineFeed(from: 0) ?? text.count
        while end + 1 < text.count {
            let nextEnd = text.firstLineFeed(from: end + 1) ?? text.count
            let (line, next) = (text.clamped(to: start..<end), text.clamped(to: end + 1..<nextEnd))
            if isWanted(line.upTo(line.lengthWithoutEnding), next.upTo(next.lengthWithoutEnding)) { count += 1 }
            (start, end) = (end + 1, nextEnd)
        }
        return count
    }
}

/// Restores text whose long lines were broken.
package struct WrappedRestorer: Restorer {
    private var breaks: LineBreaks
    private var isBroken = false
    /// The line before was broken.
    private var isRest = false

    package init(_ breaks: LineBreaks) { self.breaks = breaks }

    package var needsNext: Bool { true }

    package mutating func inspect(_ line: Span<UInt8>, before next: Span<UInt8>) {
        isRest = isBroken
        isBroken = breaks.joins(line.upTo(line.lengthWithoutEnding), next.upTo(next.lengthWithoutEnding))
    }

    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        let content = line.upTo(line.lengthWithoutEnding)
        let first = isRest ? LineBreaks.quote(content) : 0
        guard isBroken, content.count < line.count else {
            text.copy(line.from(first), at: start + first)
            return line.count
        }
        text.copy(content.from(first), at: start + first)
        // `format=flowed` (RFC 3676) keeps the blank.
        if !breaks.isExact, let last = content.at(content.count - 1), !isBlank(last) {
            text.write(UInt8(ascii: " "), for: start + content.count..<start + line.count)
        }
        return line.count
    }
}
