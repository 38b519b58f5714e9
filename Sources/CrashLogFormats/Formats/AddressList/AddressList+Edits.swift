internal import BinaryPrimitives
package import CrashLogModel

extension AddressList {
    /// The result follows its address, in atos' words: `0x401136 main + 26 (main.c:12)`. Each
    /// resolved address ends its line, so that what follows it in a list of several moves to a line
    /// of its own; inlined calls become lines above it, with the same address.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        let line = LogLine(around: frame.place, in: log)
        let entry = log.clamped(to: frame.place).copied()
        var trailing = log.clamped(to: frame.place.upperBound..<max(frame.place.upperBound, line.range.upperBound))
        let isLast = trailing.trimmed().count == 0 || frame.printed != nil
        var replacement: [UInt8] = []
        for (index, function) in answer.functions.enumerated() {
            if index > 0 { replacement += line.ending + entry }
            replacement += Array(("  " + SymbolText.text(for: function)).utf8)
        }
        guard !isLast else { return TextEdit(range: frame.place.upperBound..<line.range.upperBound, replacement: replacement) }
        // The comma or the blanks between this address and the next give way to the line's end.
        var length = 0
        while let byte = trailing.at(0), isBlank(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") {
            trailing = trailing.from(1)
            length += 1
        }
        return TextEdit(
            range: frame.place.upperBound..<frame.place.upperBound + length,
            replacement: replacement + (trailing.count > 0 ? line.ending : []))
    }
}
