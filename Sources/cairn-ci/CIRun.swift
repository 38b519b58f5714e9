internal import BinaryPrimitives
internal import CommandRunning
internal import CommandSupport
internal import Console
internal import Reporting
internal import Symbolication

/// One run of `cairn ci`.
struct CIRun {
    private let command: CairnCI
    /// Of the repository; `nil` outside of one.
    private let root: String?

    init(command: CairnCI) {
        self.command = command
        root = BuildPlaces.repository(above: Directory.working)
    }

    /// Runs the command, and ends this process as the command ended.
    mutating func run() -> Never {
        let places = BuildPlaces.folders(workingDirectory: Directory.working, root: root)
        // What is wrong with the places is told; it does not keep the command from running.
        let (provider, _) = command.source.provider(command.source.debuginfod.place(quiet: true), places: places)
        let symbolicator = Symbolicator(provider: provider, options: command.source.symbolication)
        let link = command.noEnvironment ? nil : SymbolizerLink()
        defer { link?.remove() }
        var variables = environmentVariables()
        var changes: [String] = []
        if !command.noEnvironment {
            let environment = ChildEnvironment(variables, symbolizer: link?.path)
            (variables, changes) = (environment.variables, environment.changes)
        }
        if command.verbose {
            for change in changes { complain("ci: added to the environment: \(change)") }
            for place in places { complain("ci: symbols are looked for in \(place)") }
        }
        let formats = command.source.formats
        var status: RunningCommand.Status
        do throws(FileError) {
            let timeout = command.timeout.map { Duration.milliseconds(Int64($0 * 1000)) }
            var relay = try CommandRelay(command.command, environment: variables, timeout: timeout) {
                LiveLog(symbolicator: symbolicator, registry: formats, showsText: true)
            }
            status = relay.run { passage, stream in take(passage, stream) }
            if relay.hasTimedOut { complain("ci: the command took longer than \(command.timeout ?? 0) seconds, and was ended") }
        } catch {
            complain("ci: \(error.description)")
            link?.remove()
            // The shell's numbers: not found, and not to be run.
            exitProcess(error.isMissing ? 127 : 126)
        }
        link?.remove()
        switch status {
        case .exited(let code): exitProcess(code)
        case .killed(let signal): SignalRelay.end(by: signal)
        case .running, .stopped: exitProcess(1)
        }
    }

    private mutating func take(_ passage: LiveLog.Passage, _ stream: Int32) {}
}
