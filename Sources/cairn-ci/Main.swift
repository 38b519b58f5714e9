internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandRunning
internal import CommandSupport
internal import Console
internal import Reporting
internal import Symbolication

/// The neighbour of `cairn` that runs a command of continuous integration.
@main struct CairnCI: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cairn-ci",
        abstract: "Runs a command, answers every stack in its output as it passes, and leaves reports where people read them.",
        usage: "cairn ci [options] -- COMMAND [ARGUMENT...]",
        discussion: """
            Output flows as the command writes it, on a terminal if there is one; its exit status, or the signal that ended it, is this command's own. Lines pass at once; a trace is held until it \
            has ended, nothing more has come for two seconds, or it is longer than 16 MiB.

            The command's environment gets what makes crashes worth reading, where the user has not set it: SWIFT_BACKTRACE (names are found here), the sanitizers' \
            …_SYMBOLIZER_PATH, UBSAN_OPTIONS=print_stacktrace=1 and RUST_BACKTRACE=1. --no-environment leaves it alone.

            Symbols are looked for where the log's images lie, where --symbols says, and in the folders of builds from the working directory up to the repository's root (.build, DerivedData, \
            CMake's, Bazel's, Cargo's).

            cairn ci -- swift test
            cairn ci --timeout 600 --symbols debug-files -- ctest --output-on-failure
            """,
        version: "cairn-ci \(cairnVersion)")

    @OptionGroup var source: SymbolOptions

    @OptionGroup(title: "What is left") var reports: ReportOptions

    @Option(
        help: ArgumentHelp(
            "After so long the command's processes are asked where they stand, by gdb where there is one and by SIGQUIT: first those that have started no others, as a runner of tests has; and ended if they do not end.",
            valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Leave the command's environment as it is.")
    var noEnvironment = false

    @Flag(help: "Do not ask gdb where processes stand that are over their time, nor what core files hold.")
    var noDebugger = false

    @Flag(
        name: [.customLong("verbose"), .customShort("v")], help: "Say what is added to the environment, and where symbols are looked for.")
    var verbose = false

    @Argument(parsing: .postTerminator, help: "The command and its arguments.")
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else { throw ValidationError("no command: expected cairn ci -- COMMAND") }
        if let timeout, !(timeout > 0 && timeout <= 86_400 * 7) {
            throw ValidationError("--timeout \(timeout): expected more than 0 seconds, a week at most")
        }
    }

    func run() {
        var run = CIRun(command: self)
        run.run()
    }

    static func main() {
        FileChanges.survive()
        do {
            var command = try parseAsRoot(DebuginfodOptions.separated(Array(CommandLine.arguments.dropFirst())))
            try command.run()
        } catch {
            // Help and the version come as errors that mean success.
            guard exitCode(for: error) != .success else { exit(withError: error) }
            complainOfUsage(message(for: error), of: "cairn ci", prefix: "ci: ")
            endProcess(.usage)
        }
    }
}
