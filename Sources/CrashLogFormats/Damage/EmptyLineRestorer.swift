import BinaryPrimitives
internal import CrashLogModel

/// Restores text with an empty line after each line, as mailers make a paragraph of each line: of
/// two empty lines, one was there before.
package struct EmptyLineRestorer: Restorer {
    private var expectsEmpty = false

    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        if expectsEmpty, line.isBlankLine {
            expectsEmpty = false
            return line.count
        }
        text.copy(line, at: start)
        expectsEmpty = true
        return line.count
    }
}
