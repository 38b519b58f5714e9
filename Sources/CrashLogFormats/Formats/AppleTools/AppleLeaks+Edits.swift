internal import BinaryPrimitives
package import CrashLogModel

extension AppleLeaks {
    /// A row becomes what `leaks` writes where it finds a dSYM: `push + 28 leak_demo.c:28` after
    /// the address. Outermost frames come first in its stacks, so inlined calls follow as rows
    /// below the one that holds them. In a stack of one line an address is followed by image, name
    /// and line, as report version 3 has them: `| 0x106eba614 (App) main AppDelegate.swift:12 |`.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        let filter = AnswerFilter(report)
        var edits: [TextEdit] = []
        // In the order of their places, which is the reverse of the stacks'.
        for (frame, answer) in answers.sorted(by: { $0.frame.place.lowerBound < $1.frame.place.lowerBound })
        where filter.isImprovement(answer, for: frame) {
            if let edit = edit(ofRow: frame, with: answer, in: log) ?? edit(ofElement: frame, with: answer, in: log) { edits.add(edit) }
        }
        return edits
    }

    private static func edit(ofRow frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = AppleLeaksRow(log.clamped(to: frame.place)) else { return nil }
        let line = LogLine(around: frame.place, in: log)
        let start = frame.place.lowerBound + row.row.addressEnd
        let head = line.ending + log.clamped(to: line.range.lowerBound..<start).copied()
        var replacement: [UInt8] = []
        for (index, function) in answer.functions.reversed().enumerated() {
            replacement += (index > 0 ? head : []) + Array((" " + words(function, hasOffset: true)).utf8)
        }
        return TextEdit(range: start..<frame.place.lowerBound + row.end, replacement: replacement)
    }

    private static func edit(ofElement frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let address = log.clamped(to: frame.place).leadingAddress else { return nil }
        let head = "0x" + hexadecimal(address, digits: 0) + " (" + PlainText.line(frame.imageName ?? answer.imageName) + ") "
        let elements = answer.functions.reversed().map { head + barless(words($0, hasOffset: false)) }
        return TextEdit(range: frame.place, replacement: Array(elements.joined(separator: " | ").utf8))
    }

    /// `closure #2 in ContentView.body.getter + 161 ContentView.swift:34`; in a list one blank
    /// before the file and no offset.
    private static func words(_ function: FrameAnswer.Function, hasOffset: Bool) -> String {
        var text = RowAnswer.name(function)
        if hasOffset, let offset = function.offset { text += " + \(offset)" }
        guard let location = function.location else { return text }
        return text + (hasOffset ? "  " : " ") + PlainText.line(Path.foreignName(of: location.file)) + ":\(location.line)"
    }

    /// A blank before a bar would end the element.
    private static func barless(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "|")) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "|"), bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
