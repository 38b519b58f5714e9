import Testing

@testable import Console

/// Names that somebody meant.
struct SimilarNamesTests {
    /// By hand: the fewest insertions, omissions, changes and exchanges of neighbours.
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("kitten", "sitting", 3), ("explian", "explain", 1),
        ("tpo", "top", 1),
        ("jsn", "json", 1), ("ca", "abc", 3),
    ])
    func `the distance is that of optimal string alignment`(left: String, right: String, distance: Int) {
        #expect(SimilarNames.distance(Array(left.utf8), Array(right.utf8)) == distance)
        #expect(SimilarNames.distance(Array(right.utf8), Array(left.utf8)) == distance)
    }

    @Test func `a part of a name comes before similar names`() {
        let names = ["sanitizer-asan", "sanitizer-hwasan", "sanitizer-tsan", "sample", "ash"]
        #expect(SimilarNames.matches(for: "asan", among: names) == ["sanitizer-asan"])
        #expect(SimilarNames.matches(for: "ASAN", among: names) == ["sanitizer-asan"])
        // Too many similar names: none is suggested.
        #expect(SimilarNames.matches(for: "sanitizer", among: names + ["sanitizer-msan"]) == [])
        #expect(SimilarNames.matches(for: "smaple", among: names) == ["sample"])
        #expect(SimilarNames.matches(for: "crash", among: names) == [])
        #expect(SimilarNames.matches(for: String(repeating: "a", count: 100), among: [String(repeating: "a", count: 101)]) == [])
    }

    @Test func `the question names them all`() {
        #expect(SimilarNames.suggestion(for: "jso", among: ["json", "text"]) == " Did you mean json?")
        #expect(SimilarNames.suggestion(for: "ca", among: ["cat", "car", "cab"]) { "\($0)!" } == " Did you mean cat!, car! or cab!?")
        #expect(SimilarNames.suggestion(for: "text", among: ["json"]) == "")
    }
}
