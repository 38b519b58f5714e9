import BinaryPrimitives
internal import CrashLogModel

/// Restores a cell of a table in text (RFC 4180) up to its closing quote: `""` is a quote.
package struct TableCellRestorer: Restorer {
    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        var index = 0
        while let mark = line.firstIndex(of: UInt8(ascii: "\""), from: index) {
            text.copy(line.clamped(to: index..<mark), at: start + index)
            guard line.at(mark + 1) == UInt8(ascii: "\"") else { return mark }
            text.write(UInt8(ascii: "\""), for: start + mark..<start + mark + 2)
            index = mark + 2
        }
        text.copy(line.from(index), at: start + index)
        return line.count
    }
}
