/// Contents of a store, and what is missing in it.
package struct StoreOverview: Sendable, Hashable {
    package var files = 0
    package var logs = 0
    /// Files in which no trace was recognised.
    package var logsWithoutTrace = 0
    /// Logs that could not be read, as a whole or after some position.
    package var unreadableLogs = 0
    /// Files and folders that could not be opened when they were last looked at.
    package var unreadFiles = 0
    package var reports = 0
    /// Distinct names of programs.
    package var programs = 0
    package var groups = 0
    /// The groups are those of all reports; they are not while a run goes on, and after it was
    /// interrupted.
    package var isGrouped = true
    /// Reports with a stack and without a group: those of a run that has not come to its end.
    package var ungroupedReports = 0
    /// Reports without a timestamp.
    package var reportsWithoutInstant = 0
    /// Reports of groups that are identified by module offsets alone, because the innermost frames
    /// have no name.
    package var reportsLackingSymbols = 0
    /// Reports that have no usable stack, and so are in no group.
    package var reportsWithoutStack = 0
    /// The earliest and latest instant, nanoseconds since 1970 UTC.
    package var first: Int64?
    package var last: Int64?
    /// Rows of the distinct stacks, and how many of them are unresolved.
    package var frames = 0
    package var unresolvedFrames = 0
    /// Unresolved frames that the logs name.
    package var namedFrames = 0
    /// Files that could not be read, within the limits.
    package var unread: [UnreadFile] = []
    /// Images for which there are no symbols, those of most reports first, within the limits; and
    /// how many there are.
    package var missingImages: [MissingImage] = []
    package var missingImageCount = 0
    /// The latest first.
    package var runs: [RecordedRun] = []

    package init() {}
}

/// A file that could not be read, and why.
package struct UnreadFile: Sendable, Hashable {
    package var path: String
    package var problem: String
}

/// One call of `cairn batch`.
package struct RecordedRun: Sendable, Hashable {
    package var id: Int64
    /// Nanoseconds since 1970 UTC.
    package var began: Int64
    /// `nil`: it was interrupted, or goes on.
    package var ended: Int64?
    package var version: String
    package var roots: [String]
    /// How many logs it looked at; `nil` where it has not ended.
    package var logs: Int?
}
