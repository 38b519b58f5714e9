/// A time of a log: the log's own text, and the instant that it means, if it gives its offset from
/// UTC.
///
/// The offset is the one that the log was written with, at that instant: reports of summer and
/// winter, of two machines in two zones, order by `instant`. A time without a zone (NSLog's, for
/// one) has a `local` and no `instant`: nothing is guessed.
public struct Timestamp: Sendable, Hashable {
    /// The text as the log spells it.
    public let text: String
    /// The date and time of day as written, in nanoseconds since 1970-01-01 00:00:00 of the
    /// writer's own clock; `nil` if the text is not understood.
    package let local: Int128?
    /// The writer's offset from UTC in seconds, east positive; `nil` if the log does not give it.
    package let offsetFromUTC: Int?

    /// Reads a log's text. `instant` is `nil` for a text that is not a time.
    public init(_ text: String) {
        self.text = text
        var reader = TimestampReader(text)
        (local, offsetFromUTC) = reader.read() ?? (nil, nil)
    }

    /// Creates a time that a log gives as a number.
    /// - Parameters:
    ///   - secondsSince1970: seconds since 1970-01-01 00:00:00 UTC.
    ///   - text: the log's text.
    public init(secondsSince1970: Int64, text: String) {
        self.init(nanosecondsSince1970: Int128(secondsSince1970) * 1_000_000_000, text: text)
    }

    /// Creates a time that a log gives as a number of nanoseconds.
    public init(nanosecondsSince1970: Int128, text: String) {
        self.text = text
        local = nanosecondsSince1970
        offsetFromUTC = 0
    }

    /// Nanoseconds since 1970-01-01 00:00:00 UTC; `nil` if the log's text is not precise enough.
    public var instant: Int128? {
        guard let local, let offsetFromUTC else { return nil }
        return local - Int128(offsetFromUTC) * 1_000_000_000
    }

    /// The instant as ISO 8601 in UTC, `2022-08-03T11:36:44.3125Z`; `nil` if it is not known.
    public var utc: String? {
        guard let instant else { return nil }
        let (seconds, fraction) = Timestamp.divided(instant, by: 1_000_000_000)
        let (days, second) = Timestamp.divided(seconds, by: 86_400)
        let (year, month, day) = Timestamp.civil(fromDays: Int(days))
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        var years = "\(year)"
        while years.utf8.count < 4 { years = "0" + years }
        var text = "\(years)-\(two(month))-\(two(day))T\(two(Int(second) / 3600)):\(two(Int(second) / 60 % 60)):\(two(Int(second) % 60))"
        if fraction > 0 {
            var digits = String(Int(fraction))
            digits = String(repeating: "0", count: 9 - digits.utf8.count) + digits
            while digits.last == "0" { digits.removeLast() }
            text += "." + digits
        }
        return text + "Z"
    }

    private static func divided(_ value: Int128, by divisor: Int128) -> (quotient: Int128, remainder: Int128) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// Days since 1970-01-01 of a date of the Gregorian calendar.
    ///
    /// Years are counted from March, so that the leap day is a year's last: the days before a month
    /// are then (153 m + 2) / 5 for m from 0 (March), and 400 years have 146,097 days.
    package static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        // From 0000-03-01 to 1970-01-01 there are 719,468 days.
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The reverse of `days(year:month:day:)`.
    package static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension Timestamp: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}

extension Timestamp: CustomStringConvertible {
    public var description: String { text }
}
