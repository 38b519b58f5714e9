internal import BinaryPrimitives

/// Completes a JSON document that was cut off, or shortened in its middle: the values that were
/// complete before that position stay.
///
/// Closing brackets are put after the last value that is whole. If an object holds only texts and
/// numbers so far (a frame, an image), the missing part is unknown, and the object is left out. One
/// with an array or object inside (a thread with frames) keeps its complete members.
package struct JSONRepair {
    /// The document up to the last whole value, and the closing brackets.
    package private(set) var bytes: [UInt8]
    /// End of the last whole value.
    package private(set) var end: Int

    private struct Container {
        var start: Int
        var isObject: Bool
        /// The end of the last whole value in it.
        var end: Int
        var holdsContainers = false
    }

    /// - Parameter document: the document up to the end of its valid part.
    /// - Returns: `nil` if no object or array was open, or nothing in it was whole.
    package init?(_ document: Span<UInt8>) {
        var open: [Container] = []
        var index = 0
        // A member's key is not a value.
        var isValue = false
        func note(_ end: Int) {
            if let last = open.indices.last, !open[last].isObject || isValue { open[last].end = end }
            isValue = false
        }
        while index < document.count {
            switch document[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard open.count < Limits.standard.jsonDepth else { return nil }
                open.append(Container(start: index, isObject: document[index] == UInt8(ascii: "{"), end: index + 1))
                isValue = false
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard open.popLast() != nil else { return nil }
                index += 1
                if let last = open.indices.last {
                    open[last].end = index
                    open[last].holdsContainers = true
                }
                isValue = false
            case UInt8(ascii: "\""):
                guard let end = JSONRepair.stringEnd(in: document, from: index) else {
                    index = document.count
                    break
                }
                index = end
                note(end)
            case UInt8(ascii: ":"):
                isValue = true
                index += 1
            case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): index += 1
            default:
                var end = index
                while let byte = document.at(end), !isOne(byte, of: ",]} \t\r\n") { end += 1 }
                // At the end of the document, digits may be missing.
                if end < document.count { note(end) }
                index = max(end, index + 1)
            }
        }
        while open.count > 1, open[open.count - 1].holdsContainers == false { open.removeLast() }
        guard let last = open.last, last.end > last.start + 1 else { return nil }
        end = last.end
        bytes = document.upTo(last.end).copied() + open.reversed().map { $0.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }
    }

    /// The index after a string's closing quote.
    private static func stringEnd(in document: Span<UInt8>, from start: Int) -> Int? {
        var index = start + 1
        while let mark = document.firstQuoteOrBackslash(from: index) {
            if document[mark] == UInt8(ascii: "\"") { return mark + 1 }
            index = mark + 2
        }
        return nil
    }
}
