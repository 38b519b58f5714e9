internal import ArgumentParser
internal import BatchProcessing
internal import CommandSupport
internal import Console

/// `cairn batch copy FROM TO`: a store moves from a file to a server, or back.
struct CopyStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a store into a new one, between SQLite and PostgreSQL.",
        usage: "cairn batch copy FROM TO",
        discussion: """
            All rows are copied, or none. TO must be new or empty. Later runs go on with either store.

            cairn batch copy crashes.sqlite postgresql://crashes.example.org/crashes
            cairn batch copy postgresql://crashes.example.org/crashes copy.sqlite
            """)

    @Argument(help: ArgumentHelp("Store to copy: a file, or a postgresql:// address.", valueName: "from"))
    var from: String

    @Argument(help: ArgumentHelp("New store: a file, or a postgresql:// address.", valueName: "to"))
    var to: String

    func run() {
        do throws(StoreError) {
            let counts = try StoreCopy(from: from, to: to).run()
            var output = StandardOutput()
            for (table, rows) in counts where rows > 0 { output.append("\(table): \(rows)\n") }
            output.flush()
            endProcess(.done)
        } catch {
            printDiagnostic("batch: \(error.description)")
            endProcess(.failed)
        }
    }
}
