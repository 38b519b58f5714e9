/// A group in a list.
package struct GroupSummary: Sendable, Hashable {
    /// 16 hexadecimal digits, which stay while most of its reports stay.
    package var id: String
    /// Short title of the most frequent stack: `SIGSEGV in Mold::pour | Smelter::smelt | run`.
    package var title: String
    /// crash, hang, leak, race, resource, profile, or exception and its type.
    package var family: String
    /// The kind as the log names it: `SIGSEGV`; the most frequent one of that stack.
    package var kindLabel: String
    /// Its innermost frames have no name, so reports of the same bug from other builds cannot be
    /// recognised.
    package var lacksSymbols: Bool
    /// How many reports it has; those of a period, if one was requested.
    package var reports: Int
    /// How many logs these are in.
    package var logs: Int
    /// The earliest and latest instant, nanoseconds since 1970 UTC; `nil` if no log has a
    /// timestamp.
    package var first: Int64?
    package var last: Int64?
    /// The versions of the program, those with most reports first, at most five; and how many there
    /// are.
    package var versions: [Tally]
    package var versionCount: Int
    /// A representative report.
    package var example: Int64
}

/// How many reports have a value.
package struct Tally: Sendable, Hashable {
    /// `nil` if the logs do not have it.
    package var value: String?
    package var count: Int

    package init(value: String?, count: Int) {
        self.value = value
        self.count = count
    }
}

/// How many reports are of a day.
package struct DayCount: Sendable, Hashable {
    /// Days since 1970-01-01, by UTC.
    package var day: Int
    package var count: Int

    /// The day's first instant, nanoseconds since 1970 UTC.
    package var start: Int64 { Int64(clamping: Int128(day) * 86_400_000_000_000) }
}
