internal import BinaryPrimitives

/// Finds the end of a JSON document, byte by byte and without parsing it, so that one can be cut
/// out of a log or a live stream.
///
/// Only braces, brackets and strings are looked at. Some logs are several values after one another
/// (an `.ips` is a header object and a report object): the extent ends with the last of `values`,
/// or before the first thing after a value that is not `{`.
package struct JSONExtent: Sendable {
    private var valuesLeft: Int
    private var depth = 0
    /// The first value may be an array.
    private var isFirst = true
    /// The last byte that was looked at is inside a string.
    package private(set) var isInString = false
    private var isEscaped = false

    package init(values: Int) { valuesLeft = max(1, values) }

    /// Every expected value has ended.
    package var isComplete: Bool { valuesLeft == 0 && depth == 0 }

    /// Expects `count` values more than so far.
    package mutating func expect(_ count: Int) { valuesLeft += max(0, count) }

    /// - Returns: number of `bytes` that were looked at; `isComplete` is true if the document ends
    ///   there. The byte that shows that no further value follows is not counted.
    package mutating func advance(over bytes: Span<UInt8>) -> (count: Int, isComplete: Bool) {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else {
                    // Most of a document is strings.
                    guard let mark = bytes.firstQuoteOrBackslash(from: index) else { return (bytes.count, false) }
                    index = mark
                    if bytes[mark] == UInt8(ascii: "\"") { isInString = false } else { isEscaped = true }
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""):
                    if depth == 0 { return end(at: index) }
                    isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    if depth == 0, byte != UInt8(ascii: "{"), !isFirst { return end(at: index) }
                    isFirst = false
                    depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return end(at: index) }
                    depth -= 1
                    if depth == 0 {
                        valuesLeft -= 1
                        if valuesLeft == 0 { return (index + 1, true) }
                    }
                case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                    break
                default:
                    if depth == 0 { return end(at: index) }
                }
            }
            index += 1
        }
        return (index, false)
    }

    /// The bytes at `index` are not a further value.
    private mutating func end(at index: Int) -> (count: Int, isComplete: Bool) {
        valuesLeft = 0
        return (index, true)
    }
}
