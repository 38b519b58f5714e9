internal import BinaryPrimitives
package import CrashLogModel

extension KernelOops {
    /// A row gets file and line after its place, and inlined calls become rows above it. syzkaller
    /// writes them so (`symbolizeLine` of its `pkg/report/linux.go`), in the form in which reports
    /// are sent to kernel lists:
    ///
    ///     __dump_stack lib/dump_stack.c:15 [inline]
    ///     dump_stack+0x194/0x257 lib/dump_stack.c:51
    ///
    /// and with an address in front `[< inline >] __dump_stack lib/dump_stack.c:15`. The kernel's
    /// own scripts/decode_stacktrace.sh would take offset and size away, without which nobody could
    /// look again.
    ///
    /// Where the kernel has no names (`CONFIG_KALLSYMS` is off), the number is replaced by what it
    /// would have printed, without the size: `[<c0014990>] unwind_backtrace+0x10 arch/arm/…`.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = KernelRow(log.clamped(to: frame.place), isInStack: true), row.tail.location == nil,
            let place = place(of: row, frame, answer)
        else { return nil }
        let line = LogLine(around: frame.place, in: log)
        let symbol = frame.place.lowerBound + place.range.lowerBound..<frame.place.lowerBound + place.range.upperBound
        var rows: [UInt8] = []
        for function in answer.functions.dropLast() {
            // The line up to the place, with the word instead of an address's digits.
            if let digits = row.digits {
                rows += log.clamped(to: line.range.lowerBound..<frame.place.lowerBound + digits.lowerBound).copied()
                rows += Array("     inline     ".utf8)
                rows += log.clamped(to: frame.place.lowerBound + digits.upperBound..<symbol.lowerBound).copied()
            } else {
                rows += log.clamped(to: line.range.lowerBound..<symbol.lowerBound).copied()
            }
            if symbol.isEmpty { rows.append(UInt8(ascii: " ")) }
            rows += Array((PlainText.line(function.name) + KernelSourcePath.text(function.location)).utf8)
            if row.digits == nil { rows += Array(" [inline]".utf8) }
            rows += log.clamped(to: symbol.upperBound..<line.range.upperBound).copied()
            rows += line.ending
        }
        // The rows above come before the whole line, its prefix included; what is edited begins
        // with the frame.
        let head = log.clamped(to: line.range.lowerBound..<frame.place.lowerBound).copied()
        if !rows.isEmpty { rows = Array(rows.dropFirst(head.count)) + head }
        rows += log.clamped(to: frame.place.lowerBound..<symbol.lowerBound).copied()
        rows +=
            (place.text.map { Array($0.utf8) } ?? log.clamped(to: symbol).copied())
            + Array(KernelSourcePath.text(answer.functions.last?.location).utf8)
        return TextEdit(range: frame.place.lowerBound..<symbol.upperBound, replacement: rows)
    }

    /// Where the row's place is and how it is to be written, unless as it is. `nil` if the result
    /// says no more than it does.
    private static func place(of row: KernelRow, _ frame: Frame, _ answer: FrameAnswer) -> (range: Range<Int>, text: String?)? {
        guard let range = row.symbolRange else { return nil }
        if row.symbol != nil { return answer.functions.contains { $0.location != nil } ? (range, nil) : nil }
        guard row.name == nil, let function = answer.functions.last, let address = frame.address else { return nil }
        let name = PlainText.line(function.name)
        let words = name + "+0x" + hexadecimal(function.offset ?? 0, digits: 0)
        // Where a row has no place for a name.
        if range.isEmpty { return (range, " " + words) }
        return (range, row.digits == nil ? "[<" + hexadecimal(address.value, digits: 8) + ">] " + words : words)
    }
}
