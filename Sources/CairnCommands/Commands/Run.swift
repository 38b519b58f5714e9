internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import CrashCapture
internal import CrashLogFormats
internal import CrashLogModel
internal import CrashReports
internal import MemoryReports
internal import Reporting
internal import SymbolSources
internal import Symbolication

/// `cairn run`: a program, with the stack of each of its processes that a signal ends.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a program and show where it crashes.",
        discussion: """
            The program has its own terminal, input and output. If a signal ends it, or a process that it starts, the stack, the cause and the line are printed on standard error. No core file is necessary. The exit status is the program's own.

            Stacks that the program itself prints are passed on as they are: cairn ci -- PROGRAM symbolicates them, and cairn filter does so in a pipe.

            cairn run ./a.out
            cairn run --symbols build/debug ./server --port 8080
            """)

    @OptionGroup var source: SymbolOptions

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("The program and its arguments.", valueName: "program"))
    var command: [String] = []

    init() {}

    /// - Returns: `nil` where the line is not plain: here one with an option before the program.
    init?(plain arguments: ArraySlice<String>) {
        guard let first = arguments.first, !first.hasPrefix("-") else { return nil }
        var scan = ArgumentScan([])
        source = SymbolOptions(&scan)
        command = Array(arguments)
    }

    mutating func validate() throws {
        // All after the first word is the program's own.
        if let first = command.first, ["-h", "--help"].contains(first) { throw CleanExit.helpRequest(Self.self) }
        if command.first == "--version" { throw CleanExit.message("cairn \(cairnVersion)") }
        if command.first == "--" { command.removeFirst() }
        if let first = command.first, first.hasPrefix("-") { throw ValidationError("Unknown option '\(first)'") }
        guard !command.isEmpty else { throw ValidationError("no program: expected cairn run PROGRAM [ARGUMENT…]") }
    }

    func run() {
        guard let path = Program.path(of: command[0]) else {
            let name = ShellWord.quoted("./" + command[0])
            let problem =
                PathKind(path: command[0]) == nil
                ? "no such program"
                : Program.path(of: "./" + command[0]) == nil
                    ? "not an executable program" : "not in PATH. To run the file: cairn run \(name)"
            printDiagnostic("run: \(command[0]): \(problem)")
            exitProcess(PathKind(path: command[0]) == nil ? 127 : 126)
        }
        // A program that is traced does not change its user.
        let changesUser = Program.changesUser(path)
        let started = WallClock.nanoseconds
        let cores = SystemCores(pattern: CorePattern(folder: Directory.working ?? "/"))
        let traced: TracedRun
        do throws(FileError) {
            traced = try TracedRun(path: path, arguments: command, environment: ChildVariables.all, watches: !changesUser)
        } catch {
            printDiagnostic("run: \(error.description)")
            exitProcess(error.isMissing ? 127 : 126)
        }
        if !traced.isWatched {
            let reason =
                changesUser
                ? "\(command[0]) runs as another user (set-user-ID) and would not if it were watched"
                : "the system does not let \(command[0]) be watched (ptrace is refused)"
            printDiagnostic("run: \(reason). If it crashes, the core file that the system writes is read", as: .warning)
        }
        var run = traced
        var hasCrashed = false
        let ending = run.wait { crash in
            hasCrashed = true
            show(crash, startedAt: started)
        }
        if !run.isWatched { show(cores, of: run, ending, path, startedAt: started) }
        if !hasCrashed, case .exited(let status) = ending, status != 0 { noteUnusedSymbols() }
        switch ending {
        case .exited(let status): exitProcess(status)
        case .killed(let signal): SignalRelay.end(by: signal)
        }
    }

    /// The program's output is its own: a stack in it that the program has printed has its addresses still.
    private func noteUnusedSymbols() {
        guard !source.symbols.isEmpty else { return }
        let options = CommandLine.arguments.dropFirst(2).dropLast(command.count).filter { $0 != "--" }
        let arguments = options.map { ShellWord.quoted($0, isPath: false) } + ["--"] + command.map { ShellWord.quoted($0, isPath: false) }
        printDiagnostic(
            "run: no signal ended a process, so the symbol files were not used. For stacks that the program itself prints: cairn ci "
                + arguments.joined(separator: " "), as: .note)
    }

    /// Shows the core files that the system wrote of a program that is not watched.
    private func show(_ cores: SystemCores, of run: TracedRun, _ ending: TracedRun.Ending, _ path: String, startedAt start: Int64) {
        var process: Int32?
        if case .killed(let signal) = ending, TracedRun.coreSignals.contains(signal) { process = run.program }
        let found = cores.new(of: process, program: Path.resolved(path) ?? path).prefix(Self.maxCores)
        for core in found {
            do throws(FileError) {
                var input = try LogInput(core)
                guard let memory = try input.memory(), memory.kind == .core else { continue }
                show(TracedRun.Crash(process: process ?? 0, core: .success(memory.file)), startedAt: start)
                cores.removeIfOwn(core)
            } catch {
                printDiagnostic("run: the core file cannot be read: \(error.description)", as: .warning)
            }
        }
        if found.isEmpty, let process {
            let reason = cores.pattern.reasonForNone ?? "No new core file was found."
            printDiagnostic("run: a signal ended process \(process), and its stack is not shown. \(reason)", as: .warning)
        }
    }

    /// A run that ends many processes leaves as many cores.
    private static let maxCores = 64

    /// - Parameter start: when the run began, in nanoseconds since 1970.
    private func show(_ crash: TracedRun.Crash, startedAt start: Int64) {
        // Runtimes write the code that they compile into these folders for perf. An older file is another process's of that number.
        let lists = GeneratedCodeFile.names(ofProcess: Int(crash.process)).flatMap { ["/tmp/" + $0, $0] }
        let own = lists.filter { FileStamp.isModified($0, after: start) }
        let (provider, _) = source.provider(source.makeServers(quiet: true), locations: own)
        let reader = MemoryReader(Symbolicator(provider: provider, options: source.symbolication))
        do {
            let core = try crash.core.get()
            let made = try reader.report(.core, core, from: source.originOfLiveLog)
            let report = made.symbolicator.symbolicate(made.report, from: source.originOfLiveLog)
            let text = TextRenderer(isBrief: true).render(SymbolicatedLog(path: core.path, reports: [report]), source: Span())
            try? FileDescriptor.write(Array("\n".utf8) + text, to: 2)
        } catch {
            printDiagnostic("run: the memory of process \(crash.process), which a signal ended, could not be read: \(error)", as: .warning)
        }
    }
}

/// Environment of the program: its own, with what makes runtimes print whole stacks unless the user has set it.
enum ChildVariables {
    static var all: [String] {
        let own = environmentVariables()
        return own.contains { $0.hasPrefix("RUST_BACKTRACE=") } ? own : own + ["RUST_BACKTRACE=" + RuntimeVariables.rustBacktrace]
    }
}
