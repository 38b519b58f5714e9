internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import CrashCapture
internal import CrashLogFormats
internal import CrashLogModel
internal import MemoryReports
internal import Reporting
internal import Symbolication
internal import TestReports

/// One run of `cairn ci`.
struct CIRun: ~Copyable {
    private let command: CairnCI
    /// The repository's root; outside of one the working directory.
    private let root: String
    private var output: OutputCollection
    private var hasTimedOut = false
    /// The command's output ended without a line ending.
    private var hasUnfinishedLine = false
    /// A debugger has reported the stacks of a process that was over its time.
    private var hasQueriedDebugger = false
    private let cores = NewCoreFiles(folder: Directory.working)
    /// Gets the crashes of the command's processes; `nil` where they are not watched, and core files are looked for.
    private var watch: CrashWatch?
    /// The system refused it.
    private var isWatchRefused = false
    private var isWatched: Bool { watch != nil && !isWatchRefused }
    /// Core files are kept for this run alone: the limit was 0.
    private var hasRaisedLimit = false
    /// Core files that a note has named, for a person to look into.
    private var namedCores: Set<String> = []
    private var reports: CIReports?
    private var use: SymbolFileUsage
    private var printed: Set<String> = []
    /// Symbolicates from files that are known to be the images'.
    private var symbolicatorOfFiles: (([GivenImage]) -> Symbolicator)?

    init(command: CairnCI) {
        self.command = command
        use = SymbolFileUsage(command.source)
        let repositoryOptions = command.reports.repositoryOptions
        root = repositoryOptions.root(around: command.source.sourceRoot.first)
        output = OutputCollection(
            FailureCollector(
                repository: RepositoryPaths(root: root, map: command.source.sourcePaths.map), ownCode: repositoryOptions.rule,
                excerpts: SourceExcerpts(root: root), startedAt: WallClock.nanoseconds))
    }

    /// Runs the command, leaves its reports, and ends this process as the command ended.
    consuming func run() -> Never {
        let link = command.noEnvironment ? nil : SymbolizerLink()
        let status: RunningCommand.Status
        do throws(FileError) { status = try runCommand(link) } catch {
            link?.remove()
            printDiagnostic("ci: \(error.description)")
            // The shell's numbers: not found, and not to be run.
            exitProcess(error.isMissing ? 127 : 126)
        }
        link?.remove()
        if !isWatched, status != .exited(0) || hasTimedOut { reportCores() }
        // Nobody wanted them but this run.
        if hasRaisedLimit { for core in cores.allNew where !namedCores.contains(core) { try? FileReplacement.remove(core) } }
        leaveReports(status)
        // As with `timeout(1)`: a command over its time has not done its work, however it ended.
        if hasTimedOut { exitProcess(124) }
        switch status {
        case .exited(let code): exitProcess(code)
        case .killed(let signal): SignalRelay.end(by: signal)
        case .running, .stopped: exitProcess(1)
        }
    }

    private mutating func runCommand(_ link: SymbolizerLink?) throws(FileError) -> RunningCommand.Status {
        let folders = BuildFolders.folders(workingDirectory: Directory.working, root: root)
        let symbolicator = makeSymbolicators(folders)
        let environment = makeEnvironment(link)
        if command.verbose { for folder in folders { printDiagnostic("ci: searching for symbols in \(folder)", as: .note) } }
        reports = makeReports(symbolicator)
        if !command.noDebugger, WatchedCommand.isPossible(command.command) { watch = try? CrashWatch() }
        var relay = try startCommand(environment, symbolicator)
        if command.verbose, let problem = relay.terminalProblem {
            printDiagnostic("ci: the command has no terminal: \(problem.description)", as: .note)
        }
        let status = relay.run {
            collect($0, $1)
        } finished: {
            collectStacks($0)
        } crashed: {
            report($0)
        }
        hasTimedOut = relay.hasTimedOut
        hasUnfinishedLine = relay.hasUnfinishedLine
        if hasTimedOut { warnOfTimeout() }
        return status
    }

