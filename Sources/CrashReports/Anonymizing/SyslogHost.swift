internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// The machine's name in a line of the system's log: after the date, before the program.
enum SyslogHost {
    /// `Sep 21 16:36:22 host kernel: …`, `2026-05-01T12:00:00.123456+02:00 host program[1]: …`.
    static func range(in log: Span<UInt8>, at lineStart: Int) -> Range<Int>? {
        let line = log.from(lineStart).upTo(256)
        guard let date = dateLength(line) else { return nil }
        let start = lineStart + date
        var end = start
        while let byte = log.at(end), isWordByte(byte) { end += 1 }
        guard end > start, end - start <= 128, log.at(end) == UInt8(ascii: " "), !UserFolder.isNobody(log.clamped(to: start..<end)) else {
            return nil
        }
        // The program's name, and its number or a colon.
        var position = end + 1
        while let byte = log.at(position), isWordByte(byte) || byte == UInt8(ascii: "/") { position += 1 }
        guard position > end + 1, log.at(position) == UInt8(ascii: ":") || log.at(position) == UInt8(ascii: "[") else { return nil }
        return start..<end
    }

    private static func dateLength(_ line: Span<UInt8>) -> Int? {
        if line.count >= 16, hasShape(line, "AAA dd dd:dd:dd ") { return 16 }
        guard line.count >= 20, hasShape(line, "dddd-dd-ddTdd:dd:dd") else { return nil }
        guard let blank = line.upTo(40).firstIndex(of: UInt8(ascii: " "), from: 19) else { return nil }
        return blank + 1
    }

    /// `A` is a letter, `d` a digit or a blank before one, everything else itself.
    private static func hasShape(_ line: Span<UInt8>, _ shape: String) -> Bool {
        var index = 0
        for wanted in shape.utf8 {
            let byte = line[index]
            switch wanted {
            case UInt8(ascii: "A"): guard byte | 0x20 >= UInt8(ascii: "a"), byte | 0x20 <= UInt8(ascii: "z") else { return false }
            case UInt8(ascii: "d"): guard isDigit(byte) || byte == UInt8(ascii: " ") else { return false }
            default: guard byte == wanted else { return false }
            }
            index += 1
        }
        return true
    }
}
