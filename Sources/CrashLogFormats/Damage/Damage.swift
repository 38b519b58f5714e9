import BinaryPrimitives
package import CrashLogModel

/// A way in which copying, mailing or publishing damages a log. Each kind is undone by itself, and
/// one may lie inside another (HTML in a JSON string).
package enum Damage: Sendable, Equatable {
    /// The same bytes come before each line: an indentation, `> `, `info: `. Lines without them
    /// stay.
    case prefix([UInt8])
    /// A prefix that `LinePrefix` knows comes before each line of a document.
    case writersPrefix
    /// A page's source: tags, `&lt;`.
    case html
    /// Tags of forums and wikis: `[code]`, `{code}`.
    case forumCode
    /// The text is a string of a JSON document: `\n` ends a line.
    case jsonString
    /// The text is one line in which `\n` ends a line.
    case escapedLine
    /// Each line is a JSON object, and the log's line is the string with this key.
    case jsonLines(key: [UInt8])
    /// A mail's body (RFC 2045, section 6.7): `=` at a line's end joins it to the next, `=3D` is
    /// `=`.
    case quotedPrintable
    /// Word processors' characters: `–` for `-`, `“` for `"`, blanks that do not break.
    case typography
    /// An empty line follows each.
    case emptyLines
    /// White space and line ends became single blanks.
    case collapsed
    /// A terminal's colours.
    case colours
    /// Lines end with CR alone.
    case carriageReturns
    /// Each line has its number.
    case numbered
    /// The text is a cell of a table whose quotes are doubled.
    case tableCell
    /// Each line is between a prefix and an ending: a box's border, a field of a logger, backticks.
    case quotedLines(WriterPrefix)
    /// Long lines were broken.
    case wrapped(width: Int, isExact: Bool)

    /// Spelling of results that are written into such a text.
    package var spelling: RestoredText.Spelling {
        switch self {
        case .html: .html
        case .jsonString, .escapedLine, .jsonLines: .jsonString
        case .quotedPrintable: .quotedPrintable
        case .tableCell: .tableCell
        case .quotedLines(let prefix): prefix.isQuoted ? .jsonString : .plain
        case .prefix, .writersPrefix, .forumCode, .typography, .emptyLines, .collapsed, .wrapped, .colours, .carriageReturns, .numbered:
            .plain
        }
    }

    package func restorer() -> any Restorer {
        switch self {
        case .prefix(let prefix): PrefixRestorer(prefix)
        case .writersPrefix: PrefixRestorer(nil)
        case .html: HTMLRestorer()
        case .forumCode: ForumCodeRestorer()
        case .jsonString: JSONStringRestorer()
        case .escapedLine: EscapedLineRestorer()
        case .jsonLines(let key): JSONLinesRestorer(key)
        case .quotedPrintable: QuotedPrintableRestorer()
        case .typography: TypographyRestorer()
        case .emptyLines: EmptyLineRestorer()
        case .collapsed: CollapsedRestorer()
        case .colours: ColoursRestorer()
        case .carriageReturns: CarriageReturnRestorer()
        case .numbered: NumberedRestorer()
        case .tableCell: TableCellRestorer()
        case .quotedLines(let prefix): QuotedLinesRestorer(prefix)
        case .wrapped(let width, let isExact): WrappedRestorer(LineBreaks(width: width, isExact: isExact))
        }
    }
}

/// Undoes one kind of damage, line by line.
package protocol Restorer: Sendable {
    /// Restores a line of the damaged text.
    /// - Parameters:
    ///   - line: the line with its ending; a line longer than `Limits.lineLength` comes in parts.
    ///   - start: offset of the line in the damaged text.
    /// - Returns: number of bytes of the line that are damaged text; less than all if the damaged
    ///   text ends inside the line.
    mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int

    /// The text is inside something whose end has not come (`<pre>`): it is damaged up to there.
    var isInside: Bool { get }

    /// Whether the restored form of a line depends on the next line: `look` is shown both before
    /// `take` gets the line.
    var needsNext: Bool { get }
    mutating func inspect(_ line: Span<UInt8>, before next: Span<UInt8>)
}

extension Restorer {
    package var isInside: Bool { false }
    package var needsNext: Bool { false }
    package mutating func inspect(_ line: Span<UInt8>, before next: Span<UInt8>) {}
}

extension Span<UInt8> {
    /// The length of a line without its ending.
    package var lengthWithoutEnding: Int {
        var end = count
        while end > 0, self[end - 1] == UInt8(ascii: "\n") || self[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return end
    }
}
