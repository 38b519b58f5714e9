public import BinaryPrimitives

/// What happened, as one trace of a log tells it: the common model of every format.
///
/// A report says only what the log said. Nothing here is looked up in a binary; absent means that the log did not say.
public struct CrashReport: Sendable {
    /// The name of the format it was read with, as `cairn formats` lists it.
    public var format: String
    public var process: ProcessDescription
    public var cause: CrashCause?
    /// The operating system, as the log words it.
    public var platform: String?
    /// The hardware's model, as the log words it: `iPhone14,2`, `MacBookPro18,1`.
    public var device: String?
    public var architecture: Architecture?
    /// When it happened.
    public var timestamp: Timestamp?
    public var threads: [ThreadTrace]
    /// The stack of the exception that ended the process, where the log gives one beside the threads
    /// (`Last Exception Backtrace`, `Stack: (…)`, `First throw call stack`).
    public var exceptionBacktrace: ThreadTrace?
    /// Further stacks that are no thread's, in the log's order; the name of each is the log's heading: where memory was allocated or released,
    /// what a library told about itself.
    public var additionalBacktraces: [ThreadTrace]
    /// The images that the log lists, in its order. `Frame.image` is an index into this.
    public var images: [BinaryImage]
    /// Why none of the report's frames can be looked up, whatever files there are: their binaries are of a kind that is not read. One sentence; `nil` for most.
    public var obstacle: String?
    /// Odd but recoverable things that the parser met, one sentence each.
    public var notes: [String]
    /// Of the notes, those that say what of the log was left out because a cap of `Limits` was met.
    public internal(set) var cuts: [String] = []

    public init(format: String) {
        self.format = format
        process = ProcessDescription()
        threads = []
        additionalBacktraces = []
        images = []
        notes = []
    }
}

/// The process that crashed, as far as the log names it.
public struct ProcessDescription: Sendable, Hashable {
    public var name: String?
    public var path: String?
    /// Apple's bundle identifier.
    public var identifier: String?
    public var version: String?
    public var pid: Int?
    /// The machine's name, where the log gives it.
    public var host: String?
    /// The container that the process ran in, where the log says so.
    public var container: String?

    public init() {}
}

/// Why the process ended, in the log's words.
public struct CrashCause: Sendable, Hashable {
    public enum Kind: String, Sendable {
        case signal
        case machException
        case languageException
        case runtimeError
        case other
    }
    public var kind: Kind
    /// `EXC_BAD_ACCESS`, `NSInvalidArgumentException`, `Bad pointer dereference`.
    public var type: String?
    /// `SIGSEGV`, or the number where only that is given.
    public var signal: String?
    public var codes: String?
    public var message: String?
    /// The address whose access faulted.
    public var address: RuntimeAddress?
    /// Apple's `Exception Subtype`: `KERN_INVALID_ADDRESS at 0x18`, `GUARD_TYPE_FD`, `CPU_FATAL`.
    public var subtype: String?
    /// Apple's `Exception Message`: `CLOSE on file descriptor 5 (guarded with 0x08fd4dbf)`.
    public var detail: String?
    /// The signal's `si_code` by name, where the log gives only its number: `SEGV_MAPERR` for `code=0x1`.
    public var signalCode: String?
    public var termination: Termination?

    /// Who ended the process, where another part of the system did.
    public struct Termination: Sendable, Hashable {
        /// `SPRINGBOARD`, `DYLD`, `SIGNAL`: one of `bsd/sys/reason.h` of XNU.
        public var namespace: String?
        /// What the namespace means by it: 0x8badf00d.
        public var code: UInt64?
        /// All that the log says of it.
        public var words: String

        public init(namespace: String? = nil, code: UInt64? = nil, words: String) {
            self.namespace = namespace
            self.code = code
            self.words = words
        }
    }

    public init(kind: Kind) { self.kind = kind }
}

extension CrashReport {
    /// Every stack of the report: the exception's, the additional ones, then the threads'.
    public var stacks: [ThreadTrace] { (exceptionBacktrace.map { [$0] } ?? []) + additionalBacktraces + threads }

    /// Changes every stack, in the same order.
    public mutating func changeStacks(_ change: (inout ThreadTrace) -> Void) {
        if var backtrace = exceptionBacktrace {
            change(&backtrace)
            exceptionBacktrace = backtrace
        }
        for index in additionalBacktraces.indices { change(&additionalBacktraces[index]) }
        for index in threads.indices { change(&threads[index]) }
    }
}

/// One thread's stack, innermost frame first; or, of a sampled thread, its call tree (`isCallTree`).
public struct ThreadTrace: Sendable {
    /// The thread's number in the log.
    public var index: Int
    public var name: String?
    /// The thread that ended the process.
    public var crashed: Bool
    public var frames: [Frame]
    /// The frames are the tree of many samples (`sample`, spindump) in the log's order: callers first, each followed by what it called; `Frame.depth` says how deep.
    public var isCallTree = false
    public var registers: RegisterState?

    public init(index: Int, name: String? = nil, crashed: Bool = false, frames: [Frame] = []) {
        self.index = index
        self.name = name
        self.crashed = crashed
        self.frames = frames
    }
}

/// A thread's registers by name, in the log's order.
public struct RegisterState: Sendable, Hashable {
    public var values: [(name: String, value: UInt64)]

    public init(values: [(name: String, value: UInt64)] = []) { self.values = values }

    public static func == (left: Self, right: Self) -> Bool {
        left.values.elementsEqual(right.values) { $0 == $1 }
    }
    public func hash(into hasher: inout Hasher) {
        for value in values {
            hasher.combine(value.name)
            hasher.combine(value.value)
        }
    }
}
