/// How far a run has come.
public struct BatchProgress: Sendable, Hashable {
    /// Files that were looked at; an archive's logs are files, too.
    public var files = 0
    /// Of them, those that an earlier run, or another file with the same bytes, had answered.
    public var known = 0
    /// Archives all of whose logs an earlier run had answered.
    public var knownArchives = 0
    /// Logs that were read.
    public var logs = 0
    public var reports = 0
    /// Logs without a trace, and such that could not be read.
    public var withoutTrace = 0
    public var unreadable = 0
    /// Files and folders that could not be opened.
    public var unread = 0
    /// Of the files read.
    public var bytes: Int64 = 0
    /// Files and archives of the whole tree; `nil` until they are counted.
    public var treeFiles: Int?
    /// Of them, those that were told by the walk.
    public var walkedFiles = 0

    public init() {}
}
