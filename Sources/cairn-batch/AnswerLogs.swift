internal import ArgumentParser
internal import BatchProcessing
internal import BinaryPrimitives
internal import CommandSupport
internal import Console

/// `cairn batch DIR`: answers what lies there, and keeps it.
struct AnswerLogs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Answer all crash logs of folders, and keep what they say in a store.",
        usage: "cairn batch DIR... [--store FILE] [options]",
        discussion: """
            Every file is looked at; those that are no crash logs are counted and left alone. What a log said is kept with a hash of its bytes as soon as it is known: a run that was interrupted goes \
            on where it stopped, and no log is answered twice, wherever it lies.

            cairn batch crashes --store crashes.sqlite --symbols debug-files
            """)

    @Argument(help: "Folders of logs, or logs.")
    var paths: [String]

    @OptionGroup var storeOption: StoreOption

    @Option(help: ArgumentHelp("Logs that are looked up at once; the processors without it.", valueName: "count"))
    var jobs: Int?

    @Flag(help: "Answer logs once more that have frames without an answer: after symbols have come.")
    var retryUnresolved = false

    @Flag(
        help:
            "Keep no names of users, hosts and devices that logs tell (cairn anonymize says which); where the logs lie on this machine is kept."
    )
    var anonymize = false

    @Flag(help: "Go on when all is answered: answer what comes into the folders, until the run is ended (Control-C).")
    var watch = false

    @OptionGroup var signatures: SignatureOptions

    @Option(help: ArgumentHelp("Write the store as pages for a browser at the end; an earlier report there is replaced.", valueName: "dir"))
    var report: String?

    @Flag(help: "Tell nothing but errors.")
    var quiet = false

    @OptionGroup var source: SymbolOptions

    var store: String { storeOption.store }

    func validate() throws {
        if let jobs, !(1...1024).contains(jobs) { throw ValidationError("--jobs \(jobs): expected 1 to 1024") }
    }

    func run() async { endProcess(await BatchRun(command: self).run()) }
}

/// Where the commands find the store.
struct StoreOption: ParsableArguments {
    @Option(help: ArgumentHelp("The SQLite file that keeps everything; a run makes it where there is none.", valueName: "file"))
    var store = "crashes.sqlite"
}
