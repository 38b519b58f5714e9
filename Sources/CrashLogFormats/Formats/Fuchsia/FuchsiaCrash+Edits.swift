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
        return .rows(
            above: answer.functions.dropLast().map { "[ inline ]" + words($0) },
            frame.place.lowerBound + row.numberEnd..<frame.place.upperBound, followedBy: words(outer), in: log)
    }

    private static func words(_ function: FrameAnswer.Function) -> String {
        var text = " " + PlainText.line(function.name)
        if let location = function.location { text += " " + PlainText.line(location.file) + ":\(location.line)" }
        return text
    }
}
