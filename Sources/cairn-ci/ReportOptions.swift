internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport

/// What a run leaves, and where. Without a word of the user's, what the service reads that runs the command.
struct ReportOptions: ParsableArguments {
    enum Annotations: String, ExpressibleByArgument, CaseIterable { case auto, github, none }

    @Option(
        help: ArgumentHelp(
            "auto: workflow commands where GitHub Actions runs the command; github: always; none.", valueName: "auto|github|none"))
    var annotations = Annotations.auto

    @Option(
        help: ArgumentHelp(
            "Append a summary in Markdown. On GitHub Actions it is the step's own; on Buildkite it becomes an annotation of the build.",
            valueName: "file"))
    var summary: String?

    @Option(help: ArgumentHelp("Write SARIF 2.1.0. On Jenkins it is cairn.sarif in the workspace.", valueName: "file"))
    var sarif: String?

    @Option(
        help: ArgumentHelp(
            "A JUnit report: one that the command has written is answered in place, its other bytes kept; where there is none, or only one of before the command, one is written that tells the failures. May be repeated.",
            valueName: "file"))
    var junit: [String] = []

    @Option(
        help: ArgumentHelp(
            "Write GitLab's code quality report. On GitLab it is gl-code-quality-report.json in the project's folder.", valueName: "file"))
    var codeQuality: String?

    @OptionGroup var places: FailurePlaces

    @Option(
        help: ArgumentHelp(
            "Where the command writes Swift Testing's stream of events (swift test --event-stream-output-path FILE): its failures count, too.",
            valueName: "file"))
    var eventStream: String?
}
