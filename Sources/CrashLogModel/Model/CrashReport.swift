public import BinaryPrimitives

/// Contents of one trace of a log, in the common model of all formats.
///
/// A report has only facts of the log. Nothing here is looked up in a binary; absent means that the
/// log does not have it.
public struct CrashReport: Sendable {
    /// The name of the format it was read with, as `cairn formats` lists it.
    public var format: String
    /// The process that crashed.
    public var process: ProcessDescription
    /// Why it ended; `nil` if the log does not say.
    public var cause: CrashCause?
    /// The error that the reported one was raised because of; `nil` if the log has one error alone.
    package var rootCause: RootCause?
    /// The operating system, as the log spells it.
    public var platform: String?
    /// The hardware's model, as the log spells it: `iPhone14,2`, `MacBookPro18,1`.
    public var device: String?
    /// The architecture of the process, if the log has it.
    public var architecture: Architecture?
    /// When it happened.
    public var timestamp: Timestamp?
    /// The threads in the log's order.
    public var threads: [ThreadTrace]
    /// The stack of the exception that ended the process, if the log gives one beside the threads
    /// (`Last Exception Backtrace`, `Stack: (…)`, `First throw call stack`).
    public var exceptionBacktrace: ThreadTrace?
    /// Further stacks that do not belong to a thread, in the log's order; the name of each is the
    /// log's heading: the stack of an allocation or release of memory, a library's report about
    /// itself.
    public var additionalBacktraces: [ThreadTrace]
    /// The images that the log lists, in its order. `Frame.image` is an index into this.
    public var images: [BinaryImage]
    /// The shared cache of Apple's systems, if the log says where the process had it: the system's libraries are in it.
    package var sharedCache: SharedCacheMapping?
    /// A list of images was announced, and not all of its lines could be read: an image without an
    /// identifier may have had one. No file may be used for it by its name alone.
    package var hasUnreadImages = false
    /// The instruction that failed, and the memory that it accessed, in one sentence. Only for core
    /// files and minidumps, if it adds something to the address.
    package var instruction: String?
    /// Why none of the report's frames can be looked up with any files: their binaries are of a
    /// kind that is not read. One sentence; `nil` for most.
    public var obstacle: String?
    /// Odd but recoverable things that the parser met, one sentence each.
    public var notes: [String]
    /// Those notes that say which part of the log is missing: a cap of `Limits` was met, or a
    /// binary log is damaged.
    package internal(set) var cuts: [String] = []
    /// The texts that the report was read from, if the log was damaged: the first was made from the
    /// log, each further one from the one before. The format read the last.
    package var restored: [RestoredText] = []

    /// Notes that lines of a list of images could not be read.
    package mutating func noteUnreadImages(_ count: Int) {
        guard count > 0 else { return }
        hasUnreadImages = true
        let lines = count == 1 ? "1 line" : "\(count) lines"
        notes.append("The list of binary images has \(lines) that could not be read: no file is matched by name.")
    }

    /// An empty report.
    /// - Parameter format: the name of its format (`CrashLogFormat.name`).
    public init(format: String) {
        self.format = format
        process = ProcessDescription()
        threads = []
        additionalBacktraces = []
        images = []
        notes = []
    }

    /// Returns the report with every frame's range moved by `distance` bytes: from a part of a log
    /// to the whole, or back.
    package func moved(by distance: Int) -> CrashReport {
        guard distance != 0 else { return self }
        var moved = self
        moved.changeStacks { $0.move(by: distance) }
        if !restored.isEmpty { moved.restored[0].map = restored[0].map.moved(by: distance) }
        return moved
    }

    /// Removes the parts beyond the limits of a report, and notes that. If a cap is met exactly,
    /// the format may have left out the rest already.
    package mutating func cut(to limits: Limits) {
        if images.count >= limits.images {
            images.removeSubrange(limits.images...)
            changeStacks { stack in
                for index in stack.frames.indices where (stack.frames[index].image ?? 0) >= limits.images {
                    stack.frames[index].image = nil
                }
            }
            noteCut("The report has \(limits.images) images or more: further ones are not in it.")
        }
        if max(threads.count, additionalBacktraces.count) >= limits.threads {
            threads.removeSubrange(min(limits.threads, threads.count)...)
            additionalBacktraces.removeSubrange(min(limits.threads, additionalBacktraces.count)...)
            noteCut("The report has \(limits.threads) threads or more: further ones are not in it.")
        }
        var longest = 0
        var count = 0
        changeStacks { stack in
            longest = max(longest, stack.frames.count)
            stack.frames.removeMiddle(limit: limits.framesPerThread)
            count += stack.frames.count
        }
        if longest >= limits.framesPerThread {
            noteCut("A stack has \(limits.framesPerThread) frames or more: not all are in it.")
        }
        guard count > limits.framesPerReport else { return }
        noteCut("The report has more than \(limits.framesPerReport) frames: further ones are not in it.")
        var left = limits.framesPerReport
        // The thread that crashed comes first, wherever it is in the report.
        for hasCrashed in [true, false] {
            changeStacks { stack in
                guard stack.crashed == hasCrashed else { return }
                stack.frames.removeMiddle(limit: left)
                left -= stack.frames.count
            }
        }
    }

