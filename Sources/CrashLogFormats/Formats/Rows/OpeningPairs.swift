internal import BinaryPrimitives
internal import CrashLogModel

/// Finds the cards that a line may open, in one pass over its bytes. Every line of a stack is tested against all cards,
/// and hardly any line opens one.
///
/// `* thread #` opens lldb's traces, and is found by the first byte of the line, `*`. ` stack frames.` may be anywhere
/// in a line of Unity's, and is found by its rarest pair of neighboring bytes.
struct OpeningPairs: Sendable {
    /// A set of cards: one bit for each, in the order of the list.
    typealias Cards = UInt128

    /// Cards whose opening begins a line, by the first byte of the opening.
    private var starts = [Cards](repeating: 0, count: 256)
    /// One bit for each pair of bytes, so that the loop reads 8 KB instead of a dictionary.
    private var hasPair = [UInt64](repeating: 0, count: 1024)
    private var pairs: [Int: Cards] = [:]

    /// - Parameter cards: at most 128.
    init(_ cards: [StackCard]) {
        for (index, card) in cards.enumerated() {
            for opening in card.openings {
                let text = Array(opening.text.utf8)
                if case .start = opening.position, let first = text.first {
                    starts[Int(first)] |= 1 << index
                } else if let pair = Self.rarestPair(of: text) {
                    hasPair[pair / 64] |= 1 << (pair % 64)
                    pairs[pair, default: 0] |= 1 << index
                }
            }
        }
    }

    /// - Parameter text: the line without blanks at both ends.
    func cards(in line: Span<UInt8>, _ text: Span<UInt8>) -> Cards {
        guard !text.isEmpty else { return 0 }
        var found = starts[Int(text[0])]
        let hasPair = hasPair.span
        var pair = Int(line[0])
        for index in 1..<line.count {
            pair = (pair & 0xff) << 8 | Int(line[index])
            if hasPair[pair / 64] & 1 << (pair % 64) != 0 { found |= pairs[pair] ?? 0 }
        }
        return found
    }

    private static func rarestPair(of text: [UInt8]) -> Int? {
        let pairs = zip(text, text.dropFirst()).map { (Int($0) << 8 | Int($1), rarity($0) + rarity($1)) }
        return pairs.max { $0.1 < $1.1 }?.0
    }

    /// Rarity of a byte in the rows of a stack, which are addresses, names and blanks.
    private static func rarity(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "0"), UInt8(ascii: "x"): 0
        case _ where isOne(byte, of: "etaoinsrlum:()"): 1
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): 2
        default: 3
        }
    }
}
