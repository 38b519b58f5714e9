internal import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import CrashLogFormats
internal import CrashReports

/// `cairn anonymize LOG…`: the logs without names, to be shared.
struct Anonymize: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove user names, host names and device IDs from logs before sharing.",
        discussion: """
            User names and home directories, host names, device keys and serial numbers, mail and network addresses become words of the same length. Everything else stays. What symbolication needs \
            (build IDs, UUIDs, addresses) stays, so that the log is symbolicated as before. Messages of the program itself are not interpreted: check them before you share the log.

            cairn anonymize report.ips -o shared.ips
            cairn anonymize crashes/*.crash -o shared/
            """)

    @Argument(help: ArgumentHelp("Logs, also compressed ones (default: standard input, as is -).", valueName: "log"), completion: .file())
    var logs: [String] = []

    @Option(
        name: [.customLong("output"), .customShort("o")],
        help: ArgumentHelp("Output file, or directory for several logs (default: standard output).", valueName: "path"))
    var output: String?

    func run() {
        var status = ExitStatus.done
        let paths = LogPaths(LogArguments.logs(logs, of: "cairn anonymize"))
        for path in paths.empty {
            printDiagnostic("\(path): no log in it: expected Filters/…/Logs with reports")
            status = .failed
        }
        let isFolder = output.map { PathKind(path: $0) == .directory || paths.logs.count > 1 || $0.hasSuffix("/") } ?? false
        var names = FreeNames()
        let files = paths.files
        for path in paths.logs {
            let target = output.map { isFolder ? Path.join($0, names.free(for: path)) : $0 }
            do throws(FileError) {
                if isFolder, let output { try FileReplacement.makeDirectory(output) }
                status = max(status, try Self.write(path, to: target, besides: files))
            } catch {
                printDiagnostic(error.description)
                status = .failed
            }
        }
        endProcess(status)
    }

    private static func write(_ path: String, to target: String?, besides logs: Set<FileIdentity>) throws(FileError) -> ExitStatus {
        if let target, let file = FileIdentity(path: target), logs.contains(file) {
            printDiagnostic("\(target): it is one of the logs, and cairn never changes its input. Choose another path")
            return .failed
        }
        // A name at the end may also be at the beginning, so the whole log is held.
        // So less of a compressed one is read.
        var limits = Limits.standard
        limits.logExpansion /= 2
        var input = try LogInput(path, limits: limits)
        if let (kind, _) = try input.memory() {
            let shown = path == "-" ? "FILE" : ShellWord.quoted(path)
            printDiagnostic(
                "\(LogArguments.shown(path)): this is \(kind.kind), which may hold anything that the program knew. Share a report of it: cairn --format text \(shown) | cairn anonymize -"
            )
            return .failed
        }
        var log: [UInt8] = []
        while let bytes = try input.next() {
            guard bytes.count <= maxInput - log.count else { throw .tooLarge(LogArguments.shown(path)) }
            log += bytes
        }
        if let problem = input.foreignProblem(log.span) {
            printDiagnostic("\(LogArguments.shown(path)): \(problem)")
            return .failed
        }
        var output = try LogOutput(path: target)
        output.use(input.encoding)
        try output.append(Anonymizer().bytes(log.span).span)
        if let odd = input.oddByte { output.append(raw: odd) }
        try output.finish()
        guard let problem = input.problem else { return .done }
        printDiagnostic("\(LogArguments.shown(path)): \(problem)")
        return .failed
    }
}
