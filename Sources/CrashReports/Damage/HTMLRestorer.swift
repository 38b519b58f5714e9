import BinaryPrimitives

/// Takes the source of a page: tags go, those that begin or end a line become line ends, and entities become characters (HTML standard, section 13.2.5).
///
/// Only tags of HTML are tags: `<redacted>` and `std::vector<int>` stay, since pages that people paste into do not always escape them.
struct HTMLRestorer: Restorer {
    /// The line so far has text.
    private var hasText = false
    /// Where a tag stands that ends the line, if something follows it in the source's line.
    private var lineEnd: (start: Int, end: Int, isBreak: Bool)?

    mutating func take(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        var index = 0
        var copied = 0
        func copy(_ end: Int, to text: inout TextWriter) {
            text.copy(line.clamped(to: copied..<max(copied, end)), at: start + copied)
        }
        while index < line.count {
            let byte = line[index]
            switch byte {
            case UInt8(ascii: "<"):
                guard let tag = HTMLTag(line, at: index) else { break }
                copy(index, to: &text)
                take(tag, start + index..<start + tag.end, to: &text)
                (index, copied) = (tag.end, tag.end)
                continue
            case UInt8(ascii: "&"):
                guard let entity = HTMLEntity(line, at: index) else { break }
                copy(index, to: &text)
                beginText(to: &text)
                text.write(entity.text, for: start + index..<start + entity.end)
                (index, copied) = (entity.end, entity.end)
                continue
            case UInt8(ascii: "\n"):
                copy(index, to: &text)
                copied = index + 1
                text.write(byte, for: (lineEnd?.start ?? start + index)..<start + index + 1)
                lineEnd = nil
                hasText = false
                index += 1
                continue
            case UInt8(ascii: "\r") where line.at(index + 1) == UInt8(ascii: "\n") && lineEnd != nil:
                copy(index, to: &text)
                copied = index + 1
                index += 1
                continue
            default: break
            }
            if lineEnd != nil {
                copy(index, to: &text)
                copied = index
                // Blanks between a tag and the source's line end are nobody's.
                if isBlank(byte), line.from(index).isBlankLine {
                    index += 1
                    copied = index
                    continue
                }
                beginText(to: &text)
            }
            hasText = true
            index += 1
        }
        copy(line.count, to: &text)
        return line.count
    }

    private mutating func take(_ tag: HTMLTag, _ raw: Range<Int>, to text: inout TextWriter) {
        switch tag.kind {
        case .inline: break
        case .cell:
            beginText(to: &text)
            text.write(UInt8(ascii: "\t"), for: raw)
        case .lineBreak:
            if let lineEnd { endLine(lineEnd.start..<lineEnd.end, to: &text) }
            lineEnd = (raw.lowerBound, raw.upperBound, true)
        case .block:
            if lineEnd == nil, hasText { lineEnd = (raw.lowerBound, raw.upperBound, false) }
        }
    }

    /// Text follows in the source's line: the line before it ends where its tag stands.
    private mutating func beginText(to text: inout TextWriter) {
        if let lineEnd { endLine(lineEnd.start..<lineEnd.end, to: &text) }
        hasText = true
    }

    private mutating func endLine(_ raw: Range<Int>, to text: inout TextWriter) {
        text.write(UInt8(ascii: "\n"), for: raw)
        lineEnd = nil
        hasText = false
    }
}

/// A tag of HTML in a line.
struct HTMLTag {
    enum Kind {
        /// Between two lines.
        case lineBreak
        /// Begins or ends a block, which has lines of its own.
        case block
        /// Ends a table's cell.
        case cell
        /// In the middle of a line.
        case inline
    }

    var kind: Kind
    /// Behind its `>`.
    var end: Int

    /// The longest that real pages have, attributes included, have some hundred bytes.
    private static let longest = 2048

