internal import BinaryPrimitives
package import CrashLogModel

extension BSDPanic {
    /// File and line come after the place, and inlined calls as rows above with `[inline]`, nearly
    /// as syzkaller writes them (`pkg/report/bsd.go`; it leaves the outer place in the rows of
    /// inlined calls as well): `pool_put(ffffff0016933440) at pool_put+0x37
    /// sys/kern/subr_pool.c:700`.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard answer.functions.contains(where: { $0.location != nil }) else { return nil }
        guard let row = BSDPanicRow(log.clamped(to: frame.place)), row.location == nil else { return nil }
        let line = LogLine(around: frame.place, in: log)
        let name = frame.place.lowerBound + row.nameStart
        let end = frame.place.lowerBound + row.placeEnd
        var replacement: [UInt8] = []
        for function in answer.functions.dropLast() {
            if !replacement.isEmpty { replacement += log.clamped(to: line.range.lowerBound..<name).copied() }
            replacement +=
                Array((PlainText.line(function.name) + KernelSourcePath.text(function.location) + " [inline]").utf8) + line.ending
        }
        if !replacement.isEmpty { replacement += log.clamped(to: line.range.lowerBound..<name).copied() }
        replacement += log.clamped(to: name..<end).copied() + Array(KernelSourcePath.text(answer.functions.last?.location).utf8)
        return TextEdit(range: name..<end, replacement: replacement)
    }
}
