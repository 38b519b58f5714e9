internal import BinaryPrimitives
package import CrashLogModel

extension GoPanic {
    /// Go's own frames have all that a result says. C frames without a name are written as the
    /// runtime writes those that a program's symbolizer knows: two lines with name, place and pc,
    /// inlined calls with the same pc above. The line of a signal has no such form. The result
    /// follows it in one line.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        let bytes = log.clamped(to: frame.place)
        if let signal = GoSignalLine(bytes) {
            let text = " " + oneLine(answer)
            return TextEdit(range: frame.place.lowerBound + signal.answerStart..<frame.place.upperBound, replacement: Array(text.utf8))
        }
        // A Go frame has an offset in its second line.
        guard let address = frame.address, frame.printed?.offset == nil else { return nil }
        let line = LogLine(around: frame.place.lowerBound..<frame.place.lowerBound, in: log)
        let head = log.clamped(to: line.range.lowerBound..<frame.place.lowerBound).copied()
        var replacement: [UInt8] = []
        for (index, function) in answer.functions.enumerated() {
            if index > 0 { replacement += line.ending + head }
            replacement +=
                Array(PlainText.line(function.name).utf8) + line.ending + head + Array(place(function, address).utf8)
        }
        return TextEdit(range: frame.place, replacement: replacement)
    }

    private static func place(_ function: FrameAnswer.Function, _ address: RuntimeAddress) -> String {
        var text = "\t"
        if let location = function.location, location.line > 0 { text += SourceLocationText.text(location) + " " }
        return text + "pc=0x" + String(address.value, radix: 16)
    }

    private static func oneLine(_ answer: FrameAnswer) -> String {
        answer.functions.map { function in
            var text = PlainText.line(function.name)
            if function.isInlined { text += " [inlined]" }
            if let location = function.location, location.line > 0 { text += " (\(SourceLocationText.text(location)))" }
            if let offset = function.offset, !function.isInlined { text += " +0x" + String(offset, radix: 16) }
            return text
        }.joined(separator: " in ")
    }
}
