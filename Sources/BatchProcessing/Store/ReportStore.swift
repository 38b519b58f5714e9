package import BinaryPrimitives

/// Storage for the results of a batch. The engine knows only this protocol: a database on a server
/// is another implementation.
package protocol ReportStore: Sendable {
    /// Notes that a run begins.
    /// - Returns: the run's number.
    func beginRun(_ roots: [String], version: String) throws(StoreError) -> Int64

    func endRun(_ run: Int64, logs: Int) throws(StoreError)

    /// State of each file in the store.
    func statuses(of files: [LogTree.File], _ requirements: ResultRequirements) throws(StoreError) -> [FileStatus]

    /// Whether all logs of an archive are kept, and it has the size and the time of change that it
    /// had then.
    func hasArchive(at path: String, stamp: FileStamp, _ requirements: ResultRequirements) throws(StoreError) -> Bool

    /// Whether the outcome of a log with this content is kept.
    func has(_ content: ContentHash, _ requirements: ResultRequirements) throws(StoreError) -> Bool

    /// Keeps outcomes and the paths of their logs, all or none of them. The data is safe when this
    /// function has returned, even if the process is killed.
    func keep(_ part: StoredPart) throws(StoreError)

    /// Puts all reports into groups.
    /// - Throws: `StoreError`; the groups are as they were then.
    func group() throws(StoreError)

    /// How much it holds.
    func counts() throws(StoreError) -> StoreCounts
}

/// Which of the outcomes that are kept are good enough.
package struct ResultRequirements: Sendable, Hashable {
    /// Fingerprint of the current rules for signatures (`SignatureRules.fingerprint`).
    package var rules: String
    /// Whether logs with unresolved frames are symbolicated again.
    package var retriesUnresolved: Bool

    package init(rules: String, retriesUnresolved: Bool = false) {
        self.rules = rules
        self.retriesUnresolved = retriesUnresolved
    }
}

/// State of a file in the store.
package enum FileStatus: Sendable, Hashable {
    /// Its log is kept, and it has the size and the time of change that it had then.
    case known
    /// When it was last stored it held that log, of so many bytes.
    case changed(from: ContentHash, size: Int64)
    case new
}

/// Results that are stored in one transaction.
package struct StoredPart: Sendable {
    package var outcomes: [LogOutcome] = []
    package var files: [StoredFile] = []
    /// Files and folders that cannot be opened, and why.
    package var unread: [(path: String, problem: String)] = []
    /// Archives whose last log is among these files, or was kept before.
    package var archives: [(path: String, stamp: FileStamp)] = []
    /// Fingerprint of the rules of all these outcomes.
    package var rules: String
    /// Names were removed from the outcomes. Paths of images that were stored before are replaced.
    package var isAnonymous: Bool

    package init(rules: String, isAnonymous: Bool = false) {
        self.rules = rules
        self.isAnonymous = isAnonymous
    }

    package var isEmpty: Bool { outcomes.isEmpty && files.isEmpty && unread.isEmpty && archives.isEmpty }
}

/// A file and the log that it holds.
package struct StoredFile: Sendable {
    package var path: String
    package var stamp: FileStamp
    package var content: ContentHash
    /// The log that it held before, where that was the beginning of this one: a log that has grown
    /// since.
    package var grownFrom: ContentHash?

    package init(path: String, stamp: FileStamp, content: ContentHash, grownFrom: ContentHash? = nil) {
        self.path = path
        self.stamp = stamp
        self.content = content
        self.grownFrom = grownFrom
    }
}

package struct StoreCounts: Sendable, Hashable {
    package var files = 0
    package var logs = 0
    package var logsWithoutTrace = 0
    package var unreadableLogs = 0
    package var reports = 0
    /// Frames that can be looked up, counting each distinct stack once.
    package var frames = 0
    package var unresolvedFrames = 0
    package var groups = 0
    /// Files and folders that could not be opened.
    package var unread = 0
}

/// Problem of a store: one sentence, with what to do.
package struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    package var path: String
    package var problem: String

    package init(path: String, problem: String) {
        self.path = path
        self.problem = problem
    }

    package var description: String { "\(path): \(problem)" }
}
