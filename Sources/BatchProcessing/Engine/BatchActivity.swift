internal import Synchronization

/// Current activity of a run: the workers update it, and the progress display reads it.
package final class BatchActivity: Sendable {
    private struct State {
        var progress = BatchProgress()
        var begun: [String: ContinuousClock.Instant] = [:]
        var note: String?
    }

    private let state = Mutex(State())

    package init() {}

    package var progress: BatchProgress { state.withLock { $0.progress } }

    /// The file that has been worked on for longest, and since when; or what else the run is at.
    package var currentWork: (label: String, since: ContinuousClock.Instant?)? {
        state.withLock { state in
            if let note = state.note { return (note, nil) }
            return state.begun.min { $0.value < $1.value }.map { ($0.key, $0.value) }
        }
    }

    /// - Parameter files: Number of files in the whole tree.
    package func count(_ files: Int) { change { $0.treeFiles = files } }

    func change(_ change: (inout BatchProgress) -> Void) { state.withLock { change(&$0.progress) } }

    func begin(_ path: String) { state.withLock { $0.begun[path] = .now } }

    func end(_ path: String) { state.withLock { _ = $0.begun.removeValue(forKey: path) } }

    /// - Parameter label: Name of the step that the whole run waits for; `nil` when the step is
    ///   over.
    package func note(_ label: String?) { state.withLock { $0.note = label } }
}

/// Progress of a run.
package struct BatchProgress: Sendable, Hashable {
    /// Files that were looked at; an archive's logs are files, too.
    package var files = 0
    /// Files whose log an earlier run, or another file with the same bytes, had symbolicated.
    package var known = 0
    /// Those of them with the bytes of another file.
    package var duplicates = 0
    /// Archives all of whose logs an earlier run had symbolicated.
    package var knownArchives = 0
    /// Logs that were read.
    package var logs = 0
    package var reports = 0
    /// Files that are not crash logs: texts without a trace, and files of another kind.
    package var withoutTrace = 0
    /// Logs that could not be read.
    package var unreadable = 0
    /// Files and folders that could not be opened.
    package var unread = 0
    /// Those of them that are one of `files`.
    package var unopened = 0
    /// Logs that were read to a damaged part, and have reports.
    package var cutShort = 0
    /// Bytes of the files that were read.
    package var bytes: Int64 = 0
    /// Files and archives of the whole tree; `nil` until they are counted.
    package var treeFiles: Int?
    /// Files and archives that the walk has returned or skipped.
    package var walkedFiles = 0

    package init() {}
}
