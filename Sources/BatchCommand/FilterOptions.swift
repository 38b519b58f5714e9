internal import ArgumentParser
internal import BatchProcessing
internal import CommandSupport

/// Which reports of a store are looked at.
struct FilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only reports of this program.", valueName: "name"))
    var process: String?

    @Option(help: ArgumentHelp("Only reports of this version of the program, as the logs have it.", valueName: "version"))
    var version: String?

    var filter: ReportFilter { ReportFilter(process: process, version: version) }
}
