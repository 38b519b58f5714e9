import Testing

struct OutOfStock: Error {}

@Suite(.serialized) struct CartTests {
    @Test func addsUp() { #expect(1 + 1 == 2) }

    @Test func totals() {
        #expect(2 + 2 == 5)  // fails: totals()
    }

    @Test func requires() throws {
        _ = try #require([Int]().first)  // fails: requires()
    }

    @Test func throwsError() throws {  // fails: throwsError()
        throw OutOfStock()
    }

    @Test func records() {
        Issue.record("no way on")  // fails: records()
    }

    @Test(arguments: [2, 3]) func isEven(weight: Int) {
        #expect(weight % 2 == 0)  // fails: isEven(weight:)
    }

    @Test func throwsNothing() {
        #expect(throws: OutOfStock.self) {}  // fails: throwsNothing()
    }

    @Test func zIndexes() {
        let items = [1]
        #expect(items[Int("7") ?? 7] == 1)  // fails: zIndexes()
    }
}
