/// Progress of a run.
package struct BatchProgress: Sendable, Hashable {
    /// Files that were looked at; an archive's logs are files, too.
    package var files = 0
    /// Files whose log an earlier run, or another file with the same bytes, had symbolicated.
    package var known = 0
    /// Archives all of whose logs an earlier run had symbolicated.
    package var knownArchives = 0
    /// Logs that were read.
    package var logs = 0
    package var reports = 0
    /// Logs without a trace, and such that could not be read.
    package var withoutTrace = 0
    package var unreadable = 0
    /// Files and folders that could not be opened.
    package var unread = 0
    /// Bytes of the files that were read.
    package var bytes: Int64 = 0
    /// Files and archives of the whole tree; `nil` until they are counted.
    package var treeFiles: Int?
    /// Files and archives that the walk has returned or skipped.
    package var walkedFiles = 0

    package init() {}
}
