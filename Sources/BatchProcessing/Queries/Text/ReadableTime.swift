internal import BinaryPrimitives
internal import CrashLogModel

/// Converts the instants of a store to text, and text to instants.
package enum ReadableTime {
    /// In the reader's zone, to the minute, with its offset from UTC: `2026-11-22 16:25 +0100`.
    static func text(_ instant: Int64) -> String {
        let seconds = floor(instant)
        let offset = LocalTime.offset(at: seconds)
        let shown = Timestamp(nanosecondsSince1970: Int128(seconds + Int64(offset)) * 1_000_000_000, text: "").utc ?? ""
        let minutes = abs(offset) / 60
        func two(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        return String(shown.prefix(16)).replacing("T", with: " ") + (offset < 0 ? " -" : " +") + two(minutes / 60) + two(minutes % 60)
    }

    /// ISO 8601 in UTC with as many digits as needed: `2026-11-22T15:25:00.5Z`.
    static func utc(_ instant: Int64) -> String { Timestamp(nanosecondsSince1970: Int128(instant), text: "").utc ?? "" }

    /// A day in UTC: `2026-11-22`.
    static func day(_ day: DayCount) -> String { String(utc(day.start).prefix(10)) }

    /// An instant as people write it: `7d`, `12h`, `30m` and `2w` before now, `today` and
    /// `yesterday` (when the day began), or a date or a time.
    /// The reader's zone applies if the text names none.
    /// - Returns: nanoseconds since 1970 UTC; `nil` if the text is not understood.
    package static func instant(_ text: String, now: Int64 = WallClock.nanoseconds) -> Int64? {
        if let unit = text.unicodeScalars.last, let seconds = units[unit], let count = Int64(text.dropLast()), count >= 0 {
            let (back, isTooMuch) = count.multipliedReportingOverflow(by: seconds * 1_000_000_000)
            return isTooMuch ? nil : now.subtractingReportingOverflow(back).partialValue
        }
        if let days = ["today": 0, "yesterday": 1][text] {
            let local = floor(now) + Int64(LocalTime.offset(at: floor(now)))
            let day = local / 86_400 - (local % 86_400 < 0 ? 1 : 0) - Int64(days)
            return Int64(exactly: Int128(LocalTime.instant(shownAs: day * 86_400)) * 1_000_000_000)
        }
        let isDate = text.utf8.count == 10
        let timestamp = Timestamp(isDate ? text + "T00:00:00" : text)
        if let instant = timestamp.instant { return Int64(exactly: instant) }
        guard let local = timestamp.local, let nanoseconds = Int64(exactly: local) else { return nil }
        let seconds = floor(nanoseconds)
        return Int64(exactly: Int128(LocalTime.instant(shownAs: seconds)) * 1_000_000_000 + Int128(nanoseconds - seconds * 1_000_000_000))
    }

    private static let units: [Unicode.Scalar: Int64] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]

    /// Whole seconds, rounded down.
    private static func floor(_ nanoseconds: Int64) -> Int64 {
        nanoseconds / 1_000_000_000 - (nanoseconds % 1_000_000_000 < 0 ? 1 : 0)
    }
}
