/// A time of a log: the log's own text, and the instant that it means, if it gives its offset from
/// UTC.
///
/// The offset is the one that the log was written with, at that instant: reports of summer and
/// winter, of two machines in two zones, order by `instant`. A time without a zone (NSLog's, for
/// one) has a `local` and no `instant`: nothing is guessed.
public struct Timestamp: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text as the log spells it.
    public let text: String
    /// The date and time of day as written, in nanoseconds since 1970-01-01 00:00:00 of the
    /// writer's own clock; `nil` if the text is not understood.
    package let local: Int128?
    /// The writer's offset from UTC in seconds, east positive; `nil` if the log does not give it.
    package let offsetFromUTC: Int?

    public var description: String { text }

    /// Reads a log's text. `instant` is `nil` for a text that is not a time.
    public init(_ text: String) {
        self.text = text
        var reader = TimestampReader(text)
        (local, offsetFromUTC) = reader.read() ?? (nil, nil)
    }

    public init(stringLiteral text: String) { self.init(text) }

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

/// Reads the dates of logs:
///
///     2022-08-03 20:36:44.3125 +0900          Apple's reports
///     2026-11-21T00:18:13.408Z                ISO 8601: Docker, GitHub, KSCrash
///     2008-10-26 13:25:43,385                 without a zone: NSLog, Python
///     Fri Jun 26 14:53:43 2020                asctime(3)
///     Mon, 02 Mar 2020 10:00:00 +0100         RFC 5322
///
/// Other forms are kept as text only.
private struct TimestampReader {
    private let text: [UInt8]
    private var position = 0

    init(_ text: String) { self.text = Array(text.utf8.prefix(64)) }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// - Returns: nanoseconds of the writer's clock since 1970, and its offset from UTC in seconds
    ///   if given.
    mutating func read() -> (local: Int128?, offset: Int?)? {
        skipBlanks()
        guard let date = isoDate() ?? wordedDate() else { return nil }
        guard let time = date.time ?? timeOfDay() else { return nil }
        var year = date.year
        if date.hasYearBehind {
            skipBlanks()
            guard let number = number(digits: 4...4) else { return nil }
            year = number
        }
        guard (1...9999).contains(year), (1...12).contains(date.month), (1...31).contains(date.day) else { return nil }
        let seconds = Int128(Timestamp.days(year: year, month: date.month, day: date.day)) * 86_400 + Int128(time.seconds)
        return (seconds * 1_000_000_000 + Int128(time.nanoseconds), zone())
    }

    private typealias Time = (seconds: Int, nanoseconds: Int)
    private typealias Date = (year: Int, month: Int, day: Int, time: Time?, hasYearBehind: Bool)

    /// `2022-08-03`, `2022/08/03`, and the blank or `T` after it.
    private mutating func isoDate() -> Date? {
        let start = position
        guard let year = number(digits: 4...4), let separator = peek(), separator == UInt8(ascii: "-") || separator == UInt8(ascii: "/"),
            consume(separator), let month = number(digits: 1...2), consume(separator), let day = number(digits: 1...2),
            consume(UInt8(ascii: "T")) || consume(UInt8(ascii: " "))
        else {
            position = start
            return nil
        }
        return (year, month, day, nil, false)
    }

    /// `Fri Jun 26 14:53:43 2020`, `Mon, 02 Mar 2020 10:00:00`, `26 Jun 2020 14:53:43`.
    private mutating func wordedDate() -> Date? {
        let start = position
        var word = letters()
        _ = consume(UInt8(ascii: ","))
        skipBlanks()
        if word == nil || Self.month(word) == nil, let day = number(digits: 1...2) {
            skipBlanks()
            guard let month = Self.month(letters()) else { return nil }
            skipBlanks()
            guard let year = number(digits: 4...4) else { return nil }
            skipBlanks()
            return (year, month, day, nil, false)
        }
        if Self.month(word) == nil { word = letters() }
        skipBlanks()
        guard let month = Self.month(word), let day = number(digits: 1...2) else {
            position = start
            return nil
        }
        skipBlanks()
        guard let time = timeOfDay() else { return nil }
        return (0, month, day, time, true)
    }

    private mutating func timeOfDay() -> Time? {
        skipBlanks()
        guard let hour = number(digits: 1...2), hour < 24, consume(UInt8(ascii: ":")), let minute = number(digits: 2...2), minute < 60
        else {
            return nil
        }
        var second = 0
        var nanoseconds = 0
        if consume(UInt8(ascii: ":")) {
            // A leap second is written as 60.
            guard let value = number(digits: 2...2), value <= 60 else { return nil }
            second = value
            if consume(UInt8(ascii: ".")) || consume(UInt8(ascii: ",")) {
                var scale = 100_000_000
                while let digit = peek(), digit &- UInt8(ascii: "0") < 10 {
                    nanoseconds += Int(digit &- UInt8(ascii: "0")) * scale
                    scale /= 10
                    position += 1
                }
            }
        }
        return (hour * 3600 + minute * 60 + second, nanoseconds)
    }

    /// `Z`, `UTC`, `GMT`, `+0900`, `-07:00`, `+09`. Names of other zones mean different offsets in
    /// different countries and are not understood.
    private mutating func zone() -> Int? {
        skipBlanks()
        if let word = letters() { return ["z", "utc", "gmt"].contains(word) ? 0 : nil }
        guard let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        position += 1
        guard let hours = number(digits: 2...2), hours <= 14 else { return nil }
        _ = consume(UInt8(ascii: ":"))
        let minutes = number(digits: 2...2) ?? 0
        guard minutes < 60 else { return nil }
        let seconds = hours * 3600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }

    private static func month(_ word: String?) -> Int? {
        guard let word, word.utf8.count >= 3 else { return nil }
        return months.firstIndex(of: String(word.prefix(3))).map { $0 + 1 }
    }

    // MARK: Bytes

    private func peek() -> UInt8? { position < text.count ? text[position] : nil }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = peek(), byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { position += 1 }
    }

    /// Reads a number of so many digits; the cursor stays if there are fewer.
    private mutating func number(digits: ClosedRange<Int>) -> Int? {
        var value = 0
        var end = position
        while end < text.count, end - position < digits.upperBound, text[end] &- UInt8(ascii: "0") < 10 {
            value = value * 10 + Int(text[end] &- UInt8(ascii: "0"))
            end += 1
        }
        guard digits.contains(end - position) else { return nil }
        position = end
        return value
    }

    /// Letters in lower case.
    private mutating func letters() -> String? {
        var word: [UInt8] = []
        while let byte = peek(), isLetter(byte) {
            word.append(byte | 0x20)
            position += 1
        }
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }
}
