/// Something that went wrong in a run of tests, as it is told where people read it: on a line of a change, in a report, in a summary.
///
/// Its texts are those of a log, which nobody vouches for: every output escapes them for its own language.
public struct Failure: Sendable, Hashable {
    public enum Kind: String, Sendable, CaseIterable {
        /// A signal, or a check of the language's runtime, ended the process.
        case crash
        /// A sanitizer found an error.
        case sanitizer
        /// The process took too long, and was asked where it stands (SIGQUIT), or was looked at from outside.
        case hang
        /// The system saw that a process used more than it may: processor time, writes to its disk.
        case resource
        /// Rust's and Go's own.
        case panic
        /// A language's exception that was printed with its stack. Whether it was caught, the log does not tell.
        case exception
        /// A stack was printed, and not why: programs do so when they crash, and also when nothing is wrong.
        case stack
        /// A test's own expectation was not met.
        case testFailure = "test-failure"
        /// None: a report that tells of no failure, a profile or a list of addresses.
        case noFailure = "no-failure"
    }

    /// How much it matters: an exception or a stack that a passing test printed is no error.
    public enum Level: String, Sendable {
        case error
        case warning
        /// It is no failure at all.
        case note
    }

    /// A line of a file of the repository.
    public struct Place: Sendable, Hashable {
        /// From the repository's root, with `/` between its parts.
        public var path: String
        /// From 1.
        public var line: Int
        /// In bytes, from 1; 0: unknown.
        public var column: Int

        public init(path: String, line: Int, column: Int = 0) {
            self.path = path
            self.line = line
            self.column = column
        }
    }

    /// One function on a stack.
    public struct Frame: Sendable, Hashable {
        /// As it is printed; `nil` where only the image and the address are known.
        public var function: String?
        public var isInlined: Bool
        public var image: String?
        /// The frame's address, `0x…`, or what the log tells in its place (`main+0x1a`); `nil` where it has neither.
        public var address: String?
        /// The file as the debug information or the log names it.
        public var file: String?
        /// From 1; 0: none.
        public var line: Int
        /// From 1; 0: unknown.
        public var column: Int
        /// Where that is in the repository, if it is.
        public var place: Place?
        public var owner: Owner
        /// Why it was, or was not, taken for the user's own code: words.
        public var reason: String

        public var isOwn: Bool { owner == .own }
    }

    /// Whose code a frame is.
    public enum Owner: String, Sendable {
        case own
        /// The system's, the language's, a dependency's, or the compiler's.
        case other
        /// It has no line, or its file cannot be told from others: it may be the user's own.
        case unknown
    }

    /// A thread's frames, or those of another stack of the report, innermost first.
    public struct Stack: Sendable, Hashable {
        public var title: String
        public var frames: [Frame]

        public init(title: String, frames: [Frame]) {
            self.title = title
            self.frames = frames
        }
    }

    public var kind: Kind
    public var level: Level
    /// What sort of failure it is, stable from run to run: `crash/SIGSEGV`, `sanitizer/heap-buffer-overflow`, `test-failure`.
    public var rule: String
    /// A few words: `SIGSEGV in head(_:)`.
    public var title: String
    /// What the log says about it; several lines are possible.
    public var message: String
    /// The tests that it was met in, each once, in the order in which they were met; none where the log does not tell.
    public var tests: [String]
    /// The first line of the user's own code.
    public var place: Place?
    /// Why there is no place: one sentence.
    public var noPlace: String?
    /// What else the reader must know about `place`: it is a caller's, or another thread's. One sentence.
    public var aboutPlace: String?
    public var stacks: [Stack]
    /// The source around `place`.
    public var excerpt: SourceExcerpt?
    /// The log or stream that it stood in, as the caller named it.
    public var log: String?
    /// How often it was met.
    public var count: Int
    /// The command succeeded all the same.
    public var commandSucceeded = false

    public init(kind: Kind, rule: String, title: String, message: String) {
        self.kind = kind
        level =
            switch kind {
            case .stack, .resource: .warning
            case .noFailure: .note
            default: .error
            }
        self.rule = rule
        self.title = title
        self.message = message
        tests = []
        stacks = []
        count = 1
    }
}
