public import BinaryPrimitives

/// What became of one log: what a store keeps of it.
public struct LogOutcome: Sendable {
    public enum Result: String, Sendable {
        /// It holds at least one trace.
        case answered
        /// No trace was recognised in it.
        case noTrace = "no-trace"
        /// It could not be read, as a whole or behind some place.
        case unreadable
    }

    public var content: ContentHash
    /// Bytes.
    public var size: Int64
    public var result: Result
    /// What was wrong, a line each.
    public var problems: [String]
    public var reports: [Report]
    /// Of the rules that its reports' signatures were made by.
    public var rules: String
    /// A part of the log is missing, because what it is compressed in is damaged. Of what is there, the reports are in the outcome.
    public var isCutShort = false

    public init(content: ContentHash, size: Int64, result: Result, problems: [String], reports: [Report], rules: String) {
        self.content = content
        self.size = size
        self.result = result
        self.problems = problems
        self.reports = reports
        self.rules = rules
    }

    /// Frames without an answer.
    public var unanswered: Int { reports.reduce(0) { $0 + $1.stacks.reduce(0) { $0 + $1.unanswered } } }

    /// One trace of the log.
    public struct Report: Sendable {
        public var format: String
        public var process: String?
        public var identifier: String?
        public var version: String?
        public var pid: Int?
        /// The operating system's name: `macOS`.
        public var platform: String?
        /// Its name and version, as the log words them.
        public var system: String?
        /// The hardware's model: `Mac15,6`.
        public var device: String?
        public var architecture: String?
        /// Nanoseconds since 1970-01-01 00:00:00 UTC; `nil` where the log does not tell the instant.
        public var instant: Int64?
        /// As the log words it.
        public var time: String?
        public var causeKind: String?
        public var causeType: String?
        public var signal: String?
        public var message: String?
        public var faultAddress: UInt64?
        /// What the cause means.
        public var meaning: String?
        public var images: [LoadedImage] = []
        public var stacks: [Stack] = []
        public var signature: StoredSignature

        public init(format: String, signature: StoredSignature) {
            self.format = format
            self.signature = signature
        }
    }

    /// An image of a report that a frame lies in.
    public struct LoadedImage: Sendable {
        public var image: Image
        /// Where its first byte was mapped; `nil` where the log does not tell.
        public var base: UInt64?
    }

    /// A file that was loaded somewhere, and whether its symbols were found.
    public struct Image: Sendable, Hashable {
        public var name: String
        /// As `ImageID` spells it; `nil` where the log tells none, and its path is what is known.
        public var identity: String?
        public var path: String?
        public var architecture: String?
        public var hasSymbols: Bool
        /// Why there are no symbols: one sentence.
        public var reason: String?
    }

    public struct Stack: Sendable {
        public enum Role: String, Sendable { case thread, exception, other }
        public var role: Role
        /// The thread's number in the log.
        public var index: Int
        public var name: String?
        public var crashed: Bool
        public var frames: [Frame]

        /// Frames without an answer.
        public var unanswered: Int { frames.count { $0.reason != nil } }
    }

    /// A row of a stack. In an image it is told by the distance from the image's first byte, so that the same stack is the same wherever the system has loaded its images.
    public struct Frame: Sendable {
        public var kind: String
        /// Index into the report's images.
        public var image: Int?
        /// The raw address minus the image's base.
        public var offset: UInt64?
        /// The raw address, where no image is known.
        public var address: UInt64?
        /// What the log itself prints.
        public var printed: String?
        /// Innermost first; empty where there is no answer.
        public var functions: [Function]
        /// Why there is none: one sentence.
        public var reason: String?
    }

    public struct Function: Sendable, Hashable {
        public var name: String
        public var file: String?
        public var line: Int
        public var column: Int
        public var isInlined: Bool
    }
}
