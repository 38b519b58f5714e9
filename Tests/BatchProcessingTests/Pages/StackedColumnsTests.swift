import Testing

@testable import BatchProcessing

struct StackedColumnsTests {
    @Test func `one kind begins where the other ends, and the first on the axis`() {
        let columns = StackedColumns([[5, 0, 10], [5, 0, 0], [0, 0, 10]])
        // 20 reports at most, so the axis ends at 20.
        #expect(columns.top == 20 && columns.width == 30 && columns.bars.map(\.index) == [0, 2] && columns.bars.map(\.x) == [0, 20])
        #expect(columns.bars[0].parts == [.init(series: 0, y: 750, height: 250), .init(series: 1, y: 500, height: 250)])
        #expect(columns.bars[1].parts == [.init(series: 0, y: 500, height: 500), .init(series: 2, y: 0, height: 500)])
    }

    @Test func `the axis ends at a round number whose half is whole`() {
        let counts = [
            (0, 2), (1, 2), (2, 2), (3, 4), (9, 10), (10, 10), (11, 20), (21, 30), (99, 100), (101, 200), (246, 300), (60_001, 80_000),
        ]
        for (count, top) in counts { #expect(StackedColumns.roundUp(count) == top, "\(count)") }
        #expect(StackedColumns.roundUp(.max) >= .max / 2)
    }

    @Test func `what is small can be seen`() {
        let columns = StackedColumns([[9999], [1]])
        #expect(columns.bars[0].parts.allSatisfy { $0.height >= 8 && $0.y >= 0 && $0.y + $0.height <= 1000 })
        #expect(StackedColumns([]).bars.isEmpty && StackedColumns([[0, 0]]).bars.isEmpty)
    }

    /// Seven values: five have parts of their own, the others and counts without a value are one
    /// part.
    @Test func `a series is divided by its largest values`() {
        let hour: Int64 = 3_600_000_000_000
        var series = DividedSeries(TimeSeries(scale: .hours, first: 0, last: 2 * hour), values: ["a", "b", "c", "d", "e", "f", "g"])
        for (number, value) in ["a", "b", "c", "d", "e", "f", nil].enumerated() { series.add(number + 1, of: value, at: hour) }
        #expect(series.all.counts == [0, 28, 0])
        let parts = series.parts()
        #expect(parts.map(\.name) == ["a", "b", "c", "d", "e", "other, or unknown"])
        #expect(parts.map(\.series.counts) == [[0, 1, 0], [0, 2, 0], [0, 3, 0], [0, 4, 0], [0, 5, 0], [0, 13, 0]])
        // One value divides nothing.
        #expect(DividedSeries(TimeSeries(scale: .hours, first: 0, last: hour), values: ["a"]).parts().isEmpty)
    }

    @Test func `each page is a few clicks away`() throws {
        func shown(_ page: Int, of pages: Int) throws -> [String] {
            try #require(ListPages.pager(page, of: pages) { "\($0)" }["links"] as? [[String: Any]]).compactMap { $0["text"] as? String }
        }
        #expect(try shown(2, of: 3) == ["1", "page 2", "3"])
        #expect(try shown(33, of: 57) == ["1", "10", "20", "30", "32", "page 33", "34", "40", "50", "57"])
        #expect(try shown(1, of: 1000) == ["page 1", "2", "100", "200", "300", "400", "500", "600", "700", "800", "900", "1000"])
    }
}
