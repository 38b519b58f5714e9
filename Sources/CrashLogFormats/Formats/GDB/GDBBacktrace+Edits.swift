internal import BinaryPrimitives
package import CrashLogModel

extension GDBBacktrace {
    /// A row becomes what gdb prints with the debug file: `#1 0x… in unload () at harbour.c:16`.
    /// The arguments' values are not in the log: the parentheses stay empty. An inlined call has
    /// the row with the address, and the functions that contain it follow without one, as in gdb.
    /// Their number stays the frame's, so that the rows below keep theirs.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        let place = log.clamped(to: frame.place)
        guard let head = GDBRowHead(place), head.address != nil, let address = place.firstRange(of: "0x") else { return nil }
        let line = LogLine(around: frame.place.lowerBound..<frame.place.lowerBound, in: log)
        let prefix = log.clamped(to: line.range.lowerBound..<frame.place.lowerBound).copied()
        let number = place.upTo(address.lowerBound).copied()
        var digits = place.from(address.lowerBound)
        _ = digits.takeAddress()
        let start = place.count - digits.count
        // A library stays where no line is known, as gdb has it.
        let image = GDBRow(GDBBacktrace.joined(place).span)?.imagePath
        var replacement: [UInt8] = []
        for (index, function) in answer.functions.enumerated() {
            replacement += index > 0 ? line.ending + prefix + number : Array(" in ".utf8)
            replacement += Array((PlainText.line(function.name) + " ()").utf8)
            if let location = function.location {
                replacement += Array((" at " + PlainText.line(location.file) + ":\(location.line)").utf8)
            } else if let image {
                replacement += Array((" from " + PlainText.line(image)).utf8)
            }
        }
        return TextEdit(range: frame.place.lowerBound + start..<frame.place.upperBound, replacement: replacement)
    }

    /// A row's lines as one. (A prefix before the later ones stays in it, and spoils at most the
    /// library's name.)
    private static func joined(_ place: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        for index in 0..<place.count where place[index] != UInt8(ascii: "\r") {
            text.append(place[index] == UInt8(ascii: "\n") ? UInt8(ascii: " ") : place[index])
        }
        return text
    }
}
