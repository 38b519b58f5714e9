internal import BinaryPrimitives
package import CrashLogFormats
package import CrashLogModel

/// Properties of every layer, for every text: the map leads to the bytes below and back, and an
/// edit that is undone gives the same bytes.
package enum LayerChecks {
    package static let layers: [Damage] = [
        .prefix(Array("> ".utf8)), .writersPrefix, .html, .forumCode, .jsonString, .escapedLine, .jsonLines(key: Array("log".utf8)),
        .quotedPrintable, .typography, .emptyLines, .collapsed, .colours, .carriageReturns, .numbered, .tableCell,
        .wrapped(width: 40, isExact: true), .wrapped(width: 60, isExact: false),
    ]

    /// The text without the layer, as `OpenLayer` makes it: line by line, up to where the layer ends.
    /// - Parameter start: position of the text's first byte in the text below.
    package static func removed(_ layer: Damage, from raw: [UInt8], at start: Int) -> (text: [UInt8], map: TextMap, end: Int) {
        var restorer = layer.restorer()
        var (writer, text, position) = (TextWriter(), [UInt8](), 0)
        let bytes = raw.span
        while position < raw.count {
            let end = bytes.firstLineFeed(from: position).map { $0 + 1 } ?? raw.count
            let line = bytes.clamped(to: position..<end)
            if restorer.needsNext {
                restorer.inspect(line, before: bytes.clamped(to: end..<(bytes.firstLineFeed(from: end) ?? raw.count)))
            }
            let count = restorer.consume(line, at: start + position, to: &writer)
            text += writer.removeBytes()
            position += count
            if count < line.count { break }
        }
        return (text, writer.map, start + position)
    }

    /// Checks the map: parts are in order, none of them twice, copied parts equal the bytes below;
    /// positions come back from below and from above.
    /// - Returns: the problem; `nil` if there is none.
    package static func problemOfMap(_ layer: Damage, _ raw: [UInt8]) -> String? {
        let start = 1000
        let (text, map, end) = removed(layer, from: raw, at: start)
        guard map.end == text.count else { return "the map ends at \(map.end) of \(text.count) bytes" }
        var last = start
        for part in map.parts {
            guard part.raw.lowerBound >= last, part.raw.upperBound <= end else { return "\(part.raw) behind \(last), of \(end)" }
            last = part.raw.upperBound
            if part.isCopied {
                guard part.text.count == part.raw.count,
                    text[part.text].elementsEqual(raw[part.raw.lowerBound - start..<part.raw.upperBound - start])
                else { return "\(part.text) is no copy of \(part.raw)" }
            }
            guard map.text(map.raw(part.text)) == part.text else { return "\(part.text) does not come back" }
            guard map.raw(map.text(part.raw)) == part.raw else { return "\(part.raw) does not come back" }
        }
        return nil
    }

    /// An edit of each longer part that is copied, and the edit that undoes it.
    /// - Returns: the problem; `nil` if there is none.
    package static func problemOfEdits(_ layer: Damage, _ raw: [UInt8]) -> String? {
        let (text, map, _) = removed(layer, from: raw, at: 0)
        let restored = RestoredText(bytes: text, map: map, spelling: layer.spelling)
        let name = Array("moor".utf8)
        for part in map.parts where part.isCopied && part.text.count > 3 && !text[part.text].contains(where: { $0 < 0x20 }) {
            let edits = restored.edits([TextEdit(range: part.text, replacement: name)], in: raw.span)
            guard edits.count == 1, let edit = edits.first, edit.range == part.raw, edit.replacement == name else {
                return "an edit of \(part.text) became \(edits)"
            }
            var changed = raw
            changed.replaceSubrange(edit.range, with: name)
            changed.replaceSubrange(edit.range.lowerBound..<edit.range.lowerBound + name.count, with: raw[edit.range])
            guard changed == raw else { return "the edit of \(part.raw) cannot be undone" }
        }
        return nil
    }
}
