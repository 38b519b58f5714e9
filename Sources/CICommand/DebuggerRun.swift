internal import BinaryPrimitives
internal import CommandSupport
internal import CrashCapture
internal import CrashLogFormats
internal import CrashLogModel
internal import CrashReports
internal import LibC
internal import Reporting
internal import Symbolication

/// One run of gdb: shows the stacks of a process's threads.
///
/// C and C++ programs do not print their stacks themselves (SIGQUIT ends them), and Swift's
/// backtracer (6.3) loses stacks below the C library's waits for locks and semaphores, in which
/// most programs hang.
struct DebuggerRun {
    private static let program = "gdb"

    /// The largest output of one gdb run; a program with more stacks than that has shown enough.
    private static let maxOutput = 16 << 20

    /// Prints each thread's stack and the addresses at which the files are mapped: gdb does not say
    /// how far into a library without names a frame is. The mappings come last, because a trace
    /// begins with a stack. The main thread comes first.
    private static let commands = ["thread apply all -ascending backtrace", "info proc mappings"]

    /// The inspected process, for people: `process 123 (ferry)`.
    let subject: String
    private let command: RunningCommand
    private var open: [RunningCommand.Output]
    private var standardOutput: [UInt8] = []
    private var complaints: [UInt8] = []

    /// Whether there is a gdb.
    static var isPossible: Bool { SiblingPrograms().find(program) != nil }

    /// Reason why the system does not let a debugger inspect processes of the same user that it has
    /// not started; `nil` if it does.
    ///
    /// The Linux kernel's module Yama lets a process be traced by its ancestors alone
    /// (`kernel.yama.ptrace_scope` 1, the default of Ubuntu and of GitHub's machines), by
    /// administrators (2), or by nobody (3). A debugger that is started for the question is a
    /// sibling.
    static var refusal: String? {
        let bytes = (try? FileDescriptor.readAll(atPath: "/proc/sys/kernel/yama/ptrace_scope")) ?? []
        guard let digit = bytes.first, digit > UInt8(ascii: "0"), digit == UInt8(ascii: "3") || geteuid() != 0 else { return nil }
        return "kernel.yama.ptrace_scope is \(Character(UnicodeScalar(digit))): sudo sysctl kernel.yama.ptrace_scope=0 allows it"
    }

    /// Inspects a process, which is stopped meanwhile.
    /// - Parameter environment: each as `NAME=value`.
    /// - Returns: `nil` where gdb cannot be started.
    init?(process: Int32, environment: [String]) {
        let bytes = (try? FileDescriptor.readAll(atPath: "/proc/\(process)/comm")) ?? []
        let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        self.init("process \(process)" + (name.isEmpty ? "" : " (\(name))"), Self.commands, ["-p", String(process)], environment)
    }

    private init?(_ subject: String, _ commands: [String], _ arguments: [String], _ environment: [String]) {
        guard let path = SiblingPrograms().find(Self.program) else { return nil }
        // Nothing of the user's own set-up of gdb, and no network: debug files are found here.
        let commandLine = [path, "-nx", "-batch", "-iex", "set pagination off"] + commands.flatMap { ["-ex", $0] } + arguments
        let environment = environment.filter { !$0.hasPrefix("DEBUGINFOD_URLS=") }
        guard let command = try? RunningCommand(commandLine, environment: environment, terminal: nil, endsOfPipes: true, hasInput: false)
        else {
            return nil
        }
        self.subject = subject
        self.command = command
        open = command.outputs
    }

    /// Descriptors to read from when they are ready.
    var descriptors: [Int32] { open.map(\.descriptor) }

    /// The debugger has ended its output.
    var isResolved: Bool { open.isEmpty }

    /// Reads the available output.
    mutating func read(_ descriptor: Int32) {
        guard let index = open.firstIndex(where: { $0.descriptor == descriptor }) else { return }
        let bytes = (try? FileDescriptor.readSome(from: descriptor, limit: 1 << 16)) ?? []
        if open[index].target == 2 { complaints += bytes } else { standardOutput += bytes }
        guard bytes.isEmpty || standardOutput.count + complaints.count > Self.maxOutput else { return }
        FileDescriptor.close(descriptor)
        open.remove(at: index)
        if open.isEmpty { _ = command.status() }
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

    private static func lines(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The stacks that gdb printed, symbolicated.
    /// - Parameters:
    ///   - symbolicator: makes one that takes these files for the report's images: gdb gives no
    ///     identifiers, but these are the files that were in memory.
    /// - Returns: the rows for people to read, and the reports; no reports where gdb gave no
    ///   result, and the line then says why.
    func symbolicatedStacks(_ symbolicator: ([GivenImage]) -> Symbolicator) -> (rows: [UInt8], reports: [SymbolicatedReport]) {
        guard let registry = FormatRegistry.standard.only("gdb-bt") else { return ([], []) }
        var stream = LogStream(registry: registry, isLive: true)
        var paths: Set<String> = []
        func note(_ piece: LogStream.Piece) {
            guard case .traces(let reports, _) = piece else { return }
            for report in reports { paths.formUnion(report.images.compactMap(\.path)) }
        }
        stream.feed(standardOutput.span) { piece, _ in note(piece) }
        stream.finish { piece, _ in note(piece) }
        let images = paths.sorted().filter { FileStamp(path: $0) != nil }
        var log = LiveLog(symbolicator: symbolicator(images.map { GivenImage(name: $0, path: $0) }), registry: registry)
        var text: [UInt8] = []
        var reports: [SymbolicatedReport] = []
        func collect(_ passage: LiveLog.Passage) { if case .traces(let more) = passage { reports += more } }
        log.feed(standardOutput.span, to: &text, collect)
        log.finish(to: &text, collect)
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