    /// Notes that something of the log was left out.
    package mutating func noteCut(_ sentence: String) {
        notes.append(sentence)
        cuts.append(sentence)
    }

    /// Every stack of the report: the exception's, the additional ones, then the threads'.
    public var stacks: [ThreadTrace] { (exceptionBacktrace.map { [$0] } ?? []) + additionalBacktraces + threads }

    /// Changes every stack, in the same order.
    package mutating func changeStacks(_ change: (inout ThreadTrace) -> Void) {
        if var backtrace = exceptionBacktrace {
            change(&backtrace)
            exceptionBacktrace = backtrace
        }
        for index in additionalBacktraces.indices { change(&additionalBacktraces[index]) }
        for index in threads.indices { change(&threads[index]) }
    }
}

/// The process that crashed, as far as the log names it.
public struct ProcessDescription: Sendable, Hashable {
    /// The program's name.
    public var name: String?
    /// The path of the executable.
    public var path: String?
    /// Apple's bundle identifier.
    public var identifier: String?
    /// The program's version, as the log prints it.
    public var version: String?
    /// The command line, for core files and minidumps: the arguments, with blanks between them. The system keeps 79 bytes of it
    /// in a core file; one that was cut ends in `…`.
    public var commandLine: String?
    /// The process ID.
    public var pid: Int?
    /// The machine's name, if the log gives it.
    public var host: String?
    /// The container that the process ran in, if the log gives it.
    public var container: String?

    /// Creates a process without any known facts.
    public init() {}
}

/// Why the process ended, as the log puts it.
public struct CrashCause: Sendable, Hashable {
    /// The kind of event that ended the process.
    public enum Kind: String, Sendable {
        /// A POSIX signal.
        case signal
        /// A Mach exception: `EXC_BAD_ACCESS`.
        case machException
        /// An exception of a language that nothing caught: Objective-C, C++, Java, Python.
        case languageException
        /// An error that a runtime or a sanitizer detected.
        case runtimeError
        /// Any other reason: a hang, a limit, a kernel's panic.
        case other
    }
    /// The kind of event.
    public var kind: Kind
    /// `EXC_BAD_ACCESS`, `NSInvalidArgumentException`, `Bad pointer dereference`.
    public var type: String?
    /// `SIGSEGV`, or the number if only that is given.
    public var signal: String?
    /// The exception's codes, as the log prints them.
    public var codes: String?
    /// The text that the log has about the cause.
    public var message: String?
    /// The variable of a runtime that the message was read from, for core files: `__abort_msg`.
    package var messageSource: String?
    /// The address whose access faulted.
    public var address: RuntimeAddress?
    /// Apple's `Exception Subtype`: `KERN_INVALID_ADDRESS at 0x18`, `GUARD_TYPE_FD`, `CPU_FATAL`.
    public var subtype: String?
    /// Apple's `Exception Message`: `CLOSE on file descriptor 5 (guarded with 0x08fd4dbf)`.
    public var detail: String?
    /// The signal's `si_code` by name, if the log gives only its number: `SEGV_MAPERR` for
    /// `code=0x1`.
    public var signalCode: String?
    /// Why the system ended the process, if the log has it.
    public var termination: Termination?

    /// The part of the system that ended the process, if one did.
    public struct Termination: Sendable, Hashable {
        /// `SPRINGBOARD`, `DYLD`, `SIGNAL`: one of `bsd/sys/reason.h` of XNU.
        public var namespace: String?
        /// The namespace's code: 0x8badf00d.
        public var code: UInt64?
        /// The log's text about it.
        public var message: String

        /// - Parameters:
        ///   - namespace: the part of the system that ended the process: `SIGNAL`, `FRONTBOARD`.
        ///   - code: the namespace's code.
        ///   - words: the log's text about it.
        public init(namespace: String? = nil, code: UInt64? = nil, message: String) {
            self.namespace = namespace
            self.code = code
            self.message = message
        }
    }

    /// Creates a cause from the known facts.
    public init(
        kind: Kind, type: String? = nil, signal: String? = nil, codes: String? = nil, message: String? = nil,
        address: RuntimeAddress? = nil
    ) {
        self.kind = kind
        self.type = type
        self.signal = signal
        self.codes = codes
        self.message = message
        self.address = address
    }
}

