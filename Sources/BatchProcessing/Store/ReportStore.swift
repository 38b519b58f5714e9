public import BinaryPrimitives

/// Where a batch keeps what it has found. The engine knows nothing more of it: a database on a server is another implementation.
public protocol ReportStore: Sendable {
    /// Notes that a run begins.
    /// - Returns: the run's number.
    func beginRun(_ roots: [String], version: String) throws(StoreError) -> Int64

    func endRun(_ run: Int64, logs: Int) throws(StoreError)

    /// What is known of each file.
    func know(_ files: [LogTree.File], _ need: AnswerNeed) throws(StoreError) -> [FileKnowledge]

    /// Whether all logs of an archive are kept, and it has the size and the time of change that it had then.
    func knowsArchive(at path: String, stamp: FileStamp, _ need: AnswerNeed) throws(StoreError) -> Bool

    /// Whether the outcome of a log with this content is kept.
    func has(_ content: ContentHash, _ need: AnswerNeed) throws(StoreError) -> Bool

    /// Keeps outcomes, and at which paths their logs lie, all or none of them: whatever ends the process, what this has returned from is kept.
    func keep(_ part: StoredPart) throws(StoreError)

    /// Puts all reports into groups.
    /// - Throws: `StoreError`; the groups are as they were then.
    func group() throws(StoreError)

    /// How much it holds.
    func counts() throws(StoreError) -> StoreCounts
}

/// Which of the outcomes that are kept are good enough.
public struct AnswerNeed: Sendable, Hashable {
    /// Of the rules that signatures are made by now (`SignatureRules.fingerprint`).
    public var rules: String
    /// What has frames without an answer is answered once more.
    public var retriesUnanswered: Bool

    public init(rules: String, retriesUnanswered: Bool = false) {
        self.rules = rules
        self.retriesUnanswered = retriesUnanswered
    }
}

/// What a store knows of a file.
public enum FileKnowledge: Sendable, Hashable {
    /// Its log is kept, and it has the size and the time of change that it had then.
    case known
    /// When it was last stored it held that log, of so many bytes.
    case changed(from: ContentHash, size: Int64)
    case new
}

/// What is kept at once.
public struct StoredPart: Sendable {
    public var outcomes: [LogOutcome] = []
    public var files: [StoredFile] = []
    /// Files and folders that cannot be opened, and why.
    public var unread: [(path: String, problem: String)] = []
    /// Archives whose last log is among these files, or was kept before.
    public var archives: [(path: String, stamp: FileStamp)] = []
    /// Of the rules of all these.
    public var rules: String
    /// Names were taken out of them: what an image of another log was called before does not stay.
    public var isAnonymous: Bool

    public init(rules: String, isAnonymous: Bool = false) {
        self.rules = rules
        self.isAnonymous = isAnonymous
    }

    public var isEmpty: Bool { outcomes.isEmpty && files.isEmpty && unread.isEmpty && archives.isEmpty }
}

/// A file and the log that it holds.
public struct StoredFile: Sendable {
    public var path: String
    public var stamp: FileStamp
    public var content: ContentHash
    /// The log that it held before, where that was the beginning of this one: a log that has grown since.
    public var grownFrom: ContentHash?

    public init(path: String, stamp: FileStamp, content: ContentHash, grownFrom: ContentHash? = nil) {
        self.path = path
        self.stamp = stamp
        self.content = content
        self.grownFrom = grownFrom
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
    public var groups = 0
    /// Files and folders that could not be opened.
    public var unread = 0
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
