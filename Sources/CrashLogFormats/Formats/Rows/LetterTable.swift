internal import BinaryPrimitives

/// Finds which of its texts another text begins with, by the first letter. Each text has a value.
struct LetterTable<Value: BitwiseCopyable & Sendable>: Sendable {
    private struct Entry: Sendable {
        var text: Range<Int>
        var value: Value
    }

    /// A text that was found.
    struct Match {
        fileprivate var letter: Int
        fileprivate var index: Int
    }

    private var bytes: [UInt8] = []
    /// Entries by first letter, regardless of case, in the order of the list.
    private var entries = [[Entry]](repeating: [], count: 26)

    /// - Parameter texts: each begins with a letter. If several match, they are found in this order.
    init(_ texts: [(text: String, value: Value)]) {
        for (text, value) in texts {
            guard let letter = text.utf8.first.flatMap(Self.letter) else { continue }
            let start = bytes.count
            bytes += Array(text.utf8)
            entries[letter].append(Entry(text: start..<bytes.count, value: value))
        }
    }

    private static func letter(_ byte: UInt8) -> Int? {
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return letter < 26 ? Int(letter) : nil
    }

    /// The first of the texts that `text` begins with.
    func first(for text: Span<UInt8>) -> Match? {
        guard let letter = text.at(0).flatMap(Self.letter) else { return nil }
        return find(text, letter, from: 0)
    }

    /// The next of the texts that `text` begins with.
    func next(after match: Match, for text: Span<UInt8>) -> Match? { find(text, match.letter, from: match.index + 1) }

    /// Length of the found text in bytes, and its value.
    subscript(_ match: Match) -> (length: Int, value: Value) {
        let entry = entries[match.letter][match.index]
        return (entry.text.count, entry.value)
    }

    private func find(_ text: Span<UInt8>, _ letter: Int, from first: Int) -> Match? {
        let (allBytes, letterEntries) = (bytes, entries[letter])
        let bytes = allBytes.span
        let entries = letterEntries.span
        var index = first
        while index < entries.count {
            let range = entries[index].text
            if range.count <= text.count {
                var length = 0
                while length < range.count, text[length] == bytes[range.lowerBound + length] { length += 1 }
                if length == range.count { return Match(letter: letter, index: index) }
            }
            index += 1
        }
        return nil
    }
}
