internal import BinaryPrimitives
internal import CrashLogModel

/// A tag of HTML in a line.
package struct HTMLTag {
    package enum Kind {
        /// Between two lines.
        case lineBreak
        /// Begins or ends a block, which has lines of its own.
        case block
        /// Ends a table's cell.
        case cell
        /// In the middle of a line.
        case inline
    }

    package var kind: Kind
    package var isClosing: Bool
    /// `pre` and `code`, in which logs are published.
    package var isCode: Bool
    /// After its `>`.
    package var end: Int

    /// The longest that real pages have, attributes included, have some hundred bytes.
    private static let longest = 2048

    package init?(_ line: Span<UInt8>, at start: Int) {
        var index = start + 1
        isClosing = line.at(index) == UInt8(ascii: "/")
        if isClosing { index += 1 }
        let first = index
        while let byte = line.at(index), index - first < 12, isDigit(byte) || isLetter(byte) { index += 1 }
        // Nearly every `<` that does not begin a tag is in a UUID or a template.
        guard let next = line.at(index), next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || isBlank(next) else { return nil }
        let name = (first..<index).map { line[$0] | 0x20 }
        guard let kind = HTMLTag.kinds[name] else { return nil }
        // `vector<p>` and `f<a>()` are C++.
        if name.count == 1, !isClosing, let before = line.at(start - 1), LinePrefixReader.isNameByte(before) { return nil }
        guard let close = line.upTo(start + HTMLTag.longest).firstIndex(of: UInt8(ascii: ">"), from: index) else { return nil }
        self.kind = kind
        isCode = name == Array("pre".utf8) || name == Array("code".utf8)
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
        for (kind, list) in names {
            // A digit stays itself: `h1` with its bit for lower case.
            for name in list.split(separator: " ") { kinds[name.utf8.map { $0 | 0x20 }] = kind }
        }
        return kinds
    }()
}

extension Span where Element == UInt8 {
    /// Nothing but blanks up to the line's end.
    package var isBlankLine: Bool {
        for index in 0..<count {
            if self[index] == 0x0A { return true }
            guard isBlank(self[index]) || self[index] == 0x0D else { return false }
        }
        return true
    }
}
