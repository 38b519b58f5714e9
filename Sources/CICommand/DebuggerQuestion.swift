internal import BinaryPrimitives
internal import CommandRunning
internal import CommandSupport
internal import CrashReports
internal import Reporting
internal import Symbolication

/// One run of gdb: shows the stacks of a process's threads, now or when it left a core file.
///
/// C and C++ programs do not print their stacks themselves (SIGQUIT ends them), and Swift's
/// backtracer (6.3) loses stacks below the C library's waits for locks and semaphores, which is
/// where most programs hang.
struct DebuggerQuestion {
    private static let program = "gdb"

    /// The largest output of one gdb run; a program with more stacks than that has shown enough.
    private static let most = 16 << 20

    /// Each thread's stack, and where the files lie in memory: gdb does not say how far into a
    /// library without names a frame is. The mappings come last, because a trace begins with a
    /// stack. The main thread comes first.
    private static let questions = ["thread apply all -ascending backtrace", "info proc mappings"]

    /// What is inspected, for people: `process 123 (ferry)`.
    let subject: String
    private let command: RunningCommand
    private var open: [RunningCommand.Output]
    private var said: [UInt8] = []
    private var complaints: [UInt8] = []

    /// Whether there is a gdb.
    static var isPossible: Bool { Neighbours().find(program) != nil }

    /// Inspects a process, which is stopped meanwhile.
    /// - Parameter environment: each as `NAME=value`.
    /// - Returns: `nil` where gdb cannot be started.
    init?(process: Int32, environment: [String]) {
        let bytes = (try? FileDescriptor.readAll(atPath: "/proc/\(process)/comm")) ?? []
        let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        self.init("process \(process)" + (name.isEmpty ? "" : " (\(name))"), Self.questions, ["-p", String(process)], environment)
    }

    /// Inspects a core file of a program.
    init?(core: String, program: String, environment: [String]) {
        self.init("the core file \(core) of \(program)", Self.questions, [program, core], environment)
    }

    /// Finds the program that left a core file: `info auxv` has its name as it was started,
    /// `info proc mappings` the files that were in memory.
    init?(programOf core: String, environment: [String]) {
        self.init("the core file \(core)", ["info auxv", "info proc mappings"], ["-c", core], environment)
    }

    private init?(_ subject: String, _ questions: [String], _ arguments: [String], _ environment: [String]) {
        guard let path = Neighbours().find(Self.program) else { return nil }
        // Nothing of the user's own set-up of gdb, and no network: debug files are found here.
        let words = [path, "-nx", "-batch", "-iex", "set pagination off"] + questions.flatMap { ["-ex", $0] } + arguments
        let environment = environment.filter { !$0.hasPrefix("DEBUGINFOD_URLS=") }
        guard let command = try? RunningCommand(words, environment: environment, terminal: nil, endsOfPipes: true, hasInput: false) else {
            return nil
        }
        self.subject = subject
        self.command = command
        open = command.outputs
    }

    /// To be read from when something has come.
    var descriptors: [Int32] { open.map(\.descriptor) }

    /// Nothing more comes.
    var isResolved: Bool { open.isEmpty }

    /// Takes what has come.
    mutating func read(_ descriptor: Int32) {
        guard let index = open.firstIndex(where: { $0.descriptor == descriptor }) else { return }
        let bytes = (try? FileDescriptor.readSome(from: descriptor, limit: 1 << 16)) ?? []
        if open[index].target == 2 { complaints += bytes } else { said += bytes }
        guard bytes.isEmpty || said.count + complaints.count > Self.most else { return }
        FileDescriptor.close(descriptor)
        open.remove(at: index)
        if open.isEmpty { _ = command.status() }
    }

    /// Waits for the whole response, so long at most.
    mutating func wait(atMost duration: Duration) {
        let end = ContinuousClock.now + duration
        while !isResolved, ContinuousClock.now < end {
            let waiting = descriptors
            let ready = FileDescriptor.wait(for: waiting, atMost: end - .now)
            for (descriptor, isReady) in zip(waiting, ready) where isReady { read(descriptor) }
        }
        stop()
    }

    /// Stops the debugger: the output so far is the result.
    mutating func stop() {
        guard !isResolved else { return }
        // A process that loses its debugger goes on.
        ProcessTree.send(SignalRelay.killing, to: [command.process])
        for output in open { FileDescriptor.close(output.descriptor) }
        open = []
        _ = command.status()
    }

    /// The lines that gdb wrote, as text; for output that is no stack.
    var lines: [String] { Self.lines(said) }

    /// Whether a core file's process was ended by that signal:
    /// `Program terminated with signal SIGQUIT, Quit.`
    func isOfSignal(_ name: String) -> Bool { lines.contains { $0.hasPrefix("Program terminated with signal \(name),") } }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The stacks that gdb printed, symbolicated.
    /// - Parameters:
    ///   - symbolicator: makes one that takes these files for the report's images: gdb gives no
    ///     identifiers, but these are the files that were in memory.
    ///   - latest: files that were changed later than that (nanoseconds since 1970) are not those
    ///     that were in memory; `nil`: none was.
    /// - Returns: the rows for people to read, and the reports; no reports where gdb gave no
    ///   result, and the line then says why.
    func answer(latest: Int64?, _ symbolicator: ([GivenImage]) -> Symbolicator) -> (rows: [UInt8], reports: [SymbolicatedReport]) {
        guard let registry = FormatRegistry.standard.only("gdb-bt") else { return ([], []) }
        var stream = LogStream(registry: registry)
        var paths: Set<String> = []
        func note(_ piece: LogStream.Piece) {
            guard case .traces(let reports, _) = piece else { return }
            for report in reports { paths.formUnion(report.images.compactMap(\.path)) }
        }
        stream.feed(said.span) { piece, _ in note(piece) }
        stream.finish { piece, _ in note(piece) }
        let images = paths.sorted().filter { path in
            guard let stamp = FileStamp(path: path) else { return false }
            return latest.map { stamp.modified <= $0 } ?? true
        }
        var log = LiveLog(symbolicator: symbolicator(images.map { GivenImage(name: $0, path: $0) }), registry: registry)
        var text: [UInt8] = []
        var reports: [SymbolicatedReport] = []
        func take(_ passage: LiveLog.Passage) { if case .traces(let more) = passage { reports += more } }
        log.feed(said.span, to: &text, take)
        log.finish(to: &text, take)
        guard !reports.isEmpty else {
            // `ptrace: Operation not permitted.`
            let reason = Self.lines(complaints).first { !$0.isEmpty } ?? "it printed no stack"
            return (Array("gdb: \(reason)\n".utf8), [])
        }
        // Tables of memory and source lines are not what a reader of a test's output looks for.
        let lines = Self.lines(text)
        // Before the first heading the innermost row of the current thread is repeated.
        let start = lines.firstIndex { $0.hasPrefix("Thread ") } ?? 0
        let rows = lines[start...].filter { $0.hasPrefix("Thread ") || $0.hasPrefix("#") }
        return (Array((rows.joined(separator: "\n") + "\n").utf8), reports)
    }
}
