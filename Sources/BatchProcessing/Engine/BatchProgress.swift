public import Synchronization

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

/// Something that could not be read, and why.
public struct BatchProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public var path: String
    public var problem: String

    public var description: String { "\(path): \(problem)" }
}

/// What a run is doing at this moment: written by those who do it, read by who shows it.
public final class BatchActivity: Sendable {
    private struct State {
        var progress = BatchProgress()
        var begun: [String: ContinuousClock.Instant] = [:]
        var note: String?
    }

    private let state = Mutex(State())

    public init() {}

    public var progress: BatchProgress { state.withLock { $0.progress } }

    /// The file that has been worked on for longest, and since when; or what else the run is at.
    public var waitsFor: (words: String, since: ContinuousClock.Instant?)? {
        state.withLock { state in
            if let note = state.note { return (note, nil) }
            return state.begun.min { $0.value < $1.value }.map { ($0.key, $0.value) }
        }
    }

    /// - Parameter files: of the whole tree.
    public func count(_ files: Int) { change { $0.treeFiles = files } }

    func change(_ change: (inout BatchProgress) -> Void) { state.withLock { change(&$0.progress) } }

    func begin(_ path: String) { state.withLock { $0.begun[path] = .now } }

    func end(_ path: String) { state.withLock { _ = $0.begun.removeValue(forKey: path) } }

    /// - Parameter words: what the whole run waits for; `nil` when it does so no longer.
    public func note(_ words: String?) { state.withLock { $0.note = words } }
}
