internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console

/// `cairn symbolicate LOG…`: the main job.
struct Symbolicate: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Symbolicate crash logs.")

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case same, text, json, markdown, sarif, junit, github

        /// What is put behind a log's name where answers are written into a folder.
        var ending: String {
            switch self {
            case .same: ""
            case .text, .github: ".txt"
            case .json: ".json"
            case .markdown: ".md"
            case .sarif: ".sarif"
            case .junit: ".xml"
            }
        }

        /// The format is a document of failures.
        var tellsFailures: Bool { documentEndings != nil }

        /// By these a place for several logs is known to be one document, and no folder.
        var documentEndings: [String]? {
            switch self {
            case .same, .text, .json: nil
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

    @Argument(help: "Crash logs, also compressed ones (default: standard input, as is -).")
    var logs: [String] = []

    @OptionGroup var source: SymbolOptions

    @Option(
        name: [.customLong("format"), .customShort("f")],
        help: ArgumentHelp(
            "same: the log itself, answered in place; text: a readable report; json; and what tells failures: markdown, sarif, junit, github.",
            discussion: """
                What tells failures has one for each report: what happened, the first line of the user's own code, the stack that it is about (of a hang, every thread), the log. All logs together \
                make one document, but in a folder each has its own.
                markdown: a section for each failure, at most 1 MiB, as GitHub's summaries and comments take it.
                sarif: SARIF 2.1.0; a failure with a line in the repository is a result, any other a notification of the run.
                junit: a suite for each log, a failure is a test case with an error.
                github: workflow commands, which GitHub Actions shows on the lines of a change; at most ten of each level.
                A list of addresses and a profile tell of no failure: they are a note in SARIF, a skipped test case in JUnit, a notice on GitHub.
                """))
    var format = Format.same

    @Option(
        name: [.customLong("output"), .customShort("o")],
        help:
            "Where to write; for several logs, a folder, or for sarif, junit and markdown a file FILE.sarif, .json, .xml or .md. Standard output without it."
    )
    var output: String?

    @OptionGroup var places: FailurePlaces

    @Flag(help: "Give inlined calls no rows of their own.")
    var noInlines = false

    @Flag(help: "Give names as the binary has them.")
    var noDemangle = false

    @Option(help: "simplified: Swift names as crash reports print them; full; none.")
    var demangle = DemangleStyle.simplified

    @Flag(help: "End with status 3 if a frame that has an image stays unanswered.")
    var strict = false

    @Option(help: "How return addresses are looked up: auto follows the format's rule, always and never override it.")
    var adjust = Adjustment.auto

    @Option(help: "all, or crashed: leave the other threads unanswered, or out.")
    var threads = Threads.all

    @Flag(name: [.customLong("quiet"), .customShort("q")], help: "Say nothing about symbol files that were refused.")
    var quiet = false

    @Option(help: "Colours in text: auto, always, never (NO_COLOR).")
    var color = ColorChoice.auto

    func run() {
        if logs.isEmpty, FileDescriptor.isTerminal(0), ShortHelp.isWanted(Array(processArguments().dropFirst())) { ShortHelp.show() }
        var command = self
        command.logs = LogArguments.logs(logs, of: "cairn symbolicate")
        var run = SymbolicateRun(command: command)
        endProcess(run.run())
    }
}
