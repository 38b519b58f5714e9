internal import BinaryPrimitives

/// A piece of a damaged log as it was before: what a format read, and where each of its bytes stands in the log.
///
/// A report that was read from such a text carries it, so that answers are written into the text as the format has it, and from there into the log as the damage has it.
struct RestoredText: Sendable {
    /// The restored text.
    let bytes: [UInt8]
    /// Its bytes in the damaged text.
    var map: TextMap
    let spelling: Spelling

    /// How the damage spells what is written into it.
    enum Spelling: Sendable {
        case plain
        /// `<` is `&lt;`.
        case html
        /// `"` is `\"`.
        case jsonString
        /// `=` is `=3D`.
        case quotedPrintable
    }

    /// Edits of the restored text as edits of the damaged one.
    /// - Parameter damaged: the damaged text.
    func edits(_ edits: [TextEdit], in damaged: Span<UInt8>) -> [TextEdit] {
        var result: [TextEdit] = []
        for edit in edits {
            let replacement = damagedForm(of: edit.replacement, at: edit.range.lowerBound, in: damaged)
            result.add(TextEdit(range: map.raw(edit.range), replacement: replacement))
        }
        return result
    }

    private func damagedForm(of replacement: [UInt8], at position: Int, in damaged: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var lineBreak: [UInt8]?
        for (index, byte) in replacement.enumerated() {
            switch byte {
            case UInt8(ascii: "\n"):
                let known = lineBreak ?? self.lineBreak(around: position, in: damaged)
                lineBreak = known
                result += known
            case UInt8(ascii: "\r") where index + 1 < replacement.count && replacement[index + 1] == UInt8(ascii: "\n"): continue
            default: spelling.append(byte, to: &result)
            }
        }
        return result
    }

    /// What stands in the damaged text between two lines: a line feed and an indentation, `</div>`, a line feed and `<div>`, `\n` in a JSON string. That above the line of an edit,
    /// or, where nothing stands above it, that below.
    private func lineBreak(around position: Int, in damaged: Span<UInt8>) -> [UInt8] {
        let text = bytes.span
        let newline = UInt8(ascii: "\n")
        let (above, below) = (text.lastIndex(of: newline, before: position), text.firstIndex(of: newline, from: position))
        func hasText(before feed: Int) -> Bool { text.at(feed - 1).map { $0 != newline && $0 != UInt8(ascii: "\r") } ?? false }
        guard let feed = above.flatMap({ hasText(before: $0) ? $0 : nil }) ?? below ?? above else { return [newline] }
        var last = feed - 1
        if text.at(last) == UInt8(ascii: "\r") { last -= 1 }
        let start = last >= 0 ? map.rawEnd(last) : map.rawStart(feed)
        let end = feed + 1 < text.count ? map.rawStart(feed + 1) : map.rawEnd(feed)
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
    /// Changes every frame's place.
    mutating func changePlaces(_ place: (Range<Int>) -> Range<Int>) {
        changeStacks { stack in
            for index in stack.frames.indices { stack.frames[index].place = place(stack.frames[index].place) }
        }
    }

    /// The edits of a report that was read from a restored text: made there by `edits`, and moved to the log.
    func damagedEdits(
        answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>,
        by edits: (CrashReport, [(frame: Frame, answer: FrameAnswer)], Span<UInt8>) -> [TextEdit]
    ) -> [TextEdit] {
        guard let layer = restored.first else { return edits(self, answers, log) }
        var report = self
        report.restored.removeFirst()
        report.changePlaces(layer.map.text)
        let moved = answers.map { answer in
            var frame = answer.frame
            frame.place = layer.map.text(frame.place)
            return (frame: frame, answer: answer.answer)
        }
        return layer.edits(report.damagedEdits(answers: moved, in: layer.bytes.span, by: edits), in: log)
    }
}
