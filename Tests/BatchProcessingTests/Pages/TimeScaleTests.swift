import Testing

@testable import BatchProcessing

struct TimeScaleTests {
    private static let day: Int64 = 86_400_000_000_000
    /// 2026-01-05 00:00:00 UTC, a Monday (`date -u -d 2026-01-05 +%s`).
    private static let monday: Int64 = 1_767_571_200_000_000_000

    @Test func `a period is divided so that a chart has at most sixty-two columns`() {
        func scale(_ days: Int64, hours: Int64 = 0) -> TimeScale {
            TimeScale(first: Self.monday, last: Self.monday + days * Self.day + hours * Self.day / 24)
        }
        #expect(scale(0) == .hours)
        // 61 hours later is the 62nd hour, 62 hours later the 63rd.
        #expect(scale(0, hours: 61) == .hours)
        #expect(scale(0, hours: 62) == .days)
        #expect(scale(61) == .days)
        #expect(scale(62) == .weeks)
        // 62 weeks are 434 days.
        #expect(scale(433) == .weeks)
        #expect(scale(434) == .months)
        // 62 months after January 2026 is March 2031, which begins 1,881 days after the 5th of
        // January 2026.
        #expect(scale(1_880) == .months)
        #expect(scale(1_881) == .years)
    }

    @Test(arguments: [
        (TimeScale.hours, "2026-01-05 00:00"), (.days, "2026-01-05"), (.weeks, "week of 2026-01-05"), (.months, "2026-01"),
        (.years, "2026"),
    ])
    func `pieces have names`(_ scale: TimeScale, _ label: String) {
        #expect(scale.label(scale.piece(of: Self.monday)) == label)
        #expect(scale.piece(of: Self.monday - 1) == scale.piece(of: Self.monday) - (scale == .months || scale == .years ? 0 : 1))
    }

    @Test func `times before 1970 belong to the pieces that they lie in`() {
        #expect(TimeScale.days.label(TimeScale.days.piece(of: -1)) == "1969-12-31")
        #expect(TimeScale.hours.label(TimeScale.hours.piece(of: -1)) == "1969-12-31 23:00")
        // The Monday before New Year's Eve of 1969, a Wednesday.
        #expect(TimeScale.weeks.label(TimeScale.weeks.piece(of: -1)) == "week of 1969-12-29")
        #expect(TimeScale.months.label(TimeScale.months.piece(of: -1)) == "1969-12")
    }

    @Test func `a series leaves no piece out`() {
        var series = TimeSeries(scale: .days, first: Self.monday, last: Self.monday + 3 * Self.day)
        series.add(2, at: Self.monday + Self.day - 1)
        series.add(5, at: Self.monday + 3 * Self.day)
        series.add(1, at: Self.monday + 4 * Self.day)
        series.add(1, at: Self.monday - 1)
        #expect(series.counts == [2, 0, 0, 5])
        #expect(series.largest == 5)
        #expect(CountColumns(series.counts) == CountColumns([2, 0, 0, 5]))
    }

    @Test func `columns are as high as their counts`() {
        let columns = CountColumns([2, 0, 1000, 500])
        #expect(columns.width == 40)
        // 500 of 1,000 is half of 100 units; 2 of them would be a fifth of a unit, and cannot be
        // seen.
        #expect(columns.bars.map(\.height) == [4, 100, 50])
        #expect(columns.bars.map(\.y) == [96, 0, 50])
        #expect(columns.bars.map(\.x) == [0, 20, 30])
    }
}
