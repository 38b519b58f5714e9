package import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import Reporting
internal import Symbolication

/// The neighbour of `cairn` that runs a command of continuous integration.
package struct CairnCI: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "cairn-ci",
        abstract: "Run a command, symbolicate its output live, and report crashes to your CI service.",
        usage: "cairn ci [options] -- COMMAND [ARGUMENT...]",
        discussion: """
            Output streams live, on a terminal if there is one. The exit status, or the signal that ended the command, is passed on. Lines pass at once. A crash report is held until it \
            has ended. While no output comes, what is there of it is shown after a quarter of a second; after two seconds, or 16 MiB, it has ended.

            These variables are set for better crash reports, unless you have set them: SWIFT_BACKTRACE (names are resolved here), the sanitizers' \
            …_SYMBOLIZER_PATH, UBSAN_OPTIONS=print_stacktrace=1 and RUST_BACKTRACE=full. --no-environment turns this off.

            cairn searches for symbols at the paths of the images, in --symbols, and in build directories from the working directory up to the repository root (.build, DerivedData, \
            and those of CMake, Bazel and Cargo).

            cairn ci -- swift test
            cairn ci --timeout 600 --symbols debug-files -- ctest --output-on-failure
            """,
        version: "cairn-ci \(cairnVersion)")

    @OptionGroup var source: SymbolOptions

    @OptionGroup(title: "Report options") var reports: ReportOptions

    @Option(
        name: .of(.timeout),
        help: ArgumentHelp(
            "After this many seconds, capture stacks of the running processes (gdb, then SIGQUIT) and terminate them.",
            valueName: "seconds"))
    var timeout: Double?

    @Flag(name: .of(.noEnvironment), help: "Do not change the environment of the command.")
    var noEnvironment = false

    @Flag(
        name: .of(.noDebugger),
        help: "Do not watch the processes for crashes (ptrace), do not run gdb, and do not raise the limit of core files.")
    var noDebugger = false

    @Flag(
        name: .of(.verbose),
        help: "Show what is added to the environment, and where symbols are searched for.")
    var verbose = false

    @Argument(parsing: .postTerminator, help: "Command to run, with its arguments.")
    var command: [String] = []

    package init() {}

    /// - Returns: `nil` where the line is not plain.
    init?(plain arguments: [String]) {
        guard let end = arguments.firstIndex(of: "--") else { return nil }
        var scan = ArgumentScan(arguments[..<end])
        source = SymbolOptions(&scan)
        reports = ReportOptions(&scan)
        timeout = scan.number(.timeout)
        noEnvironment = scan.flag(.noEnvironment)
        noDebugger = scan.flag(.noDebugger)
        verbose = scan.flag(.verbose)
        command = Array(arguments[(end + 1)...])
        scan.check(self)
        guard scan.operands().isEmpty, scan.isPlain else { return nil }
    }

    package func validate() throws {
        guard !command.isEmpty else { throw ValidationError("no command after --. Run: cairn ci -- COMMAND") }
        if let timeout, !(timeout > 0 && timeout <= 86_400 * 7) {
            throw ValidationError("--timeout \(timeout): expected more than 0 seconds, a week at most")
        }
    }

    package func run() { CIRun(command: self).run() }

    /// The command line with `--` before the command: `cairn ci --timeout 60 swift test --filter a`
    /// has no `--`, and the command's options are taken for cairn's.
    private static func withTerminator(_ arguments: [String]) -> String? {
        guard !arguments.contains("--") else { return nil }
        for start in arguments.indices where !arguments[start].hasPrefix("-") {
            let whole = Array(arguments[..<start]) + ["--"] + arguments[start...]
            if (try? parseAsRoot(DebuginfodOptions.separated(whole))) != nil {
                return whole.map { ShellWord.quoted($0, isPath: false) }.joined(separator: " ")
            }
        }
        return nil
    }

    /// The text of `cairn ci -h`.
    private static var shortHelp: ShortHelp {
        ShortHelp(
            of: Self.self, usage: ["cairn ci [options] -- COMMAND [ARGUMENT...]"],
            examples: [
                "cairn ci -- swift test", "cairn ci --timeout 600 -- ctest --output-on-failure", "cairn ci --junit report.xml -- make test",
            ],
            options: [.symbols, .timeout, .annotations, .summary, .sarif, .junit, .codeQuality, .ownCode, .noDebugger, .verbose],
            more: [("cairn ci --help", "All options, and what is set in the environment.")])
    }

    /// - Parameter arguments: the arguments after `cairn ci`.
    package static func start(_ arguments: [String]) {
        FileChanges.survive()
        do {
            let arguments = DebuginfodOptions.separated(arguments)
            if let command = CairnCI(plain: arguments) { return command.run() }
            var command = try parseAsRoot(arguments)
            try command.run()
        } catch {
            // Help and the version come as errors that mean success.
            guard exitCode(for: error) != .success else {
                if ShortHelp.isWanted(arguments) { return print(shortHelp.text, terminator: "") }
                exit(withError: error)
            }
            let meant = withTerminator(arguments)
            printUsageError(
                meant.map { "the command must follow --. Run: cairn ci \($0)" } ?? usageProblem(error, arguments, root: "cairn ci"),
                of: "cairn ci", prefix: "ci: ")
            endProcess(.usage)
        }
    }
}