    /// Makes the symbolicator of the command's output, and sets the one that takes given files.
    /// Problems with the locations are printed, and do not keep the command from running.
    private mutating func makeSymbolicators(_ folders: [String]) -> Symbolicator {
        let source = command.source
        let program = Program.path(of: command.command.first ?? "")
        let (provider, _) = source.provider(
            source.makeServers(quiet: true), locations: folders, programs: program.map { [$0] } ?? [])
        symbolicatorOfFiles = { images in
            var options = source.symbolication
            options.images += images
            let (provider, _) = source.provider(source.makeServers(quiet: true), locations: images.map(\.path) + folders)
            return Symbolicator(provider: provider, options: options)
        }
        return Symbolicator(provider: provider, options: source.symbolication)
    }

    /// The formats that are looked for in a runner's output. Runners of JavaScript print the errors of their tests themselves, and their
    /// own lines are read (`NodeConsole`, `JestConsole`); errors in WebAssembly have addresses.
    private static func formats(_ source: SymbolOptions) -> FormatRegistry {
        source.logFormat == nil ? source.formats.without([JavaScriptError.name]).adding(WebAssemblyError.self) : source.formats
    }

    /// - Returns: the command's environment, each variable as `NAME=value`.
    private func makeEnvironment(_ link: SymbolizerLink?) -> [String] {
        guard !command.noEnvironment else { return environmentVariables() }
        let environment = ChildEnvironment(environmentVariables(), symbolizer: link?.path)
        if command.verbose { for change in environment.changes { printDiagnostic("ci: added to the environment: \(change)", as: .note) } }
        return environment.variables
    }

    private func makeReports(_ symbolicator: Symbolicator) -> CIReports {
        let formats = Self.formats(command.source)
        let origin = command.source.originOfLiveLog
        return CIReports(
            options: command.reports, service: CIService(), command: command.command.joined(separator: " "),
            symbolicate: { text in
                var log = LiveLog(symbolicator: symbolicator, registry: formats, origin: origin)
                var symbolicated: [UInt8] = []
                log.feed(text.span, to: &symbolicated)
                log.finish(to: &symbolicated)
                return symbolicated
            })
    }

    private mutating func startCommand(_ environment: [String], _ symbolicator: Symbolicator) throws(FileError) -> CommandRelay {
        let formats = Self.formats(command.source)
        let origin = command.source.originOfLiveLog
        let own = environmentVariables()
        let mayAsk = mayAskDebugger
        // The command inherits it, and cairn's own neighbours do not.
        let limit = command.noDebugger || !cores.areFiles || watch != nil ? nil : CoreLimit.raise()
        hasRaisedLimit = limit != nil
        defer { limit?.restore() }
        return try CommandRelay(
            command.command, environment: environment, timeout: command.timeout.map { .milliseconds(Int64($0 * 1000)) },
            watch: watch, mayAsk: mayAsk, ask: { DebuggerRun(process: $0, environment: own) },
            makeLog: {
                LiveLog(symbolicator: symbolicator, registry: formats, showsText: true, origin: origin, buildsPrograms: true)
            })
    }

    private func warnOfTimeout() {
        printDiagnostic("ci: the command took longer than \(command.timeout ?? 0) seconds and was terminated", as: .warning)
        if !isWatched, let reason = DebuggerRun.refusal, !command.noDebugger {
            printDiagnostic("ci: its stacks could not be captured: \(reason)", as: .warning)
        }
    }

    private mutating func collect(_ passage: LiveLog.Passage, _ stream: Int32) {
        output.add(passage, of: stream == 2 ? 1 : 0)
        guard case .traces(let reports) = passage else { return }
        for report in reports {
            for line in use.record(report) where printed.insert(line).inserted { printDiagnostic("ci: \(line)", as: .warning) }
        }
    }

    // MARK: Debugger

    /// Whether processes may be inspected with a debugger. If not, the reason is printed where they
    /// would have been.
    private var mayAskDebugger: Bool { !command.noDebugger && DebuggerRun.isPossible && DebuggerRun.refusal == nil }

