internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console

/// `cairn symbolicate LOG…`: the main job.
struct Symbolicate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Symbolicate crash logs.",
        discussion: """
            cairn crash.ips --symbols App.dSYM
            cairn crash.log --symbols build/ --format text
            ./server 2>&1 | cairn --symbols build/

            Exit status: 0 for success, 1 for an error, 3 for unresolved frames with --strict, 64 for invalid usage.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case same, text, json, markdown, sarif, junit, github
        case appleCrash = "apple-crash"

        /// Ending that is added to a log's name where results are written into a folder.
        var ending: String {
            switch self {
            case .same: ""
            case .appleCrash: ".crash"
            case .text, .github: ".txt"
            case .json: ".json"
            case .markdown: ".md"
            case .sarif: ".sarif"
            case .junit: ".xml"
            }
        }

        /// The format is a document of failures.
        var reportsFailures: Bool { documentEndings != nil }

        /// By these a place for several logs is known to be one document, and no folder.
        var documentEndings: [String]? {
            switch self {
            case .same, .text, .json, .appleCrash: nil
            case .markdown: [".md"]
            case .sarif: [".sarif", ".json"]
            case .junit: [".xml"]
            case .github: []
            }
        }
    }
    enum DemangleStyle: String, ExpressibleByArgument, CaseIterable { case simplified, full, none }
    enum Adjustment: String, ExpressibleByArgument, CaseIterable { case auto, always, never }
    enum Threads: String, ExpressibleByArgument, CaseIterable { case all, crashed }

    @Argument(help: "Crash logs, also compressed ones (default: standard input, as is -).", completion: .file())
    var logs: [String] = []

    @OptionGroup var source: SymbolOptions

    @Option(
        name: .of(.format),
        help: ArgumentHelp(
            "same: the log itself, symbolicated in place; text: a readable report; json; apple-crash: Apple's text layout; or a failure report: markdown, sarif, junit, github. On a terminal, logs in JSON and binary formats are shown as text (default: same).",
            discussion: """
                A failure report has one failure for each crash report: the cause, the first line of your code, the stack (of a hang, every thread) and the log. All logs together \
                make one document. With a directory as output, each log has its own.
                markdown: a section for each failure, at most 1 MiB, for GitHub's summaries and comments.
                sarif: SARIF 2.1.0; a failure with a line in the repository is a result, any other a notification of the run.
                junit: a suite for each log, a failure is a test case with an error.
                github: workflow commands, which GitHub Actions shows on the lines of a change. At most ten of each level.
                Address lists and profiles are not failures: they are a note in SARIF, a skipped test case in JUnit, a notice on GitHub.
                """))
    var chosenFormat: Format?

    /// Format of the output; without a chosen one, the log's own.
    var format: Format { chosenFormat ?? .same }

    @Option(
        name: .of(.output),
        help: ArgumentHelp(
            "Output file, or directory for several logs (default: standard output). SARIF, JUnit and Markdown can combine all logs in one file.",
            valueName: "path"), completion: .file())
    var output: String?

    @OptionGroup var repositoryOptions: RepositoryOptions

    @Flag(name: .of(.noInlines), help: "Do not expand inlined frames.")
    var noInlines = false

    @Flag(name: .of(.noDemangle), help: "Do not demangle symbol names.")
    var noDemangle = false

    @Option(name: .of(.demangle), help: ArgumentHelp("Swift names: simplified (as in crash reports), full, or none.", valueName: "style"))
    var demangle = DemangleStyle.simplified

    @Flag(
        name: .of(.strict),
        help: "Exit with status 3 if any frame with a known image is unresolved. --strict=lines: or if a frame has a name and no line.")
    var strict = false

    /// `--strict=lines`, which `DebuginfodOptions.separated` has put here: the parser has no flag
    /// with a value.
    @Flag(name: .of(.strictLines), help: .private)
    var strictLines = false

    @Option(
        name: .of(.adjust),
        help: ArgumentHelp("Adjust return addresses by one byte before lookup: auto (per format), always or never.", valueName: "when"))
    var adjust = Adjustment.auto

    @Option(name: .of(.threads), help: ArgumentHelp("Threads to symbolicate: all, or only the crashed thread.", valueName: "which"))
    var threads = Threads.all

    @Flag(name: .of(.quiet), help: "Print errors only.")
    var quiet = false

    @Option(name: .of(.color), help: ArgumentHelp("Colors in text: auto, always or never (see also NO_COLOR).", valueName: "when"))
    var color = ColorChoice.auto

    init() {}

    /// - Returns: `nil` where the line is not plain.
    init?(plain arguments: ArraySlice<String>) {
        var scan = ArgumentScan(arguments)
        source = SymbolOptions(&scan)
        chosenFormat = scan.choice(.format)
        output = scan.value(.output)
        repositoryOptions = RepositoryOptions(&scan)
        noInlines = scan.flag(.noInlines)
        noDemangle = scan.flag(.noDemangle)
        demangle = scan.choice(.demangle) ?? .simplified
        strict = scan.flag(.strict)
        strictLines = scan.flag(.strictLines)
        adjust = scan.choice(.adjust) ?? .auto
        threads = scan.choice(.threads) ?? .all
        quiet = scan.flag(.quiet)
        color = scan.choice(.color) ?? .auto
        logs = scan.operands()
        guard scan.isPlain else { return nil }
    }

    func run() {
        if logs.isEmpty, FileDescriptor.isTerminal(0), [[], ["symbolicate"]].contains(Program.arguments.dropFirst()) {
            // A user who types no more wants to learn what the program is: that is no error.
            show(ShortHelp.root.text)
        }
        var command = self
        let (logs, symbols) = SymbolArguments.split(logs, isQuiet: quiet)
        command.logs = LogArguments.logs(logs, of: "cairn symbolicate")
        command.source.symbols += symbols
        var run = SymbolicateRun(command: command)
        endProcess(run.run())
    }
}
