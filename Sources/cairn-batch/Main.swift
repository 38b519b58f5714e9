internal import ArgumentParser
internal import BatchProcessing
internal import BinaryPrimitives
internal import CommandSupport
internal import Console

/// The neighbour of `cairn` for directories of crashes.
@main struct CairnBatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cairn-batch",
        abstract: "Answers all crash logs of folders, and keeps what they say in a store.",
        usage: "cairn batch DIR... --store FILE [options]",
        discussion: """
            Every file is looked at; those that are no crash logs are counted and left alone. What a log said is kept with a hash of its bytes as soon as it is known: a run that was interrupted goes \
            on where it stopped, and no log is answered twice, wherever it lies.

            cairn batch crashes --store crashes.sqlite --symbols debug-files
            """,
        version: "cairn-batch \(cairnVersion)")

    @Argument(help: "Folders of logs, or logs.")
    var paths: [String]

    @Option(help: ArgumentHelp("The SQLite file that keeps everything; made where there is none.", valueName: "file"))
    var store: String

    @Option(help: ArgumentHelp("Logs that are looked up at once; the processors without it.", valueName: "count"))
    var jobs: Int?

    @Flag(help: "Tell nothing but errors.")
    var quiet = false

    @OptionGroup var source: SymbolOptions

    func validate() throws {
        if let jobs, !(1...1024).contains(jobs) { throw ValidationError("--jobs \(jobs): expected 1 to 1024") }
    }

    func run() async { endProcess(await BatchRun(command: self).run()) }

    static func main() async {
        do {
            var command = try parseAsRoot(DebuginfodOptions.separated(Array(CommandLine.arguments.dropFirst())))
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            // Help and the version come as errors that mean success.
            guard exitCode(for: error) != .success else { exit(withError: error) }
            let message = message(for: error)
            complain("batch: \(message.hasSuffix(".") ? String(message.dropLast()) : message) (see cairn batch --help)")
            endProcess(.usage)
        }
    }
}
