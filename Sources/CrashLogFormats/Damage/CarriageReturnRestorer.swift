import BinaryPrimitives
internal import CrashLogModel

/// Restores text whose lines end with CR alone.
package struct CarriageReturnRestorer: Restorer {
    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        var index = 0
        while let mark = line.firstIndex(of: UInt8(ascii: "\r"), from: index) {
            text.copy(line.clamped(to: index..<mark), at: start + index)
            text.write(UInt8(ascii: "\n"), for: start + mark..<start + mark + 1)
            index = mark + 1
        }
        text.copy(line.from(index), at: start + index)
        return line.count
    }

    /// Whether a line has two of them in it.
    package static func ends(_ line: Span<UInt8>) -> Bool {
        let text = line.upTo(line.lengthWithoutEnding)
        guard let first = text.firstIndex(of: UInt8(ascii: "\r")) else { return false }
        return text.firstIndex(of: UInt8(ascii: "\r"), from: first + 1) != nil
    }
}
