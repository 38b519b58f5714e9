internal import BinaryPrimitives
package import CrashLogModel

extension PerfScript {
    /// A row becomes what `perf script -F +sym,+symoff,+srcline --full-source-path` prints where it
    /// has the debug file: the function and the offset, and the place in the source below. Inlined
    /// calls have rows above, with the same address:
    ///
    ///     	            112a weigh
    ///       /src/harbour.c:9 (inlined)
    ///     	            112a unload+0x2a (/srv/libharbour.so.1)
    ///       /src/harbour.c:16
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        let place = log.clamped(to: frame.place)
        // Of a sample without a stack, header and frame are one line.
        let isOneLine = place.at(0).map(isBlank) == false
        let first = place.upTo(endOfFirstLine(place))
        guard let row = PerfRow(first) else { return nil }
        let line = LogLine(around: frame.place.lowerBound..<frame.place.lowerBound, in: log)
        let prefix = isOneLine ? [] : log.clamped(to: line.range.lowerBound..<frame.place.lowerBound).copied()
        let number = place.upTo(row.nameStart).copied()
        let tail = first.from(row.tailStart).copied()
        var replacement: [UInt8] = []
        for function in isOneLine ? answer.functions.suffix(1) : answer.functions[...] {
            if !replacement.isEmpty { replacement += line.ending + prefix + number }
            var text = PlainText.line(function.name)
            if let offset = function.offset { text += "+0x" + hexadecimal(offset, digits: 0) }
            replacement += Array(text.utf8)
            if !function.isInlined, !tail.isEmpty { replacement += (tail.first == UInt8(ascii: " ") ? [] : [UInt8(ascii: " ")]) + tail }
            if let location = function.location {
                replacement += line.ending + prefix + Array(("  " + PlainText.line(location.file) + ":\(location.line)").utf8)
            }
            if function.isInlined { replacement += Array(" (inlined)".utf8) }
        }
        return TextEdit(range: frame.place.lowerBound + row.nameStart..<frame.place.upperBound, replacement: replacement)
    }

    private static func endOfFirstLine(_ place: Span<UInt8>) -> Int {
        let end = place.firstIndex(of: UInt8(ascii: "\n")) ?? place.count
        return place.at(end - 1) == UInt8(ascii: "\r") ? end - 1 : end
    }
}
