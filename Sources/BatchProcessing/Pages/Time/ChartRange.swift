/// The period that a chart shows: that of all reports but a few far from the others.
///
/// One log of 2005 among the logs of this week would make a chart by years, with two columns. So on
/// each side at most 3 reports, and at most 1 % of all (1 of 10 to 199), are left out, if that
/// shortens the period to less than half and gives a finer division: 21 years to 7 days. As few as
/// possible are left out.
struct ChartRange: Sendable, Hashable {
    /// Nanoseconds since 1970 UTC.
    let first: Int64
    let last: Int64

    private static let fewest = 10
    private static let most = 3

    /// - Parameter counts: How many reports there are of each instant, the earliest first.
    /// - Returns: `nil` without a report.
    init?(_ counts: [(instant: Int64, count: Int)]) {
        guard let earliest = counts.first?.instant, let latest = counts.last?.instant else { return nil }
        let all = counts.reduce(0) { $0 + $1.count }
        let limit = all < Self.fewest ? 0 : min(Self.most, max(1, all / 100))
        let firsts = Self.ends(counts, limit)
        let lasts = Self.ends(counts.reversed(), limit)
        var range = (first: earliest, last: latest, leftOut: 0)
        // Each step leaves out as few reports as a finer chart needs.
        while true {
            var best: (first: Int64, last: Int64, leftOut: Int)?
            for first in firsts {
                for last in lasts where first.instant <= last.instant {
                    let next = (first: first.instant, last: last.instant, leftOut: first.leftOut + last.leftOut)
                    guard next.leftOut > range.leftOut, Self.isWorthwhile(next.first, next.last, range.first, range.last) else { continue }
                    guard let known = best else {
                        best = next
                        continue
                    }
                    if (next.leftOut, next.last - next.first) < (known.leftOut, known.last - known.first) { best = next }
                }
            }
            guard let best else { break }
            range = best
        }
        (first, last) = (range.first, range.last)
    }

    /// Instants at which the period may begin, each with the number of reports before it.
    private static func ends(_ counts: [(instant: Int64, count: Int)], _ limit: Int) -> [(instant: Int64, leftOut: Int)] {
        var ends: [(instant: Int64, leftOut: Int)] = []
        var leftOut = 0
        for (instant, count) in counts {
            guard leftOut <= limit else { break }
            ends.append((instant, leftOut))
            leftOut += count
        }
        return ends
    }

    private static func isWorthwhile(_ first: Int64, _ last: Int64, _ wholeFirst: Int64, _ wholeLast: Int64) -> Bool {
        (last - first) < (wholeLast - wholeFirst) / 2
            && TimeScale(first: first, last: last).rawValue < TimeScale(first: wholeFirst, last: wholeLast).rawValue
    }
}

/// Reports by hours, kept until it is known which period their chart shows.
struct HourCounts: Sendable {
    private struct Hour {
        var start: Int64
        /// Index into `values`; `nil`: another value, or none.
        var value: Int?
        /// `start` is the time of the reports' files.
        var isOfFile: Bool
        var count: Int
    }

    private let values: [String]
    private let numbers: [String: Int]
    private var hours: [Hour] = []

    /// Whether the times of files say when their reports were written. They do not if most of ten or
    /// more files were written within an hour: copies are. Without any timestamp there is nothing
    /// better.
    /// - Parameters:
    ///   - counts: Reports without a timestamp of each hour of their files' times.
    ///   - hasTimestamps: Other reports have a timestamp.
    static func areInformative(_ counts: [Int], hasTimestamps: Bool) -> Bool {
        let all = counts.reduce(0, +)
        return all > 0 && (!hasTimestamps || all < fewestCopies || (counts.max() ?? 0) * 2 <= all)
    }

    private static let fewestCopies = 10

    /// - Parameter values: Values that are counted by themselves; at most `TimeChart.limit` are.
    init(values: [String]) {
        self.values = Array(values.prefix(TimeChart.limit))
        numbers = Dictionary(self.values.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    /// - Parameter start: The hour's first instant. Hours are added in their order.
    mutating func add(_ count: Int, of value: String?, at start: Int64) {
        append(Hour(start: start, value: value.flatMap { numbers[$0] }, isOfFile: false, count: count))
    }

    /// Adds reports without a timestamp at the time of their file.
    mutating func add(_ count: Int, byFileAt start: Int64) {
        append(Hour(start: start, value: nil, isOfFile: true, count: count))
    }

    /// Other values of one hour are one entry, however many there are.
    private mutating func append(_ hour: Hour) {
        if let last = hours.last, last.start == hour.start, last.value == hour.value, last.isOfFile == hour.isOfFile {
            hours[hours.count - 1].count += hour.count
        } else {
            hours.append(hour)
        }
    }

    /// The counts in the columns of a chart; `nil` without a report.
    ///
    /// Files set the period only if more reports have no timestamp than have one: a file may have been
    /// written again later.
    /// - Parameter now: A chart does not go on after it: nanoseconds since 1970 UTC.
    func divided(now: Int64) -> DividedSeries? {
        let dated = hours.reduce(0) { $0 + ($1.isOfFile ? 0 : $1.count) }
        let byFile = hours.reduce(0) { $0 + ($1.isOfFile ? $1.count : 0) }
        let counts = hours.filter { dated < byFile || !$0.isOfFile }.map { (instant: $0.start, count: $0.count) }
            .sorted { $0.instant < $1.instant }
        guard let range = ChartRange(counts) else { return nil }
        let empty = TimeSeries(
            scale: TimeScale(first: range.first, last: range.last), first: range.first, last: range.last, now: now)
        var series = DividedSeries(empty, values: values)
        for hour in hours {
            if hour.isOfFile {
                series.add(hour.count, byFileAt: hour.start)
            } else {
                series.add(hour.count, of: hour.value.map { values[$0] }, at: hour.start)
            }
        }
        return series
    }
}
