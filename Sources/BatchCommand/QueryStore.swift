internal import ArgumentParser
internal import BatchProcessing
internal import CommandSupport
internal import Console
internal import Reporting

/// Opens a store to be read and ends the program with what `body` makes of it.
func query(
    _ store: String, filter: ReportFilter = ReportFilter(), _ body: (DatabaseQueries) throws(StoreError) -> ExitStatus
) -> Never {
    do throws(StoreError) { endProcess(try body(try openStore(store, filter))) } catch {
        printDiagnostic("batch: \(error.description)")
        endProcess(.failed)
    }
}

/// A store that is queried and never changed.
func openStore(_ store: String, _ filter: ReportFilter = ReportFilter()) throws(StoreError) -> DatabaseQueries {
    return try DatabaseQueries(path: store, filter: filter)
}

func printResult(_ bytes: [UInt8]) {
    var output = StandardOutput(keepsColors: true)
    output.append(bytes)
    output.flush()
}

/// Which reports of a store are looked at.
struct FilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only reports of this program.", valueName: "name"))
    var process: String?

    @Option(help: ArgumentHelp("Only reports of this version of the program, as the logs have it.", valueName: "version"))
    var version: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Only reports of logs in a folder of this name, as data engines name partitions: tenant=acme. Repeatable; all must be true.",
            valueName: "name=value"))
    var columns: [String] = []

    func validate() throws {
        for column in columns where !column.contains("=") || column.contains("/") || column.first == "=" {
            throw ValidationError("--where \(column): expected NAME=VALUE, a folder in the paths of the logs")
        }
    }

    var filter: ReportFilter { ReportFilter(process: process, version: version, columns: columns) }
}

/// How the commands that query a store print results.
struct ResultOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Option(name: [.customLong("format"), .customShort("f")], help: "text, or json: one object, with timestamps in UTC.")
    var format = Format.text

    @Option(help: ArgumentHelp("Colors in text: auto, always or never (see also NO_COLOR).", valueName: "when"))
    var color = ColorChoice.auto

    var theme: Theme { color.theme(isStandardOutput: true) }
}
