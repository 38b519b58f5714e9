internal import ArgumentParser
internal import BatchProcessing
internal import BinaryPrimitives
internal import CommandSupport
internal import Console

/// `cairn batch DIR`: symbolicates the logs that are there, and keeps the results.
struct SymbolicateLogs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Symbolicate directories of crash logs, and store the results.",
        usage: "cairn batch DIR... [--store FILE] [options]",
        discussion: """
            Every file is examined. Files that are not crash logs are counted and skipped. Each result is stored at once, with a hash of the log, so that an interrupted run continues \
            where it stopped, and no log is symbolicated twice, whatever its path.

            cairn batch crashes --store crashes.sqlite --symbols debug-files
            """)

    @Argument(help: "Directories of logs, or logs.")
    var paths: [String]

    @OptionGroup var storeOption: StoreOption

    @Option(
        name: .of(.jobs),
        help: ArgumentHelp("Number of logs to symbolicate in parallel (default: number of processors).", valueName: "count"))
    var jobs: Int?

    @Flag(name: .of(.retryUnresolved), help: "Re-symbolicate logs that still have unresolved frames. Use after adding symbols.")
    var retryUnresolved = false

    @Flag(
        name: .of(.anonymize),
        help:
            "Do not store user names, host names and device IDs from logs (see cairn anonymize). The paths of the logs are stored."
    )
    var anonymize = false

    @Flag(name: .of(.watch), help: "Keep running: symbolicate new logs in the directories, until the run is stopped (Control-C).")
    var watch = false

    @OptionGroup var signatures: SignatureOptions

    @Option(
        name: .of(.report),
        help: ArgumentHelp("At the end, write HTML pages into this directory. An earlier report is replaced.", valueName: "dir"))
    var report: String?

    @Flag(name: .of(.quiet), help: "Print errors only.")
    var quiet = false

    @OptionGroup var source: SymbolOptions

    var store: String { storeOption.store }

    init() {}

    /// - Returns: `nil` where the line is not plain.
    init?(plain arguments: ArraySlice<String>) {
        var scan = ArgumentScan(arguments)
        storeOption = StoreOption(&scan)
        jobs = scan.number(.jobs)
        retryUnresolved = scan.flag(.retryUnresolved)
        anonymize = scan.flag(.anonymize)
        watch = scan.flag(.watch)
        signatures = SignatureOptions(&scan)
        report = scan.value(.report)
        quiet = scan.flag(.quiet)
        source = SymbolOptions(&scan)
        paths = scan.operands()
        scan.check(self)
        guard scan.isPlain, !paths.isEmpty else { return nil }
    }

    func validate() throws {
        if let jobs, !(1...1024).contains(jobs) { throw ValidationError("--jobs \(jobs): expected 1 to 1024") }
    }

    func run() async { endProcess(await BatchRun(command: self).run()) }
}

/// Option with the location of the store.
struct StoreOption: ParsableArguments {
    @Option(
        name: .of(.store),
        help: ArgumentHelp("Crash store: an SQLite file, or a postgresql:// address. A run creates it if needed.", valueName: "file"))
    var store = "crashes.sqlite"

    init() {}

    init(_ scan: inout ArgumentScan) { store = scan.value(.store) ?? "crashes.sqlite" }
}
