public import BinaryPrimitives

/// Where a batch keeps what it has found. The engine knows nothing more of it: a database on a server is another implementation.
public protocol ReportStore: Sendable {
    /// Notes that a run begins.
    /// - Returns: the run's number.
    func beginRun(_ roots: [String], version: String) throws(StoreError) -> Int64

    func endRun(_ run: Int64, logs: Int) throws(StoreError)

    /// The content that a file had when it was last stored with that size and time of change; `nil` where it was not.
    func content(ofFileAt path: String, stamp: FileStamp) throws(StoreError) -> ContentHash?

    /// Whether the outcome of a log with this content is kept.
    func has(_ content: ContentHash) throws(StoreError) -> Bool

    /// Keeps outcomes, and at which paths their logs lie, all or none of them: whatever ends the process, what this has returned from is kept.
    func keep(_ outcomes: [LogOutcome], files: [StoredFile]) throws(StoreError)

    /// How much it holds.
    func counts() throws(StoreError) -> StoreCounts
}

/// A file and the log that it holds.
public struct StoredFile: Sendable {
    public var path: String
    public var stamp: FileStamp
    public var content: ContentHash

    public init(path: String, stamp: FileStamp, content: ContentHash) {
        self.path = path
        self.stamp = stamp
        self.content = content
    }
}

public struct StoreCounts: Sendable, Hashable {
    public var files = 0
    public var logs = 0
    public var logsWithoutTrace = 0
    public var unreadableLogs = 0
    public var reports = 0
    /// Frames that have a place to look up, each of the distinct stacks counted once.
    public var frames = 0
    public var unansweredFrames = 0
}

/// What is wrong with a store: one sentence, with what to do.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    public var path: String
    public var problem: String

    public init(path: String, problem: String) {
        self.path = path
        self.problem = problem
    }

    public var description: String { "\(path): \(problem)" }
}
