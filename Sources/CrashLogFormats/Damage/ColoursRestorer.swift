import BinaryPrimitives
internal import CrashLogModel

/// Removes a terminal's commands from a text: colours and cursor positions (ECMA-48, section 5.4),
/// `ESC [ 31 m`.
package struct ColoursRestorer: Restorer {
    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        var index = 0
        while let mark = line.firstIndex(of: ColoursRestorer.escape, from: index) {
            text.copy(line.clamped(to: index..<mark), at: start + index)
            index = ColoursRestorer.end(in: line, at: mark) ?? mark + 1
        }
        text.copy(line.from(index), at: start + index)
        return line.count
    }

    package static let escape: UInt8 = 0x1B

    /// After a control sequence.
    package static func end(in line: Span<UInt8>, at start: Int) -> Int? {
        guard line.at(start + 1) == UInt8(ascii: "[") else { return nil }
        var index = start + 2
        while let byte = line.at(index), (0x20...0x3F).contains(byte), index - start < 32 { index += 1 }
        guard let last = line.at(index), (0x40...0x7E).contains(last) else { return nil }
        return index + 1
    }
}
