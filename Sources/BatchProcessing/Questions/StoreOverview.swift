/// How much a store holds, and what is missing in it.
public struct StoreOverview: Sendable, Hashable {
    public var files = 0
    public var logs = 0
    /// Files in which no trace was recognised.
    public var logsWithoutTrace = 0
    /// Logs that could not be read, as a whole or behind some place.
    public var unreadableLogs = 0
    /// Files and folders that could not be opened when they were last looked at.
    public var unreadFiles = 0
    public var reports = 0
    public var groups = 0
    /// The groups are those of all reports; they are not while a run goes on, and after it was interrupted.
    public var isGrouped = true
    /// Reports without a group: those of a run that has not come to its end.
    public var ungroupedReports = 0
    /// Reports that do not tell when they happened.
    public var reportsWithoutInstant = 0
    /// Reports of groups that are known by places alone, because the innermost frames have no name.
    public var reportsLackingSymbols = 0
    /// Reports that have no stack to be known by.
    public var reportsWithoutStack = 0
    /// The earliest and latest instant, nanoseconds since 1970 UTC.
    public var first: Int64?
    public var last: Int64?
    /// Rows of the distinct stacks, and how many of them have no answer.
    public var frames = 0
    public var unansweredFrames = 0
    /// What could not be read, within the limits.
    public var unread: [UnreadFile] = []
    /// Images for which there are no symbols, those of most reports first, within the limits; and how many there are.
    public var missingImages: [MissingImage] = []
    public var missingImageCount = 0
    /// The latest first.
    public var runs: [RecordedRun] = []

    public init() {}
}

/// A file that could not be read, and why.
public struct UnreadFile: Sendable, Hashable {
    public var path: String
    public var problem: String
}

/// One call of `cairn batch`.
public struct RecordedRun: Sendable, Hashable {
    public var id: Int64
    /// Nanoseconds since 1970 UTC.
    public var began: Int64
    /// `nil`: it was interrupted, or goes on.
    public var ended: Int64?
    public var version: String
    public var roots: [String]
    /// How many logs it looked at; `nil` where it has not ended.
    public var logs: Int?
}
