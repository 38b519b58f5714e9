import CrashLogModel
import Testing

/// Dates of logs and the instants they mean. The expected instants are those of
/// `date -u -d "…" +%s`.
struct TimestampTests {
    @Test(
        arguments: [
            // Apple's reports, summer time in Tokyo, Paris, Cupertino: each its own offset.
            ("2022-08-03 20:36:44.3125 +0900", "2022-08-03T11:36:44.3125Z"),
            ("2020-06-26 14:53:43.123 +0200", "2020-06-26T12:53:43.123Z"),
            ("2006-11-12 10:11:12.500 -0800", "2006-11-12T18:11:12.5Z"),
            ("2026-11-21T00:18:13.408Z", "2026-11-21T00:18:13.408Z"),
            ("2026-11-21T00:18:13.408123456Z", "2026-11-21T00:18:13.408123456Z"),
            ("2024-02-29T23:30:00-01:00", "2024-03-01T00:30:00Z"),
            ("Mon, 02 Mar 2020 10:00:00 +0100", "2020-03-02T09:00:00Z"),
            ("1969-12-31 23:59:59 +0000", "1969-12-31T23:59:59Z"),
        ]) func `a date with an offset is an instant`(text: String, utc: String)
    {
        #expect(Timestamp(text).utc == utc)
        #expect(Timestamp(text).text == text)
    }

    /// 1656255223 is 2022-06-26 14:53:43 UTC.
    @Test func `instants count nanoseconds from 1970`() {
        #expect(Timestamp("2022-06-26 14:53:43.25 +0000").instant == 1_656_255_223_250_000_000)
        let twoHoursBefore: Int128 = (1_656_255_223 - 7200) * 1_000_000_000
        #expect(Timestamp("2022-06-26 14:53:43 +0200").instant == twoHoursBefore)
        #expect(Timestamp(secondsSince1970: 1_656_255_223, text: "1656255223").utc == "2022-06-26T14:53:43Z")
    }

    /// Before the hour that Europe repeats in autumn, 02:30 +0200 comes first, then 02:30 +0100.
    @Test func `reports from several zones order correctly`() {
        let texts = ["2023-10-29 02:30:00 +0100", "2023-10-28 17:45:00 -0700", "2023-10-29 02:30:00 +0200", "2023-10-29 09:40:00 +0900"]
        let ordered = texts.map { Timestamp($0) }.sorted { ($0.instant ?? 0) < ($1.instant ?? 0) }.map(\.text)
        #expect(ordered == [texts[2], texts[3], texts[1], texts[0]])
    }

    @Test(arguments: ["2008-10-26 13:25:43.385", "2020-01-02 03:04:05,678", "Fri Jun 26 14:53:43 2020", "2020-06-26 14:53:43 PST"])
    func `a date without an offset is no instant`(text: String) {
        #expect(Timestamp(text).instant == nil)
        #expect(Timestamp(text).local != nil)
    }

    @Test(arguments: ["", "yesterday", "2020-13-01 00:00:00 +0000", "2020-01-01 25:00:00 +0000", "0000-00-00", "99999999999999999999"])
    func `other words stay words`(text: String) {
        #expect(Timestamp(text).local == nil && Timestamp(text).text == text)
    }
}
