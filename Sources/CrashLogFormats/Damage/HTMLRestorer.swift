import BinaryPrimitives
internal import CrashLogModel

/// Restores the text in a page's source: tags are removed, those that begin or end a line become
/// line ends, and entities become characters (HTML standard, section 13.2.5).
///
/// Only tags of HTML are tags: `<redacted>` and `std::vector<int>` stay, since pages that people
/// paste into do not always escape them.
package struct HTMLRestorer: Restorer {
    /// How many `<pre>` and `<code>` are open.
    private var open = 0

    /// Lines since the last tag. In pages with a tag at each line's end, now and then a line has
    /// none.
    private var linesWithout = 16

    /// Long reports have lines without a tag or an entity in code, and a tag may never be closed.
    package var isInside: Bool { linesWithout < (open > 0 ? 4096 : 16) }

    /// The line so far has text.
    private var hasText = false
    /// Position of the tag that ends the line, if something follows it in the source's line.
    private var lineEnd: (start: Int, end: Int, isBreak: Bool)?

    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        linesWithout += 1
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
                apply(tag, start + index..<start + tag.end, to: &text)
                (index, copied) = (tag.end, tag.end)
                continue
            case UInt8(ascii: "&"):
                guard let entity = HTMLEntity(line, at: index) else { break }
                linesWithout = 0
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
                // Blanks between a tag and the source's line end do not belong to the text.
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

    private mutating func apply(_ tag: HTMLTag, _ raw: Range<Int>, to text: inout TextWriter) {
        linesWithout = 0
        if tag.isCode { open = max(0, open + (tag.isClosing ? -1 : 1)) }
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

    /// Text follows in the source's line: the line before it ends where its tag is.
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
