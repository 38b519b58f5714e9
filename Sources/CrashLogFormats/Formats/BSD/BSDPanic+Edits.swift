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
        return .rows(
            above: answer.functions.dropLast().map { PlainText.line($0.name) + KernelSourcePath.text($0.location) + " [inline]" },
            frame.place.lowerBound + row.nameStart..<frame.place.lowerBound + row.placeEnd,
            followedBy: KernelSourcePath.text(answer.functions.last?.location), in: log)
    }
}
