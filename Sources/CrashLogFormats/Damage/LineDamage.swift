internal import BinaryPrimitives
internal import CrashLogModel

/// Finds the kinds of damage of a line that contains a trigger and that no format claims.
package enum LineDamage {
    /// - Parameters:
    ///   - line: the line with its ending.
    ///   - prefix: the length of its known prefix (`LinePrefix`), if that has been read.
    ///   - claim: whether a format claims a line.
    ///   - claimRow: whether a line is a row of a known family.
    /// - Returns: kinds to try, each with the offset in the line at which the damaged text begins.
    package static func candidates(
        for line: Span<UInt8>, prefix known: Int?, claim: (Span<UInt8>) -> Bool, claimRow: (Span<UInt8>) -> Bool
    ) -> [(damage: Damage, start: Int)] {
        var found: [(damage: Damage, start: Int)] = []
        let signs = Signs(line)
        if let key = JSONLinesRestorer.key(in: line, claim: { claim($0) || claimRow($0) }) { found.append((.jsonLines(key: key), 0)) }
        if signs.hasForumCode { found.append((.forumCode, 0)) }
        if signs.hasMarkup { found.append((.html, 0)) }
        if signs.hasColours { found.append((.colours, 0)) }
        if signs.hasReturns { found.append((.carriageReturns, 0)) }
        if signs.hasEscapes { found += strings(in: line).map { (.jsonString, $0) } }
        if EscapedLineRestorer.isEscaped(line), EscapedLineRestorer.hasLine(line, claim: { claim($0) || claimRow($0) }) {
            found.append((.escapedLine, 0))
        }
        if let cell = cell(in: line) { found.append((.tableCell, cell)) }
        if let number = NumberedRestorer.end(in: line), NumberedRestorer.mayBelongToLine(line.from(number.end)) {
            found.append((.numbered, 0))
        }
        if signs.hasQuotedPrintable { found.append((.quotedPrintable, 0)) }
        if signs.hasTypography { found.append((.typography, 0)) }
        if let prefix = prefix(of: line, known: known, claim: claim) { found.append((.prefix(prefix), 0)) }
        if signs.isCollapsed { found.append((.collapsed, 0)) }
        return found
    }

    /// The beginnings of the JSON strings with an escape in them.
    package static func strings(in line: Span<UInt8>) -> [Int] {
        var found: [Int] = []
        var (index, open): (Int, Int?) = (0, nil)
        var hasEscapes = false
        while let mark = line.firstQuoteOrBackslash(from: index), found.count < 8 {
            index = mark + 1
            if line[mark] == UInt8(ascii: "\\") {
                if open != nil, !hasEscapes, let next = line.at(index), next == UInt8(ascii: "n") || next == UInt8(ascii: "\"") {
                    hasEscapes = true
                }
                index += 1
            } else if let start = open {
                if hasEscapes { found.append(start) }
                open = nil
            } else {
                (open, hasEscapes) = (mark + 1, false)
            }
        }
        if let open, hasEscapes, found.count < 8 { found.append(open) }
        return found
    }

    /// Position after the quote that begins the last cell of a row of a table, if the cell
    /// continues in the next line: `7,"Process:`.
    package static func cell(in line: Span<UInt8>) -> Int? {
        guard let quote = line.firstRange(of: ",\"")?.upperBound ?? (line.at(0) == UInt8(ascii: "\"") ? 1 : nil) else { return nil }
        var quotes = 0
        var index = quote
        while let mark = line.firstIndex(of: UInt8(ascii: "\""), from: index) { (quotes, index) = (quotes + 1, mark + 1) }
        return quotes % 2 == 0 ? quote : nil
    }

    /// An indentation, or the words before text that a format claims: `info: *** Program crashed`,
    /// `Crash log: Process:`. Prose has one blank after its colon.
    /// - Parameter known: the length of its known prefix (`LinePrefix`), if that has been read.
    package static func prefix(of line: Span<UInt8>, known: Int? = nil, claim: (Span<UInt8>) -> Bool) -> [UInt8]? {
        let content = line.upTo(line.lengthWithoutEnding)
        let writers = known ?? LinePrefix.Parts(of: content).length
        var blanks = writers
        while let byte = content.at(blanks), isBlank(byte) { blanks += 1 }
        for mark in commentEnds(in: content) where claim(content.from(mark)) { return content.upTo(mark).copied() }
        if blanks > writers { return claim(content.from(blanks)) ? content.clamped(to: writers..<blanks).copied() : nil }
        var index = 0
        var tried = 0
        while index < min(content.count, maxPrefixLength), tried < 4 {
            guard prefixEnds.contains(content[index]) else {
                index += 1
                continue
            }
            var start = index + 1
            while let byte = content.at(start), isBlank(byte) { start += 1 }
            guard start > index + 1, start > index + 2 || content.from(start).contains(":  ") else {
                index += 1
                continue
            }
            if content.at(start) == UInt8(ascii: "{") || claim(content.from(start)) { return content.upTo(start).copied() }
            tried += 1
            index = start
        }
        return nil
    }

    private static let prefixEnds = ByteSet(":>|]")

    /// After the mark of a list or a difference: `# `, `* `, `+`, which the line's own may follow:
    /// `+*** ***`. Rows in the comments of source code are examples: `/// 0x401136 main`.
    private static func commentEnds(in line: Span<UInt8>) -> [Int] {
        var marks = 0
        while let byte = line.at(marks), marks < 4, isOne(byte, of: "#+-*|%;!") { marks += 1 }
        guard marks > 0 else { return [] }
        var blanks = marks
        while let byte = line.at(blanks), isBlank(byte) { blanks += 1 }
        // `+0x10` is a number.
        guard blanks < line.count, line.from(blanks).firstIndex(of: UInt8(ascii: " ")) != nil else { return [] }
        return [blanks] + (marks > 1 ? [1] : [])
    }

    /// Bytes before a log's own text.
    private static let maxPrefixLength = 64

    private struct Signs {
        var hasForumCode = false
        var hasMarkup = false
        var hasTypography = false
        var hasEscapes = false
        var hasQuotedPrintable = false
        var isCollapsed = false
        var hasColours = false
        var hasReturns = false

        init(_ line: Span<UInt8>) {
            var index = 0
            while let mark = line.firstMarkupByte(from: index) {
                index = mark + 1
                if !hasMarkup, line[mark] == UInt8(ascii: "<"), HTMLTag(line, at: mark) != nil { hasMarkup = true }
                if !hasMarkup, line[mark] == UInt8(ascii: "&"), HTMLEntity(line, at: mark) != nil { hasMarkup = true }
                if !hasTypography, line[mark] >= 0x80, TypographyRestorer.character(in: line, at: mark) != nil { hasTypography = true }
            }
            if let escape = line.firstRange(of: "\\n") ?? line.firstRange(of: "\\\"") {
                hasEscapes = line.upTo(escape.lowerBound).firstIndex(of: UInt8(ascii: "\"")) != nil
            }
            hasQuotedPrintable = QuotedPrintableRestorer.provesQuotedPrintable(line)
            for index in 0..<min(line.count, LineDamage.maxPrefixLength)
            where !hasForumCode && ForumTag.end(in: line, at: index) != nil { hasForumCode = true }
            hasColours = line.firstIndex(of: ColoursRestorer.escape) != nil
            hasReturns = CarriageReturnRestorer.ends(line)
            isCollapsed = CollapsedRestorer.isCollapsed(line)
        }
    }
}
