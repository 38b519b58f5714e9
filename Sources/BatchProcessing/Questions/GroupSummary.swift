/// A group in a list.
public struct GroupSummary: Sendable, Hashable {
    /// 16 hexadecimal digits, which stay while most of its reports stay.
    public var id: String
    /// Few words: `SIGSEGV in Mold::pour | Smelter::smelt | run`.
    public var title: String
    /// crash, hang, leak, race, resource, profile, or exception and its type.
    public var family: String
    /// The kind in the log's words: `SIGSEGV`.
    public var words: String
    /// Its innermost frames have no name: other builds' reports of the same bug cannot be known for such.
    public var lacksSymbols: Bool
    /// Why its reports have no stack to be known by; `nil` where they have.
    public var absence: String?
    /// How many reports it has; of a period, where one was asked for.
    public var reports: Int
    /// How many logs these are in.
    public var logs: Int
    /// The earliest and latest instant, nanoseconds since 1970 UTC; `nil` where no log tells.
    public var first: Int64?
    public var last: Int64?
    /// The versions of the program, those with most reports first, at most five; and how many there are.
    public var versions: [Tally]
    public var versionCount: Int
    /// A report that stands for it.
    public var example: Int64
}

/// How many reports have a value.
public struct Tally: Sendable, Hashable {
    /// `nil` where the logs do not tell.
    public var value: String?
    public var count: Int

    public init(value: String?, count: Int) {
        self.value = value
        self.count = count
    }
}

/// How many reports are of a day.
public struct DayCount: Sendable, Hashable {
    /// Days since 1970-01-01, by UTC.
    public var day: Int
    public var count: Int

    /// The day's first instant, nanoseconds since 1970 UTC.
    public var start: Int64 { Int64(clamping: Int128(day) * 86_400_000_000_000) }
}
