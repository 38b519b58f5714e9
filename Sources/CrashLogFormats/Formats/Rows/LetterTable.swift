internal import BinaryPrimitives

/// Finds which of its texts another text begins with, by the first letter. Texts have their numbers in the list.
///
/// It is not generic: this target is compiled file by file, and a type that is not known there costs a search at each use.
struct LetterTable: Sendable {
    private struct Entry: Sendable {
        var text: Range<Int>
        var number: Int
    }

    /// A text that was found.
    struct Match {
        fileprivate var index: Int
        /// The text's number.
        var number: Int
        /// Its length in bytes.
        var length: Int
    }

    private var bytes: [UInt8] = []
    /// Entries by first letter, regardless of case, and of one letter in the order of the list.
    private var entries: [Entry] = []
    /// Index of each letter's first entry, and the end of the last one's.
    private var starts: [Int] = []

    /// - Parameter texts: each begins with a letter. If several match, they are found in this order.
    init(_ texts: [String]) {
        for letter in 0..<26 {
            starts.append(entries.count)
            for (number, text) in texts.enumerated() where text.utf8.first.flatMap(Self.letter) == letter {
                let start = bytes.count
                bytes += Array(text.utf8)
                entries.append(Entry(text: start..<bytes.count, number: number))
            }
        }
        starts.append(entries.count)
    }

    private static func letter(_ byte: UInt8) -> Int? {
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return letter < 26 ? Int(letter) : nil
    }

    /// The first of the texts that `text` begins with.
    func first(for text: Span<UInt8>) -> Match? {
        guard let letter = text.at(0).flatMap(Self.letter) else { return nil }
        return find(text, starts[letter]..<starts[letter + 1])
    }

    /// The next of the texts that `text` begins with.
    func next(after match: Match, for text: Span<UInt8>) -> Match? {
        guard let letter = text.at(0).flatMap(Self.letter) else { return nil }
        return find(text, match.index + 1..<starts[letter + 1])
    }

    private func find(_ text: Span<UInt8>, _ range: Range<Int>) -> Match? {
        let (bytes, entries) = (bytes.span, entries.span)
        for index in range {
            let own = entries[index].text
            guard own.count <= text.count else { continue }
            var length = 0
            while length < own.count, text[length] == bytes[own.lowerBound + length] { length += 1 }
            if length == own.count { return Match(index: index, number: entries[index].number, length: length) }
        }
        return nil
    }
}
