/// How far a run has come.
package struct BatchProgress: Sendable, Hashable {
    /// Files that were looked at; an archive's logs are files, too.
    package var files = 0
    /// Of them, those that an earlier run, or another file with the same bytes, had symbolicated.
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
    /// Of the files read.
    package var bytes: Int64 = 0
    /// Files and archives of the whole tree; `nil` until they are counted.
    package var treeFiles: Int?
    /// Of them, those that the walk has returned or passed over.
    package var walkedFiles = 0

    package init() {}
}
