internal import BinaryPrimitives

/// Maps positions in a restored text to positions in the text that was damaged.
///
/// The text is made of parts in order. A part was copied byte for byte, or represents its damaged
/// bytes as a whole (`&lt;` and `<`, CR and LF). Damaged bytes between two parts were left out (a
/// tag, an indentation).
package struct TextMap: Sendable {
    package struct Part: Sendable {
        /// Range in the restored text.
        package var text: Range<Int>
        /// Range in the damaged text.
        package var raw: Range<Int>
        package var isCopied: Bool
    }

    package private(set) var parts: [Part] = []

    /// The end of the restored text.
    package private(set) var end = 0

    package init() {}

    /// Adds the next bytes of the restored text.
    package mutating func append(_ count: Int, for raw: Range<Int>, isCopied: Bool) {
        guard count > 0 else { return }
        let start = end
        end += count
        if let last = parts.last, last.isCopied, isCopied, last.raw.upperBound == raw.lowerBound {
            parts[parts.count - 1] = Part(
                text: last.text.lowerBound..<end, raw: last.raw.lowerBound..<raw.upperBound, isCopied: true)
        } else {
            parts.append(Part(text: start..<end, raw: raw, isCopied: isCopied))
        }
    }

    /// Nothing but copied bytes that follow one another: the text was not damaged.
    package func isPlain(in range: Range<Int>) -> Bool {
        guard let first = index(at: range.lowerBound) else { return true }
        return parts[first].isCopied && parts[first].text.upperBound >= range.upperBound
    }

    /// The part that holds a byte of the restored text.
    private func index(at text: Int) -> Int? {
        let index = parts.partitionPoint { $0.text.upperBound > text }
        return index < parts.count && parts[index].text.lowerBound <= text ? index : nil
    }

    /// Start of the damaged bytes of one restored byte; the end of all of them if there is no such
    /// byte.
    package func rawStart(_ text: Int) -> Int {
        guard let index = index(at: text) else { return text < 0 ? parts.first?.raw.lowerBound ?? 0 : parts.last?.raw.upperBound ?? 0 }
        let part = parts[index]
        return part.isCopied ? part.raw.lowerBound + text - part.text.lowerBound : part.raw.lowerBound
    }

    /// End of the damaged bytes of one restored byte.
    package func rawEnd(_ text: Int) -> Int {
        guard let index = index(at: text) else { return text < 0 ? parts.first?.raw.lowerBound ?? 0 : parts.last?.raw.upperBound ?? 0 }
        let part = parts[index]
        return part.isCopied ? part.raw.lowerBound + text - part.text.lowerBound + 1 : part.raw.upperBound
    }

    /// Range of the damaged bytes of a piece of the restored text. Bytes that were left out at its
    /// ends are not included.
    package func raw(_ text: Range<Int>) -> Range<Int> {
        guard !text.isEmpty else {
            let position = text.lowerBound > 0 ? rawEnd(text.lowerBound - 1) : rawStart(text.lowerBound)
            return position..<position
        }
        let start = rawStart(text.lowerBound)
        return start..<max(start, rawEnd(text.upperBound - 1))
    }

    /// Range of the restored text that has these damaged bytes; the inverse of `raw`.
    package func text(_ raw: Range<Int>) -> Range<Int> {
        let first = parts.partitionPoint { $0.raw.upperBound > raw.lowerBound }
        guard first < parts.count else { return end..<end }
        let part = parts[first]
        let start = part.isCopied ? part.text.lowerBound + max(0, raw.lowerBound - part.raw.lowerBound) : part.text.lowerBound
        // The last part that begins before the end.
        let last = parts.partitionPoint { $0.raw.lowerBound >= raw.upperBound } - 1
        guard last >= first else { return start..<start }
        let end = parts[last]
        let upper = end.isCopied ? min(end.text.upperBound, end.text.lowerBound + raw.upperBound - end.raw.lowerBound) : end.text.upperBound
        return start..<max(start, upper)
    }

    /// The map of a piece, whose text counts from its own first byte.
    package func piece(_ range: Range<Int>) -> TextMap {
        var map = TextMap()
        var index = parts.partitionPoint { $0.text.upperBound > range.lowerBound }
        while index < parts.count, parts[index].text.lowerBound < range.upperBound {
            let part = parts[index]
            let text = part.text.clamped(to: range)
            let raw =
                part.isCopied
                ? part.raw.lowerBound + text.lowerBound - part.text.lowerBound..<part.raw.upperBound
                    - (part.text.upperBound - text.upperBound)
                : part.raw
            map.append(text.count, for: raw, isCopied: part.isCopied)
            index += 1
        }
        return map
    }

    /// Returns the map with the damaged text moved.
    package func moved(by distance: Int) -> TextMap {
        var moved = self
        for index in moved.parts.indices {
            let raw = parts[index].raw
            moved.parts[index].raw = raw.lowerBound + distance..<raw.upperBound + distance
        }
        return moved
    }

    /// Removes the parts before a byte of the restored text.
    package mutating func drop(before text: Int) {
        let count = parts.partitionPoint { $0.text.upperBound > text }
        // Each part is moved once on average.
        if count > parts.count / 2 { parts.removeFirst(count) }
    }
}
