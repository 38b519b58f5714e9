internal import ArgumentParser
internal import CommandSupport
internal import Console

/// `cairn symbolicate LOG…`: the main job.
struct Symbolicate: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Answer the addresses in crash logs.")

    enum Format: String, ExpressibleByArgument, CaseIterable { case same, text, json }
    enum DemangleStyle: String, ExpressibleByArgument, CaseIterable { case simplified, full, none }
    enum Adjustment: String, ExpressibleByArgument, CaseIterable { case auto, always, never }
    enum Threads: String, ExpressibleByArgument, CaseIterable { case all, crashed }

    @Argument(help: "Crash logs; - is standard input.")
    var logs: [String]

    @OptionGroup var source: SymbolOptions

    @Option(
        name: [.customLong("format"), .customShort("f")], help: "same: the log itself, answered in place; text: a readable report; json.")
    var format = Format.same

    @Option(
        name: [.customLong("output"), .customShort("o")], help: "Where to write; for several logs, a folder. Standard output without it.")
    var output: String?

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
        var run = SymbolicateRun(command: self)
        endProcess(run.run())
    }
}
