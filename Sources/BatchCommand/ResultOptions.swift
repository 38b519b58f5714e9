internal import ArgumentParser
internal import CommandSupport
internal import Reporting

/// How the commands that query a store print results.
struct ResultOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Option(name: [.customLong("format"), .customShort("f")], help: "text, or json: one object, with timestamps in UTC.")
    var format = Format.text

    @Option(help: ArgumentHelp("Colors in text: auto, always or never (see also NO_COLOR).", valueName: "when"))
    var color = ColorChoice.auto

    var theme: Theme { color.theme(isStandardOutput: true) }
}
