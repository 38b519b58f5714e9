internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport

/// Reports that a run writes, and their paths. By default it writes the report that the service
/// reads in which the command runs.
struct ReportOptions: ParsableArguments {
    enum Annotations: String, ExpressibleByArgument, CaseIterable { case auto, github, none }

    @Option(
        name: .of(.annotations),
        help: ArgumentHelp(
            "auto: workflow commands if GitHub Actions runs the command; github: always; none: never.", valueName: "auto|github|none"))
    var annotations = Annotations.auto

    @Option(
        name: .of(.summary),
        help: ArgumentHelp(
            "Append a Markdown summary to this file (default: the step summary on GitHub Actions, an annotation on Buildkite).",
            valueName: "file"))
    var summary: String?

    @Option(
        name: .of(.sarif), help: ArgumentHelp("Write SARIF 2.1.0 (default on Jenkins: cairn.sarif in the workspace).", valueName: "file"))
    var sarif: String?

    @Option(
        name: .of(.junit),
        help: ArgumentHelp(
            "JUnit report. If the command writes one, symbolicate it in place; otherwise create one. Repeatable.",
            valueName: "file"))
    var junit: [String] = []

    @Option(
        name: .of(.codeQuality),
        help: ArgumentHelp(
            "Write GitLab's code quality report (default on GitLab: gl-code-quality-report.json in the project directory).",
            valueName: "file"))
    var codeQuality: String?

    @OptionGroup var repositoryOptions: RepositoryOptions

    @Option(
        name: .of(.eventStream),
        help: ArgumentHelp(
            "Also report failures from Swift Testing's event stream, which the command writes to this file (swift test --event-stream-output-path FILE).",
            valueName: "file"))
    var eventStream: String?

    init() {}

    init(_ scan: inout ArgumentScan) {
        annotations = scan.choice(.annotations) ?? .auto
        summary = scan.value(.summary)
        sarif = scan.value(.sarif)
        junit = scan.values(.junit)
        codeQuality = scan.value(.codeQuality)
        repositoryOptions = RepositoryOptions(&scan)
        eventStream = scan.value(.eventStream)
    }
}
