internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import Reporting
internal import SymbolSources
internal import Symbolication

/// `cairn explain LOG…`: why frames are unresolved, image by image.
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Explain why frames are unresolved, and how to fix it.",
        discussion: """
            Exits with status 3 if any frame with a known image is unresolved.

            cairn explain crash.ips --symbols App.xcarchive
            cairn explain --format json crash.log | jq '.images[] | select(.missing > 0)'
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Argument(help: "Crash logs, also compressed ones (default: standard input, as is -).", completion: .file())
    var logs: [String] = []

    @OptionGroup var source: SymbolOptions

    @Option(name: .of(.format), help: "text, or json: one object for each crash report.")
    var format = Format.text

    @Flag(name: .of(.verbose), help: "Show every location that was searched, and everything that would help.")
    var verbose = false

    @Option(name: .of(.color), help: ArgumentHelp("Colors in text: auto, always or never (see also NO_COLOR).", valueName: "when"))
    var color = ColorChoice.auto

    init() {}

    /// - Returns: `nil` where the line is not plain.
    init?(plain arguments: ArraySlice<String>) {
        var scan = ArgumentScan(arguments)
        source = SymbolOptions(&scan)
        format = scan.choice(.format) ?? .text
        verbose = scan.flag(.verbose)
        color = scan.choice(.color) ?? .auto
        logs = scan.operands()
        guard scan.isPlain else { return nil }
    }

    func run() {
        let (operands, symbols) = SymbolArguments.split(logs, isQuiet: false)
        let logs = LogArguments.logs(operands, of: "cairn explain")
        var source = source
        source.symbols += symbols
        let (provider, isComplete) = source.provider(
            source.makeServers(quiet: false), indexes: logs.count >= IndexRule.batchLogs ? .allFiles : .frequentFiles)
        var status = isComplete ? ExitStatus.done : .failed
        var options = Symbolicator.Options()
        options.architecture = source.architecture
        options.images = source.images
        let symbolicator = Symbolicator(provider: provider, options: options)
        let paths = LogPaths(logs)
        for path in paths.empty {
            printDiagnostic("\(path): no log in it: expected Filters/…/Logs with reports")
            status = max(status, .failed)
        }
        let advice = source.advice
        let theme = color.theme(isStandardOutput: true)
        var output = StandardOutput(keepsColors: true)
        var isFirst = true
        // More than what is shown is known of an image that lacks symbols.
        var hasMore = false
        for path in paths.logs {
            let reports = LogReports(formats: source.formats, isForced: source.logFormat != nil, symbolicator: symbolicator)
            let origin = source.origin(of: path)
            let isRead = reports.read(path, from: origin) { report, symbolicator in
                let explanation = Explanation(
                    symbolicator.symbolicate(report, from: origin), provider: symbolicator.provider, advice: advice)
                if explanation.lacksSymbols { status = max(status, .symbolsMissing) }
                switch format {
                case .text:
                    if !isFirst { output.append("\n") }
                    let log = path == "-" ? "LOG" : ShellWord.quoted(path)
                    let text = ExplanationText(theme: theme, isVerbose: verbose)
                    output.append(text.render(explanation, path: path) { "cairn \(source.searchArguments)\($0) \(log)" })
                    hasMore = hasMore || explanation.lacksSymbols
                case .json: output.append(ExplanationJSON().render(explanation, path: path))
                }
                isFirst = false
            }
            if !isRead { status = max(status, .failed) }
        }
        if hasMore, format == .text, !verbose {
            let arguments = logs.map { $0 == "-" ? "LOG" : ShellWord.quoted($0) }.joined(separator: " ")
            output.append("\nEverything that was searched: cairn explain --verbose \(source.searchArguments)\(arguments)\n")
        }
        output.flush()
        endProcess(status)
    }
}