/// The first error of a chain, each of which was raised because of the one before it.
///
///     java.lang.RuntimeException: task failed             the report's cause
///             at Runner.run(Runner.java:31)
///     Caused by: java.lang.NullPointerException           the root cause
///             at Mailer.greet(Mailer.java:12)
///             ... 1 more                                  a row of the stack above
package struct RootCause: Sendable {
    package var cause: CrashCause
    /// The chain's stacks as indices into `additionalBacktraces`, that of the root cause first. The
    /// last error's stack is not among them.
    package var stacks: [Int]
    /// Each of the stacks has all of its callers, as JavaScript's. Else one ends where the error was caught, and the
    /// next has the callers.
    package var isWhole: Bool

    package init(cause: CrashCause, stacks: [Int], isWhole: Bool = false) {
        (self.cause, self.stacks, self.isWhole) = (cause, stacks, isWhole)
    }
}

/// One thread's stack, innermost frame first; or, of a sampled thread, its call tree
/// (`isCallTree`).
public struct ThreadTrace: Sendable {
    /// The thread's number in the log.
    public var index: Int
    /// The name of the thread or of its queue.
    public var name: String?
    /// The thread that ended the process.
    public var crashed: Bool
    /// The frames, innermost first; of a call tree (`isCallTree`) callers first.
    public var frames: [Frame]
    /// The frames are the tree of many samples (`sample`, spindump) in the log's order: callers
    /// first, each followed by its callees; `Frame.depth` is the depth.
    public var isCallTree = false
    /// The thread's registers, if the log has them.
    public var registers: RegisterState?
    /// The system's number of the thread, of core files and minidumps; `nil` elsewhere.
    package var systemID: UInt64?
    /// Index of the frame that the first signal interrupted, for core files of programs whose handler raised a signal again.
    package var interruptedFrame: Int?
    /// The stack pointer of that frame; `nil` where there is none.
    package var interruptedStackPointer: UInt64?
    /// Why the stack has no further frame, for core files and minidumps, in one sentence; `nil` if
    /// it ends as every stack does.
    package var ending: String?

    /// A thread with its frames, innermost first.
    public init(index: Int, name: String? = nil, crashed: Bool = false, frames: [Frame] = []) {
        self.index = index
        self.name = name
        self.crashed = crashed
        self.frames = frames
    }

    /// Index in `frames` at which the stack of the event itself begins: below the signal handler
    /// that printed the stack, at the frame that the signal interrupted.
    ///
    ///     0  handler       return address: it called backtrace(3)
    ///     1  __restore_rt
    ///     2  load          what was executing: 2 is the result
    ///     3  main
    ///
    /// 0 for stacks that a handler did not print, and in which no handler raised a signal again.
    package var interruptedIndex: Int {
        if let interruptedFrame, frames.indices.contains(interruptedFrame) { return interruptedFrame }
        guard !isCallTree, let first = frames.first, first.kind == .returnAddress,
            var index = frames.firstIndex(where: { $0.kind == .programCounter })
        else { return 0 }
        // Inlined calls come before the function that holds them.
        while index > 0, frames[index - 1].isInlined, frames[index - 1].address == frames[index].address { index -= 1 }
        return index
    }

    /// Moves the frames' ranges by `distance` bytes.
    fileprivate mutating func move(by distance: Int) {
        for index in frames.indices {
            let range = frames[index].range
            frames[index].range = range.lowerBound + distance..<range.upperBound + distance
        }
    }
}

/// A thread's registers by name, in the log's order.
public struct RegisterState: Sendable, Hashable {
    /// The registers' names and values, in the log's order.
    public var values: [(name: String, value: UInt64)]

    /// - Parameter values: names and values, in the log's order.
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

extension [Frame] {
    /// Removes frames from the middle of a stack that is longer than a limit. What failed is
    /// innermost, and how the program came there is outermost; a row between the two halves counts
    /// what was removed.
    ///
    ///     0 1 2 3 4 5 6 7 8 9        limit 6
    ///     0 1 2 (5 omitted) 8 9
    ///
    /// - Parameter limit: maximum number of frames afterwards, with the row between; below four the innermost are kept.
    package mutating func removeMiddle(limit: Int) {
        guard count > limit else { return }
        guard limit >= 4 else { return removeSubrange(limit...) }
        let removed = limit / 2..<count - (limit - limit / 2 - 1)
        var omitted = 0
        for frame in self[removed] { if case .omitted(let count) = frame.kind { omitted += count } else { omitted += 1 } }
        let first = self[removed.lowerBound]
        let marker = Frame(index: first.index, kind: .omitted(count: omitted), address: nil, range: first.range)
        replaceSubrange(removed, with: [marker])
    }
}

/// The range in which a process had the shared cache of Apple's systems (dyld).
package struct SharedCacheMapping: Sendable, Hashable {
    /// UUID of the cache.
    package var id: ImageID
    /// Address of its first byte in the process.
    package var base: RuntimeAddress
    /// In bytes; `nil` if the log does not give it.
    package var size: UInt64?

    package init(id: ImageID, base: RuntimeAddress, size: UInt64? = nil) { (self.id, self.base, self.size) = (id, base, size) }
}
