internal import CrashLogModel

/// The pieces of time that reports are counted by: so long that a chart has a few dozen of them.
/// All of them begin by UTC, so that every reader sees the same chart.
enum TimeScale: Int, Sendable, Hashable, CaseIterable {
    case hours, days, weeks, months, years

    /// Pieces of a chart. More would be thinner than a finger, or a mouse pointer.
    static let limit = 62

    private static let nanosecondsOfDay: Int64 = 86_400_000_000_000

    /// The finest that divides a period into few enough pieces; years where even months are too
    /// many.
    init(first: Int64, last: Int64) {
        self = Self.allCases.first { $0.piece(of: last) - $0.piece(of: first) < Self.limit } ?? .years
    }

    /// Which piece an instant is in.
    /// - Parameter instant: nanoseconds since 1970 UTC.
    func piece(of instant: Int64) -> Int {
        let day = Self.floor(instant, Self.nanosecondsOfDay)
        switch self {
        case .hours: return Self.floor(instant, Self.nanosecondsOfDay / 24)
        case .days: return day
        // 1970-01-01 was a Thursday; weeks begin on Monday (ISO 8601).
        case .weeks: return Self.floor(Int64(day) + 3, 7)
        case .months:
            let (year, month) = Self.month(day)
            return year * 12 + month - 1
        case .years: return Self.month(day).year
        }
    }

    /// A piece in words: `2026-01-05 13:00`, `2026-01-05`, `week of 2026-01-05`, `2026-01`, `2026`.
    func label(_ piece: Int) -> String {
        switch self {
        case .hours:
            let day = Self.floor(Int64(piece), 24)
            let hour = piece - day * 24
            return PageText.date(day) + (hour < 10 ? " 0" : " ") + "\(hour):00"
        case .days: return PageText.date(piece)
        case .weeks: return "week of " + PageText.date(piece * 7 - 3)
        case .months:
            let month = piece % 12 + 1
            return "\(piece / 12)-" + (month < 10 ? "0" : "") + "\(month)"
        case .years: return "\(piece)"
        }
    }

    /// Name of one piece.
    var word: String {
        switch self {
        case .hours: "hour"
        case .days: "day"
        case .weeks: "week"
        case .months: "month"
        case .years: "year"
        }
    }

    private static func month(_ day: Int) -> (year: Int, month: Int) {
        let date = PageText.date(day).split(separator: "-")
        guard date.count == 3, let year = Int(date[0]), let month = Int(date[1]) else { return (0, 1) }
        return (year, month)
    }

    private static func floor(_ value: Int64, _ divisor: Int64) -> Int {
        let quotient = value / divisor
        return Int(value % divisor < 0 ? quotient - 1 : quotient)
    }
}

/// How many reports there are of each piece of a period, from the first to the last with none left
/// out.
struct TimeSeries: Sendable, Hashable {
    let scale: TimeScale
    /// The first piece's number.
    let first: Int
    private(set) var counts: [Int]

    /// Pieces of a chart: one column of one piece alone would be as wide as the page.
    private static let fewest = 16

    init(scale: TimeScale, first: Int64, last: Int64) {
        self.scale = scale
        self.first = scale.piece(of: first)
        counts = Array(repeating: 0, count: max(1, min(scale.piece(of: max(first, last)) - self.first + 1, 1000)))
    }

    /// A series for a chart: a short one goes on at both ends with empty pieces, but not after now.
    init(scale: TimeScale, first: Int64, last: Int64, now: Int64) {
        let series = TimeSeries(scale: scale, first: first, last: last)
        let missing = max(0, Self.fewest - series.counts.count)
        let after = min(missing / 2, max(0, scale.piece(of: now) - scale.piece(of: max(first, last))))
        self.scale = scale
        self.first = series.first - (missing - after)
        counts = Array(repeating: 0, count: series.counts.count + missing)
    }

    /// Whether a piece is before the series (negative), in it (0) or after it (positive).
    func side(of piece: Int) -> Int { piece < first ? -1 : piece < first + counts.count ? 0 : 1 }

    /// Instants outside of the period are not counted.
    mutating func add(_ count: Int, at instant: Int64) {
        let index = scale.piece(of: instant) - first
        if counts.indices.contains(index) { counts[index] += count }
    }

    var largest: Int { counts.max() ?? 0 }

    /// The same pieces without reports.
    var emptied: TimeSeries {
        var series = self
        series.counts = counts.map { _ in 0 }
        return series
    }
}
