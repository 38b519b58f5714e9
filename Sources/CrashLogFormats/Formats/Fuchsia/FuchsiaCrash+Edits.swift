internal import BinaryPrimitives
package import CrashLogModel

extension FuchsiaCrash {
    /// A row `bt#01: …` is followed by name, file and line, and inlined calls get rows above, as
    /// syzkaller writes them (`pkg/report/fuchsia.go`):
    ///
    ///     bt#02: [ inline ] fbl::Canary::Assert object/port_dispatcher.cpp:159
    ///     bt#02: 0xffffffff0015ad92 PortDispatcher::Queue object/port_dispatcher.cpp:258
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = FuchsiaRow(log.clamped(to: frame.place), isInStack: true), row.isOwn, row.printed == nil,
            let outer = answer.functions.last
        else {
            return nil
        }
        let line = LogLine(around: frame.place, in: log)
        let number = frame.place.lowerBound + row.numberEnd
        let head = log.clamped(to: line.range.lowerBound..<number).copied()
        var replacement: [UInt8] = []
        for (index, function) in answer.functions.dropLast().enumerated() {
            if index > 0 { replacement += head }
            replacement += Array(("[ inline ]" + words(function)).utf8) + line.ending
        }
        if !replacement.isEmpty { replacement += head }
        replacement += log.clamped(to: number..<frame.place.upperBound).copied() + Array(words(outer).utf8)
        return TextEdit(range: number..<frame.place.upperBound, replacement: replacement)
    }

    private static func words(_ function: FrameAnswer.Function) -> String {
        var text = " " + PlainText.line(function.name)
        if let location = function.location { text += " " + PlainText.line(location.file) + ":\(location.line)" }
        return text
    }
}
