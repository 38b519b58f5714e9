import BinaryPrimitives
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel

/// `OpeningPairs` may find too many cards for a line, but never too few.
@Suite struct OpeningPairsTests {
    private func cards(in line: String) -> [String] {
        let bytes = Array(line.utf8)
        let found = OpeningPairs(StackCards.all).cards(in: bytes.span, bytes.span.trimmed())
        return StackCards.all.indices.filter { found & 1 << $0 != 0 }.map { StackCards.all[$0].name }
    }

    @Test func `each opening's line names its card, with and without blanks before it`() {
        for card in StackCards.all {
            for opening in card.openings {
                #expect(cards(in: opening.text).contains(card.name), "\(opening.text)")
                #expect(cards(in: "    " + opening.text + " x").contains(card.name), "\(opening.text)")
            }
        }
    }

    @Test func `most rows name no card`() {
        #expect(cards(in: "./harbour(+0x11f0)[0x5605e08941f0]").isEmpty)
        #expect(cards(in: " [<ffffffff8119e1c7>] ? do_sys_open+0x117/0x290").isEmpty)
        #expect(cards(in: "").isEmpty)
    }

    /// A set of cards is a single number, with a bit for each card.
    @Test func `there are no more cards than bits`() { #expect(StackCards.all.count <= OpeningPairs.Cards.bitWidth) }
}