    /// - Returns: the text to show about it.
    private mutating func collectStacks(_ debuggerRun: DebuggerRun) -> [UInt8] {
        guard let symbolicatorOfFiles else { return [] }
        let (rows, reports) = debuggerRun.symbolicatedStacks(symbolicatorOfFiles)
        if !reports.isEmpty { hasQueriedDebugger = true }
        output.withFailures { failures in for report in reports { failures.add(report, isHang: true) } }
        return Array("cairn: ci: \(PlainText.line(debuggerRun.subject)), according to gdb:\n".utf8) + Self.harmless(rows)
    }

    /// A debugger repeats the names of threads and functions as they are.
    private static func harmless(_ rows: [UInt8]) -> [UInt8] {
        var text = TerminalText(keepsColors: false)
        var shown: [UInt8] = []
        text.append(rows, isEnd: true, to: &shown)
        return shown
    }

    /// - Returns: the text to show about a message of the watching process.
    private mutating func report(_ message: CrashWatch.Message) -> [UInt8] {
        switch message {
        case .crash(let crash): return report(crash)
        case .ending(let process): output.withFailures { $0.meetEnd(of: process) }
        case .refused:
            // The watching process has raised the limit, which this one has not.
            (isWatchRefused, hasRaisedLimit) = (true, CoreLimit.isRaisable)
        case .unreadable(let process): warnOfMemory(process, "it could not be read")
        case .leftOut(let count):
            printDiagnostic("ci: \(count) more processes were ended by a signal. Their stacks are not shown", as: .warning)
        }
        return []
    }

    private func warnOfMemory(_ process: Int32, _ reason: String) {
        printDiagnostic("ci: a signal ended process \(process). The stack in its memory is not shown: \(reason)", as: .warning)
    }

    /// Reports a crash of a process of the command.
    /// - Returns: the text to show about it; empty if the process has printed its stack itself.
    private mutating func report(_ crash: CrashWatch.Crash) -> [UInt8] {
        output.endLines()
        let report: SymbolicatedReport
        do { report = try symbolicated(crash.core, from: command.source.originOfLiveLog) } catch {
            warnOfMemory(crash.process, "\(error)")
            return []
        }
        let isHang = hasTimedOut && report.report.cause?.signal == "SIGQUIT"
        guard output.withFailures({ $0.add(memory: report, of: crash.process, isHang: isHang) }) else { return [] }
        let process = report.report.process.path ?? report.report.process.name
        let title = "cairn: ci: process \(crash.process)\(process.map { " (\(PlainText.line($0)))" } ?? ""):\n"
        return Array(title.utf8)
            + TextRenderer(isBrief: true).render(SymbolicatedLog(path: crash.core.path, reports: [report]), source: Span())
    }

    /// Reports the core files that the system kept of crashes.
    private mutating func reportCores() {
        if let remark = cores.remark { printDiagnostic("ci: " + remark, as: .note) }
        for core in cores.new {
            let report: SymbolicatedReport
            do { report = try symbolicated(try MappedFile(path: core), from: command.source.origin(of: core)) } catch {
                namedCores.insert(core)
                printDiagnostic("ci: the system kept a core file that cannot be read: \(core): \(error)", as: .warning)
                continue
            }
            // A process over its time that SIGQUIT ended was inspected while it ran.
            if hasQueriedDebugger, report.report.cause?.signal == "SIGQUIT" { continue }
            output.withFailures { $0.add(report, isHang: false) }
            let process = report.report.process.path ?? report.report.process.name
            let title = "cairn: ci: the core file \(PlainText.line(core))\(process.map { " of \(PlainText.line($0))" } ?? ""):\n"
            let text = TextRenderer(isBrief: true).render(SymbolicatedLog(path: core, reports: [report]), source: Span())
            try? FileDescriptor.write(Array(title.utf8) + text, to: 2)
        }
    }

    private func symbolicated(_ core: MappedFile, from origin: LogOrigin?) throws -> SymbolicatedReport {
        guard let symbolicatorOfFiles else { throw LogError("nothing was run") }
        let made = try MemoryReader(symbolicatorOfFiles([])).report(.core, core, from: origin)
        return made.symbolicator.symbolicate(made.report, from: origin)
    }

