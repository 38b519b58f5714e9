internal import BinaryPrimitives

/// A piece of a damaged log as it was before the damage: the text that a format read, and the
/// position in the log of each of its bytes.
///
/// A report that was read from such a text carries it, so that results are written into the text as
/// the format spells them, and from there into the log as the damage spells them.
package struct RestoredText: Sendable {
    /// The restored text.
    package let bytes: [UInt8]
    /// Its bytes in the damaged text.
    package var map: TextMap
    package let spelling: Spelling

    package init(bytes: [UInt8], map: TextMap, spelling: Spelling) {
        self.bytes = bytes
        self.map = map
        self.spelling = spelling
    }

    /// How the damage spells results that are written into the text.
    package enum Spelling: Sendable {
        case plain
        /// `<` is `&lt;`.
        case html
        /// `"` is `\"`.
        case jsonString
        /// `=` is `=3D`.
        case quotedPrintable
        /// `"` is `""`.
        case tableCell
    }

    /// Edits of the restored text as edits of the damaged one.
    /// - Parameter damaged: the damaged text.
    package func edits(_ edits: [TextEdit], in damaged: Span<UInt8>) -> [TextEdit] {
        var result: [TextEdit] = []
        for edit in edits {
            let replacement = damagedForm(of: edit.replacement, at: edit.range.lowerBound, in: damaged)
            result.add(TextEdit(range: damagedRange(of: edit.range), replacement: replacement))
        }
        return result
    }

    private func damagedRange(of range: Range<Int>) -> Range<Int> {
        // Text between two lines is inserted after the prefix of the second; text that is added to
        // a line is inserted before the tags at its end.
        guard range.isEmpty, bytes.span.at(range.lowerBound - 1) == UInt8(ascii: "\n") else { return map.raw(range) }
        let start = map.rawStart(range.lowerBound)
        return start..<start
    }

    private func damagedForm(of replacement: [UInt8], at position: Int, in damaged: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < replacement.count {
            var feeds = 0
            while index < replacement.count, RestoredText.endsLine(replacement[index]) {
                if replacement[index] == UInt8(ascii: "\n") { feeds += 1 }
                index += 1
            }
            if feeds > 0 { result += lineBreak(of: feeds, around: position, in: damaged) }
            guard index < replacement.count else { break }
            spelling.append(replacement[index], to: &result)
            index += 1
        }
        return result
    }

    private static func endsLine(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    /// Returns the damaged bytes between two lines: a line feed and an indentation, `</div>`, a
    /// line feed and `<div>`, `\n` in a JSON string. They are copied from above the line of an
    /// edit, or from below.
    /// - Parameter feeds: number of line feeds there; further ones make empty lines.
    private func lineBreak(of feeds: Int, around position: Int, in damaged: Span<UInt8>) -> [UInt8] {
        let text = bytes.span
        let newline = UInt8(ascii: "\n")
        let neighbours = [text.lastIndex(of: newline, before: position), text.firstIndex(of: newline, from: position)].compactMap { $0 }
            .map(breakRange)
        guard let neighbour = neighbours.first(where: { $0.feeds == feeds && !$0.range.isEmpty }) else {
            guard feeds > 1 || neighbours.isEmpty else {
                // One line ends: if several end there, the last one is used.
                let range = neighbours[0].range
                return damagedBreak(range.upperBound - 1..<range.upperBound, in: damaged)
            }
            return feeds > 1 ? (0..<feeds).flatMap { _ in lineBreak(of: 1, around: position, in: damaged) } : [newline]
        }
        return damagedBreak(neighbour.range, in: damaged)
    }

    /// Range of the consecutive line ends around one of them.
    private func breakRange(around feed: Int) -> (range: Range<Int>, feeds: Int) {
        let text = bytes.span
        var (start, end) = (feed, feed + 1)
        while let byte = text.at(start - 1), RestoredText.endsLine(byte) { start -= 1 }
        while let byte = text.at(end), RestoredText.endsLine(byte) { end += 1 }
        return (start..<end, (start..<end).count { text[$0] == UInt8(ascii: "\n") })
    }

    private func damagedBreak(_ range: Range<Int>, in damaged: Span<UInt8>) -> [UInt8] {
        let start = range.lowerBound > 0 ? map.rawEnd(range.lowerBound - 1) : map.rawStart(range.lowerBound)
        let end = range.upperBound < bytes.count ? map.rawStart(range.upperBound) : map.rawEnd(range.upperBound - 1)
        return damaged.clamped(to: start..<max(start, end)).copied()
    }
}

extension RestoredText.Spelling {
    fileprivate func append(_ byte: UInt8, to result: inout [UInt8]) {
        switch self {
        case .plain: result.append(byte)
        case .html:
            switch byte {
            case UInt8(ascii: "&"): result += Array("&amp;".utf8)
            case UInt8(ascii: "<"): result += Array("&lt;".utf8)
            case UInt8(ascii: ">"): result += Array("&gt;".utf8)
            default: result.append(byte)
            }
        case .jsonString:
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\t"): result += Array("\\t".utf8)
            case 0..<0x20: result += Array(("\\u" + hexadecimal(UInt64(byte), digits: 4)).utf8)
            default: result.append(byte)
            }
        case .tableCell: result += byte == UInt8(ascii: "\"") ? [byte, byte] : [byte]
        case .quotedPrintable:
            if byte == UInt8(ascii: "=") || byte >= 0x7F || byte < 0x20 && byte != UInt8(ascii: "\t") {
                result += Array(("=" + hexadecimal(UInt64(byte), digits: 2).uppercased()).utf8)
            } else {
                result.append(byte)
            }
        }
    }
}

extension CrashReport {
    /// Changes every frame's range.
    package mutating func mapPositions(_ transform: (Range<Int>) -> Range<Int>) {
        changeStacks { stack in
            for index in stack.frames.indices { stack.frames[index].range = transform(stack.frames[index].range) }
        }
    }

    /// The edits of a report that was read from a restored text: made there by `edits`, and moved
    /// to the log.
    package func damagedEdits(
        results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>,
        by edits: (CrashReport, [(frame: Frame, result: FrameResult)], Span<UInt8>) -> [TextEdit]
    ) -> [TextEdit] {
        guard let layer = restored.first else { return edits(self, results, log) }
        var report = self
        report.restored.removeFirst()
        report.mapPositions(layer.map.text)
        let moved = results.map { result in
            var frame = result.frame
            frame.range = layer.map.text(frame.range)
            return (frame: frame, result: result.result)
        }
        return layer.edits(report.damagedEdits(results: moved, in: layer.bytes.span, by: edits), in: log)
    }
}
