internal import ArgumentParser
internal import BinaryPrimitives
internal import CrashReports
internal import Demangling
internal import ObjectFiles
internal import Reporting
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// `cairn symbolicate LOG…`: the main job.
struct Symbolicate: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Answer the addresses in crash logs.")

    enum Format: String, ExpressibleByArgument, CaseIterable { case same, text, json }
    enum DemangleStyle: String, ExpressibleByArgument, CaseIterable { case simplified, full, none }
    enum Color: String, ExpressibleByArgument, CaseIterable { case auto, always, never }
    enum Adjustment: String, ExpressibleByArgument, CaseIterable { case auto, always, never }
    enum Threads: String, ExpressibleByArgument, CaseIterable { case all, crashed }

    @Argument(help: "Crash logs; - is standard input.")
    var logs: [String]

    @Option(
        name: [.customLong("symbols"), .customShort("s")],
        help: "A symbol file, a dSYM bundle, or a folder of them. May be repeated; CAIRN_SYMBOLS adds more.")
    var symbols: [String] = []

    @Option(
        help:
            "The file system of the machine that the logs come from, as a folder: images are looked for at their own paths below it. May be repeated."
    )
    var sysroot: [String] = []

    @Option(
        name: [.customLong("format"), .customShort("f")], help: "same: the log itself, answered in place; text: a readable report; json.")
    var format = Format.same

    @Option(
        name: [.customLong("output"), .customShort("o")], help: "Where to write; for several logs, a folder. Standard output without it.")
    var output: String?

    @Option(help: "Read the logs as this format instead of detecting it (see cairn formats).")
    var logFormat: String?

    @Option(help: "The architecture, where a log does not tell it.")
    var arch: String?

    @Flag(help: "Give inlined calls no rows of their own.")
    var noInlines = false

    @Flag(help: "Give names as the binary has them.")
    var noDemangle = false

    @Option(help: "simplified: Swift names as crash reports print them; full; none.")
    var demangle = DemangleStyle.simplified

    @Flag(help: "Use symbol files whose identity differs from the log's; every such frame says so.")
    var force = false

    @Flag(help: "End with status 3 if a frame that has an image stays unanswered.")
    var strict = false

    @Option(help: "How return addresses are looked up: auto follows the format's rule, always and never override it.")
    var adjust = Adjustment.auto

    @Option(help: "all, or crashed: leave the other threads unanswered, or out.")
    var threads = Threads.all

    @Option(help: "Where identities of the files in large folders of symbols are kept for the next run; CAIRN_CACHE, else cairn in the user's cache folder.")
    var indexCache: String?

    @Flag(help: "Keep nothing for the next run, and read nothing that was kept.")
    var noIndex = false

    @Flag(name: [.customLong("quiet"), .customShort("q")], help: "Say nothing about symbol files that were refused.")
    var quiet = false

    @Option(help: "Colours in text: auto, always, never (NO_COLOR).")
    var color = Color.auto

    func validate() throws {
        if let logFormat, FormatRegistry.standard.only(logFormat) == nil {
            let names = FormatRegistry.standard.names.joined(separator: ", ")
            throw ValidationError("there is no log format \(logFormat): expected one of \(names)")
        }
    }

    func run() {
        var run = SymbolicateRun(command: self)
        endProcess(run.run())
    }
}