    /// Problems here are printed, but never change how the run ends.
    private mutating func leaveReports(_ status: RunningCommand.Status) {
        output.endLines()
        if let path = command.reports.eventStream, reports?.isEarlier(path, instead: "its events are not of this run") != true {
            do throws(FileError) {
                let events = try readInput(path)
                output.withFailures { $0.add(eventStream: events.span) }
            } catch { printDiagnostic("ci: \(error.description)") }
        }
        if case .killed(let signal) = status {
            let remedy = cores.remedy(isWanted: !command.noDebugger)
            output.withFailures { $0.add(signal: Int(signal), remedy: remedy) }
        }
        let succeeded = status == .exited(0) && !hasTimedOut
        let (failures, collector) = output.withFailures { ($0.finish(commandSucceeded: succeeded), $0) }
        reports?.leave(failures, of: collector, succeeded: succeeded, afterPartOfLine: hasUnfinishedLine)
        use.report()
        if let line = CISummary.line(failures) { printDiagnostic("ci: " + line, as: .note) }
        if succeeded, let line = CISummary.crashLine(failures) { printDiagnostic("ci: " + line, as: .note) }
        if let tally = collector.tally { printDiagnostic("ci: " + tally.line, as: .note) }
    }
}

/// Folders in which builds leave their products and debug files. They are searched for the images
/// that a crash names, after the paths that the user gave.
private enum BuildFolders {
    /// Names that builders give their folders: SwiftPM, Xcode, Cargo, Bazel, and the usual ones of
    /// CMake's and Meson's.
    private static let names = [
        ".build", "DerivedData", "build", "out", "target", "bazel-bin", "bazel-out", "builddir", "cmake-build-debug", "cmake-build-release",
        "cmake-build-relwithdebinfo", "_build",
    ]

    /// - Parameters:
    ///   - workingDirectory: of the command.
    ///   - root: of the repository.
    /// - Returns: the folders that are there, the nearest first.
    static func folders(workingDirectory: String?, root: String) -> [String] {
        var parents: [String] = []
        var current = workingDirectory
        while let folder = current {
            parents.append(folder)
            // No further than the repository reaches.
            current = folder == root || folder == "/" || !folder.hasPrefix(root) ? nil : Path.directory(of: folder)
        }
        var found: [String] = []
        for parent in parents {
            for name in names where PathKind(path: Path.join(parent, name)) == .directory { found.append(Path.join(parent, name)) }
            // A build inside the sources, or in a folder of another name.
            if PathKind(path: Path.join(parent, "CMakeCache.txt")) == .file { found.append(parent) }
            for name in (try? Directory.names(in: parent)) ?? [] where !names.contains(name) && !name.hasPrefix(".") {
                let folder = Path.join(parent, name)
                if PathKind(path: Path.join(folder, "CMakeCache.txt")) == .file { found.append(folder) }
            }
        }
        return found
    }
}

/// Summary of a run in one line, for a reader of the log who opens no report:
/// `2 failures: Sources/Cart.swift:5: SIGILL in Cart.first(); …`.
private enum CISummary {
    /// Failures that are named.
    private static let limit = 3

    /// A command that ends with 0 although a process crashed has not looked at its end.
    /// - Returns: `nil` where none has.
    static func crashLine(_ failures: [Failure]) -> String? {
        let crashes = failures.filter { [.crash, .sanitizer].contains($0.kind) && $0.commandSucceeded }
        guard let first = crashes.first else { return nil }
        let count = crashes.reduce(0) { $0 + $1.count }
        let location = first.location.map { " at \($0.path):\($0.line)" } ?? ""
        return "the command ended with status 0, although \(count == 1 ? "a process" : "\(count) processes") crashed: "
            + "\(PlainText.line(first.title, limit: 200))\(location)"
    }

    /// - Returns: `nil` where nothing went wrong.
    static func line(_ failures: [Failure]) -> String? {
        let errors = failures.filter { $0.level == .error }
        guard !errors.isEmpty else { return nil }
        let named = errors.prefix(limit).map { failure in
            let location = failure.location.map { "\($0.path):\($0.line): " } ?? ""
            return location + PlainText.line(failure.title, limit: 200)
        }
        let more = errors.count > limit ? "; \(errors.count - limit) more" : ""
        return "\(errors.count) failure\(errors.count == 1 ? "" : "s"): \(named.joined(separator: "; "))\(more)"
    }
}
