import BinaryPrimitives
import Testing

/// Compares the functions with the standard library's, for text without marks that change the
/// character before them.
struct PlainStringsTests {
    private static let texts = ["", "a", "b", "ab", "ba", "aab", "abab", "größe", "ö", "/maps", "x/map", "🪨", "a🪨b", "\u{0}a"]

    @Test func `a text is in another where its bytes are`() {
        for text in Self.texts {
            for wanted in Self.texts {
                let (bytes, other) = (Array(text.utf8), Array(wanted.utf8))
                let starts = bytes.count >= other.count ? Array(0...bytes.count - other.count) : []
                let isThere = starts.contains { Array(bytes[$0..<$0 + other.count]) == other }
                #expect(text.contains(wanted) == isThere, "\(wanted) in \(text)")
            }
        }
    }

    /// From 256 bytes on another search is used.
    @Test func `so it is in a long text`() {
        for length in [254, 255, 256, 257, 1000] {
            let text = String(repeating: "ab", count: length / 2)
            #expect((text + "c").contains("abc") && ("c" + text).contains("cab") && !text.contains("aa"))
        }
    }

    @Test func `texts are joined in their order, with what is between two of them`() {
        #expect([String]().joined(separator: ", ") == "")
        #expect(["a"].joined(separator: ", ") == "a")
        #expect(["a", "", "c"].joined(separator: ", ") == "a, , c")
        #expect(["a", "b"].joined() == "ab")
    }
}
