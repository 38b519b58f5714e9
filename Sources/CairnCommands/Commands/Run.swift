internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import CrashCapture
internal import CrashLogFormats
internal import CrashLogModel
internal import MemoryReports
internal import Reporting
internal import Symbolication

/// `cairn run`: a program, with the stack of each of its processes that a signal ends.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a program and show where it crashes.",
        discussion: """
            The program has its own terminal, input and output. If a signal ends it, or a process that it starts, the stack, the cause and the line are printed on standard error. No core file is necessary. The exit status is the program's own.

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
        if command.first == "--" { command.removeFirst() }
        guard !command.isEmpty else { throw ValidationError("no program: expected cairn run PROGRAM [ARGUMENT…]") }
    }

    func run() {
        guard let path = Program.path(of: command[0]) else {
            printDiagnostic("run: \(command[0]): \(PathKind(path: command[0]) == nil ? "no such program" : "not an executable program")")
            exitProcess(PathKind(path: command[0]) == nil ? 127 : 126)
        }
        let traced: TracedRun
        do throws(FileError) {
            traced = try TracedRun(path: path, arguments: command, environment: ChildVariables.all)
        } catch {
            printDiagnostic("run: \(error.description)")
            exitProcess(error.isMissing ? 127 : 126)
        }
        if !traced.isWatched {
            printDiagnostic(
                "run: the system does not let this program be watched (ptrace): its crashes are not shown. It may leave a core file",
                as: .warning)
        }
        var run = traced
        let ending = run.wait { crash in show(crash) }
        switch ending {
        case .exited(let status): exitProcess(status)
        case .killed(let signal): SignalRelay.end(by: signal)
        }
    }

    private func show(_ crash: TracedRun.Crash) {
        let (provider, _) = source.provider(source.debuginfod.makeServers(quiet: true))
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
