internal import ArgumentParser
internal import BatchProcessing
internal import BinaryPrimitives
internal import CommandSupport
internal import Console

/// Makes pages of a store that is there; no log is read.
struct WriteReport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Write a store as HTML pages.",
        usage: "cairn batch report DIR [--title TEXT] [--process NAME] [--version VERSION] [--store FILE]",
        discussion: """
            An earlier report in the directory is replaced when the new one is complete. A directory with any other content is rejected. The pages need no network, no server \
            and no JavaScript. Open index.html.

            cairn batch report pages --store crashes.sqlite
            cairn batch report pages --title "Shop, nightly" --process shop
            """)

    @Argument(help: ArgumentHelp("Directory for the pages.", valueName: "dir"))
    var folder: String

    @Option(help: ArgumentHelp("Title of the pages (default: the names of the programs).", valueName: "text"))
    var title: String?

    @OptionGroup var filter: FilterOptions
    @OptionGroup var storeOption: StoreOption

    func run() { endProcess(Self.write(folder, store: storeOption.store, title: title, filter: filter.filter, quiet: false)) }

    /// Writes the pages, and says where they are.
    static func write(
        _ folder: String, store: String, title: String? = nil, filter: ReportFilter = ReportFilter(), quiet: Bool
    ) -> ExitStatus {
        do {
            let queries = try DatabaseQueries(path: store, filter: filter)
            let count = try CrashPages(queries, path: folder, title: title, store: store, version: cairnVersion).write()
            if !quiet {
                var output = StandardOutput()
                output.append(
                    PlainText.line("pages of \(count) \(count == 1 ? "group" : "groups"): \(Path.join(folder, "index.html"))") + "\n")
                output.flush()
            }
            return .done
        } catch {
            printDiagnostic("batch: \(error)")
            return .failed
        }
    }
}
