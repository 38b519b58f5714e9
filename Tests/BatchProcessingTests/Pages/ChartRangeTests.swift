import Testing

@testable import BatchProcessing

/// Which period a chart shows.
struct ChartRangeTests {
    private static let hour: Int64 = 3_600_000_000_000
    private static let day = 24 * hour
    /// 2026-01-05 00:00:00 UTC (`date -u -d 2026-01-05 +%s`).
    private static let monday: Int64 = 1_767_571_200_000_000_000
    /// 2005-03-01 00:00:00 UTC (`date -u -d 2005-03-01 +%s`).
    private static let longAgo: Int64 = 1_109_635_200_000_000_000

    private func range(_ counts: [(Int64, Int)]) throws -> ChartRange {
        try #require(ChartRange(counts.map { (instant: $0.0, count: $0.1) }))
    }

    @Test func `one log of 2005 does not make the chart of a week one by years`() throws {
        let week = try range([(Self.longAgo, 1), (Self.monday, 60), (Self.monday + 6 * Self.day, 39)])
        #expect(week.first == Self.monday && week.last == Self.monday + 6 * Self.day)
        // Nine reports are too few to call one of them an outlier.
        let few = try range([(Self.longAgo, 1), (Self.monday, 8)])
        #expect(few.first == Self.longAgo)
    }

    @Test func `on each side at most three reports, and one of a hundred, are left out`() throws {
        let later = Self.monday + 3650 * Self.day
        let both = try range([(Self.longAgo, 3), (Self.monday, 300), (later, 3)])
        #expect(both.first == Self.monday && both.last == Self.monday)
        // 3 of 302 are 1 %; 3 of 203 are more.
        #expect(try range([(Self.longAgo, 3), (Self.monday, 200)]).first == Self.longAgo)
        #expect(try range([(Self.longAgo, 4), (Self.monday, 9000)]).first == Self.longAgo)
    }

    @Test func `a report is left out only for a finer chart of less than half the period`() throws {
        // 40 hours and 20 hours are both divided by hours.
        #expect(try range([(Self.monday, 1), (Self.monday + 25 * Self.hour, 98), (Self.monday + 40 * Self.hour, 1)]).first == Self.monday)
        // 70 days are divided by weeks, and 60 by days, but 60 are more than half of 70.
        #expect(try range([(Self.monday, 1), (Self.monday + 10 * Self.day, 98), (Self.monday + 70 * Self.day, 98)]).first == Self.monday)
    }

    @Test func `as few reports as possible are left out`() throws {
        // Without the report of 2005 the chart is by days, and it would not be finer without the
        // one of Saturday.
        let week = try range([(Self.longAgo, 1), (Self.monday, 398), (Self.monday + 5 * Self.day, 200), (Self.monday + 6 * Self.day, 1)])
        #expect(week.first == Self.monday && week.last == Self.monday + 6 * Self.day)
    }

    @Test func `reports outside of the period are counted, and those by their file's time apart`() throws {
        var hours = HourCounts(values: ["shop"])
        hours.add(1, of: "shop", at: Self.longAgo)
        hours.add(60, of: "shop", at: Self.monday)
        hours.add(40, of: nil, at: Self.monday + 6 * Self.day)
        hours.add(5, byFileAt: Self.monday + Self.day)
        hours.add(2, byFileAt: Self.monday + 300 * Self.day)
        let series = try #require(hours.divided(now: Self.monday + 7 * Self.day))
        #expect(series.earlier == 1 && series.later == 2 && series.leftOutByFile == 2)
        #expect(series.all.scale == .days && series.all.counts.reduce(0, +) == 105)
        let parts = series.parts()
        #expect(parts.map(\.name) == ["shop", "other, or unknown", "time of the file"])
        #expect(parts.map { $0.series.counts.reduce(0, +) } == [60, 40, 5])
        let values = TimeChart(series, links: [:], usesFileTimes: true).values(
            root: "../", otherwise: "all", sections: ["earlier": "list#s1"], undated: 9)
        let leftOut = try #require(values["leftOut"] as? [[String: Any]])
        // 9 have no timestamp, 5 + 2 of them have a file's time.
        #expect(leftOut.map { $0["text"] as? String } == ["1 earlier report", "2 later reports", "2 reports without a timestamp"])
        #expect(leftOut.map { $0["href"] as? String } == ["../list#s1", "../all", "../all"])
        #expect(values["figure"] as? String == "Reports by day (UTC). 5 reports without a timestamp are at the time of their file.")
    }

    @Test func `files set the period where most reports have no timestamp`() throws {
        var hours = HourCounts(values: [])
        hours.add(3, of: nil, at: Self.monday)
        hours.add(4, byFileAt: Self.monday + 3 * Self.day)
        let now = Self.monday + 100 * Self.day
        #expect(try #require(hours.divided(now: now)).later == 0)
        hours.add(1, of: nil, at: Self.monday)
        #expect(try #require(hours.divided(now: now)).later == 4)
        #expect(HourCounts(values: []).divided(now: now) == nil)
    }

    @Test func `the times of files that were written within an hour are those of a copy`() {
        #expect(!HourCounts.areInformative([6, 5], hasTimestamps: true))
        #expect(HourCounts.areInformative([5, 5], hasTimestamps: true))
        #expect(HourCounts.areInformative([9], hasTimestamps: true))
        #expect(HourCounts.areInformative([11], hasTimestamps: false))
        #expect(!HourCounts.areInformative([], hasTimestamps: false))
    }

    @Test func `a short chart goes on at both ends, but not after now`() {
        func labels(_ now: Int64) -> [String] {
            let series = TimeSeries(scale: .days, first: Self.monday, last: Self.monday, now: now)
            return [series.scale.label(series.first), series.scale.label(series.first + series.counts.count - 1)]
        }
        // 16 days: 8 before the one of the report and 7 after it.
        #expect(labels(Self.monday + 100 * Self.day) == ["2025-12-28", "2026-01-12"])
        #expect(labels(Self.monday + 2 * Self.day) == ["2025-12-23", "2026-01-07"])
        let long = TimeSeries(scale: .days, first: Self.monday, last: Self.monday + 20 * Self.day, now: .max)
        #expect(long.counts.count == 21)
    }
}
