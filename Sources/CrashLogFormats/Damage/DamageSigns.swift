internal import BinaryPrimitives
internal import CrashLogModel

/// Finds signs of damage in a log's bytes.
package enum DamageSigns {
    /// Beginnings of the markup in which pages contain logs.
    package static let markupTexts = ["<pre", "<code", "<p>", "<div", "<br", "<body>{", "{&quot;"]
    /// A document in a JSON string, after a forum's tag or a word; a blank that does not break.
    package static let disguiseTexts = ["{\\\"", "\"{\\n", "[code]{", ":  {", "\u{A0}"]

    /// Returns the kinds of damage that the bytes of a trace, or of text that looked like one,
    /// show. Bytes without a sign cost one pass.
    /// - Parameters:
    ///   - text: from the trace's first line on.
    ///   - isFailed: nothing was read in it.
    package static func kinds(in text: Span<UInt8>, isFailed: Bool) -> [Damage] {
        var kinds: [Damage] = []
        let characters = Characters(text)
        if characters.hasTags || characters.hasEntities && !characters.hasOtherAngles { kinds.append(.html) }
        if characters.hasTypography { kinds.append(.typography) }
        let lines = Lines(text)
        if lines.hasBroken, QuotedPrintableRestorer.isMail(text) { kinds.append(.quotedPrintable) }
        if lines.isSpaced { kinds.append(.emptyLines) }
        if let indentation = lines.indentation { kinds.append(.prefix(indentation)) }
        if lines.hasColours { kinds.append(.colours) }
        if lines.hasReturns { kinds.append(.carriageReturns) }
        if lines.isNumbered { kinds.append(.numbered) }
        if lines.hasForumCode { kinds.append(.forumCode) }
        if lines.isCollapsed { kinds.append(.collapsed) }
        let breaks = [
            LineBreaks(width: lines.longest, isExact: true),
            LineBreaks(width: max(lines.longestBreakable, LineBreaks.narrowestMail), isExact: false),
        ]
        kinds += breaks.filter { $0.areLikely(in: text, isFailed: isFailed) }.map { .wrapped(width: $0.width, isExact: $0.isExact) }
        return kinds
    }

    /// Whether a page's tags are in a text.
    package static func hasTags(_ text: Span<UInt8>) -> Bool {
        let characters = Characters(text)
        return characters.hasTags || characters.hasEntities
    }

    /// A first line with `\n` in it, between quotes, is a JSON string; one with an open quote is a
    /// table's cell.
    package static func strings(in text: Span<UInt8>) -> [(damage: Damage, start: Int)] {
        let line = text.upTo(text.firstLineFeed(from: 0) ?? text.count)
        if let cell = LineDamage.cell(in: line) { return [(.tableCell, cell)] }
        guard line.contains("\\n") else { return [] }
        let strings = LineDamage.strings(in: line).map { (damage: Damage.jsonString, start: $0) }
        return EscapedLineRestorer.isEscaped(line) ? strings + [(.escapedLine, 0)] : strings
    }

    /// A `<` that begins no tag of HTML: in a page it would be an entity.
    package static func hasOtherAngles(_ text: Span<UInt8>) -> Bool { Characters(text).hasOtherAngles }

    private struct Characters {
        /// `<br>`, `</p>`, `</div>` and their like.
        var hasTags = false
        /// `&lt;` or `&gt;`
        var hasEntities = false
        var hasOtherAngles = false
        var hasTypography = false

        init(_ text: Span<UInt8>) {
            var index = 0
            while let mark = text.firstMarkupByte(from: index) {
                index = mark + 1
                switch text[mark] {
                case UInt8(ascii: "<"):
                    // Nearly all are those of UUIDs and templates.
                    guard let next = text.at(index), next == UInt8(ascii: "/") || isLetter(next) else {
                        hasOtherAngles = true
                        continue
                    }
                    guard let tag = HTMLTag(text, at: mark) else {
                        hasOtherAngles = true
                        continue
                    }
                    if tag.kind != .inline { hasTags = true }
                case UInt8(ascii: "&"):
                    let rest = text.clamped(to: index..<index + 3)
                    if !hasEntities, rest.equals("lt;") || rest.equals("gt;") { hasEntities = true }
                default:
                    if !hasTypography, TypographyRestorer.character(in: text, at: mark) != nil { hasTypography = true }
                }
            }
        }
    }

    private struct Lines {
        /// A line has a soft line break or escapes of quoted-printable text.
        var hasBroken = false
        /// Each of the first lines is followed by an empty one.
        var isSpaced = false
        /// The blanks that all lines begin with.
        var indentation: [UInt8]?
        var hasForumCode = false
        var hasColours = false
        var hasReturns = false
        /// The first two lines have numbers that follow one another.
        var isNumbered = false
        /// A line has several rows.
        var isCollapsed = false
        /// Characters of the longest line, and of the longest that has a blank to be broken at.
        var longest = 0
        var longestBreakable = 0

        private static let first = 16

        init(_ text: Span<UInt8>) {
            var (start, number, filled, empty) = (0, 0, 0, 0)
            var expectsEmpty = false
            isSpaced = true
            while start < text.count {
                let end = text.firstLineFeed(from: start) ?? text.count
                let line = text.clamped(to: start..<end)
                if line.count > min(longest, longestBreakable) { note(line.upTo(line.lengthWithoutEnding)) }
                if end < text.count, QuotedPrintableRestorer.isBroken(line) { hasBroken = true }
                if number == 1 { isNumbered = NumberedRestorer.isNumbered(text.upTo(start), line) }
                if line.isBlankLine {
                    if !expectsEmpty, filled > 0 { expectsEmpty = true } else { expectsEmpty = false }
                    empty += 1
                } else {
                    if number < Self.first {
                        if expectsEmpty { isSpaced = false }
                        inspect(line, isFirst: filled == 0)
                    }
                    filled += 1
                    expectsEmpty = true
                }
                (start, number) = (end + 1, number + 1)
            }
            isSpaced = isSpaced && empty > 0
        }

        private mutating func note(_ line: Span<UInt8>) {
            longest = max(longest, LineBreaks.width(of: line))
            if line.count > longestBreakable { longestBreakable = max(longestBreakable, LineBreaks.breakableWidth(of: line)) }
        }

        private mutating func inspect(_ line: Span<UInt8>, isFirst: Bool) {
            if !hasBroken, QuotedPrintableRestorer.provesQuotedPrintable(line) { hasBroken = true }
            var blanks = 0
            while let byte = line.at(blanks), isBlank(byte) { blanks += 1 }
            if isFirst {
                indentation = blanks > 0 ? line.upTo(blanks).copied() : nil
            } else if let known = indentation {
                var shared = 0
                while shared < known.count, shared < blanks, line[shared] == known[shared] { shared += 1 }
                indentation = shared > 0 ? Array(known[..<shared]) : nil
            }
            if let last = line.at(line.count - 1), last == UInt8(ascii: "]") || last == UInt8(ascii: "}") {
                let open = last == UInt8(ascii: "]") ? UInt8(ascii: "[") : UInt8(ascii: "{")
                if let begin = line.lastIndex(of: open), ForumTag.end(in: line, at: begin) == line.count { hasForumCode = true }
            }
            if !hasColours { hasColours = line.firstIndex(of: ColoursRestorer.escape) != nil }
            if !hasReturns { hasReturns = CarriageReturnRestorer.ends(line) }
            if !isCollapsed { isCollapsed = CollapsedRestorer.isCollapsed(line) }
        }
    }
}
