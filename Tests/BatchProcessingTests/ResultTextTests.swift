import Testing

@testable import BatchProcessing

struct ResultTextTests {
    @Test func `values are told with their numbers, and how many more there are`() {
        let tallies = [Tally(value: "2.0", count: 3), Tally(value: nil, count: 1)]
        #expect(ResultText.tallies(tallies) == "2.0 (3), unknown (1)")
        #expect(ResultText.tallies(tallies, count: 6) == "2.0 (3), unknown (1), and 4 more")
    }

    @Test func `a long value is cut`() {
        let short = String(repeating: "v", count: 100)
        #expect(ResultText.tallies([Tally(value: short, count: 1)]) == short + " (1)")
        #expect(ResultText.tallies([Tally(value: short + "w", count: 1)]) == short + "… (1)")
    }
}