    init?(_ line: Span<UInt8>, at start: Int) {
        var index = start + 1
        let isClosing = line.at(index) == UInt8(ascii: "/")
        if isClosing { index += 1 }
        var name: [UInt8] = []
        while let byte = line.at(index), name.count < 12, isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 {
            name.append(byte | 0x20)
            index += 1
        }
        guard let kind = HTMLTag.kinds[name], let next = line.at(index) else { return nil }
        // `vector<p>` and `f<a>()` are C++.
        if name.count == 1, !isClosing, let before = line.at(start - 1), LinePrefixReader.isNameByte(before) { return nil }
        guard next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || isBlank(next) else { return nil }
        guard let close = line.upTo(start + HTMLTag.longest).firstIndex(of: UInt8(ascii: ">"), from: index) else { return nil }
        self.kind = kind
        if kind == .cell, !isClosing { self.kind = .inline }
        end = close + 1
    }

    private static let kinds: [[UInt8]: Kind] = {
        let names: [(Kind, String)] = [
            (.lineBreak, "br"),
            (
                .block,
                "p div pre li ul ol tr table blockquote hr h1 h2 h3 h4 h5 h6 details summary section article body html head title tbody thead"
            ),
            (.cell, "td th"),
            (.inline, "code span b i u s a em strong tt font samp kbd img small big sub sup wbr label center mark meta link nobr"),
        ]
        var kinds: [[UInt8]: Kind] = [:]
        for (kind, words) in names {
            // A digit stays itself: `h1` with its bit for lower case.
            for word in words.split(separator: " ") { kinds[word.utf8.map { $0 | 0x20 }] = kind }
        }
        return kinds
    }()
}

/// A character reference: `&lt;`, `&#39;`, `&#x2013;`.
struct HTMLEntity {
    /// The character; those that word processors and publishers put in the place of ASCII's are ASCII's again.
    var text: [UInt8]
    /// Behind its `;`.
    var end: Int

    init?(_ line: Span<UInt8>, at start: Int) {
        guard let semicolon = line.upTo(start + 10).firstIndex(of: UInt8(ascii: ";"), from: start + 1) else { return nil }
        end = semicolon + 1
        var name = line.clamped(to: start + 1..<semicolon)
        if name.take("#") {
            let isHexadecimal = name.take("x") || name.take("X")
            guard let value = isHexadecimal ? name.takeHexadecimal() : name.takeDecimal(), name.count == 0,
                let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init), scalar.value >= 0x20 || scalar.value == 9
            else { return nil }
            text = HTMLEntity.plain[scalar] ?? Array(String(Character(scalar)).utf8)
        } else {
            guard let known = HTMLEntity.named[name.copied()] else { return nil }
            text = known
        }
    }

    private static let named: [[UInt8]: [UInt8]] = {
        let words = [
            ("lt", "<"), ("gt", ">"), ("amp", "&"), ("quot", "\""), ("apos", "'"), ("nbsp", " "), ("ndash", "-"), ("mdash", "-"),
            ("minus", "-"), ("lsquo", "'"), ("rsquo", "'"), ("ldquo", "\""), ("rdquo", "\""), ("hellip", "..."), ("tab", "\t"),
        ]
        return Dictionary(words.map { (Array($0.0.utf8), Array($0.1.utf8)) }, uniquingKeysWith: { first, _ in first })
    }()

    private static let plain: [Unicode.Scalar: [UInt8]] = [
        "\u{A0}": Array(" ".utf8), "\u{2013}": Array("-".utf8), "\u{2014}": Array("-".utf8), "\u{2018}": Array("'".utf8),
        "\u{2019}": Array("'".utf8), "\u{201C}": Array("\"".utf8), "\u{201D}": Array("\"".utf8), "\u{2026}": Array("...".utf8),
    ]
}

extension Span where Element == UInt8 {
    /// Nothing but blanks up to the line's end.
    var isBlankLine: Bool {
        for index in 0..<count {
            if self[index] == 0x0A { return true }
            guard isBlank(self[index]) || self[index] == 0x0D else { return false }
        }
        return true
    }
}
