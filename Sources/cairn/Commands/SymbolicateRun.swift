internal import BinaryPrimitives
internal import CrashReports
internal import Demangling
internal import ObjectFiles
internal import Reporting
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// One run of `cairn symbolicate`: log after log, each on its own, over one table of open symbol files.
struct SymbolicateRun {
    private let command: Symbolicate
    private let paths: LogPaths
    private let renderer: any Renderer
    private let symbolicator: Symbolicator
    private var status = ExitStatus.done
    private var standardOutput = StandardOutput()
    private var namesWritten: Set<String> = []
    private var said: Set<String> = []

    init(command: Symbolicate) {
        self.command = command
        paths = LogPaths(command.logs)
        let given = command.symbols + (environmentVariable("CAIRN_SYMBOLS") ?? "").split(separator: ":").map(String.init)
        for path in given where PathKind(path: path) == nil {
            complain("\(path): nothing is there: expected a symbol file, a dSYM bundle or a folder of them")
            status = .failed
        }
        let names = BCSymbolMapSearch(symbols: given)
        let provider = SourceProvider(
            symbols: given, force: command.force, openFile: { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) },
            openSource: { ImageSource.open($0, hiddenNames: names) })
        let threads: Symbolicator.Threads = command.threads == .crashed ? .crashed : .all
        var options = Symbolicator.Options()
        options.adjustment = ReturnAddressAdjustment(rawValue: command.adjust.rawValue) ?? .auto
        options.showsInlinedCalls = !command.noInlines
        options.demangler = Demangler(
            style: command.noDemangle ? .none : Demangler.Style(rawValue: command.demangle.rawValue) ?? .simplified)
        options.threads = threads
        options.architecture = command.arch.map(Architecture.init)
        symbolicator = Symbolicator(provider: provider, options: options)
        renderer =
            switch command.format {
            case .same: SameRenderer()
            case .text: TextRenderer(theme: Self.theme(command), threads: threads)
            case .json: JSONRenderer(threads: threads)
            }
    }

    private static func theme(_ command: Symbolicate) -> Theme {
        switch command.color {
        case .always: .color
        case .never: .plain
        case .auto:
            command.output == nil && FileDescriptor.isTerminal(1) && (environmentVariable("NO_COLOR") ?? "").isEmpty ? .color : .plain
        }
    }

    mutating func run() -> ExitStatus {
        let isDirectory = command.output.map { paths.logs.count > 1 || PathKind(path: $0) == .directory } ?? false
        for path in paths.empty {
            complain("\(path): it holds no log: expected Filters/…/Logs with reports")
            worsen(.failed)
        }
        for path in paths.logs { answer(path, intoDirectory: isDirectory) }
        standardOutput.flush()
        return status
    }

    private mutating func answer(_ path: String, intoDirectory isDirectory: Bool) {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try readInput(path) } catch {
            complain(error.description)
            return worsen(.failed)
        }
        let log = CrashLog.parse(bytes.span, formatName: command.logFormat)
        for problem in log.problems { complain("\(path): \(problem)") }
        if !log.problems.isEmpty { worsen(.failed) }
        if command.format == .same, let binary = log.reports.first(where: { !FormatRegistry.standard.holdsAnswers($0) }) {
            complain("\(path): \(binary.format) is binary, and answers cannot be written into it: use --format text or --format json")
        }
        let reports = log.reports.map(symbolicator.symbolicate)
        if !command.quiet { for report in reports { explain(report, path: path) } }
        if command.strict, reports.contains(where: \.lacksSymbols) { worsen(.symbolsMissing) }
        write(renderer.render(SymbolicatedLog(path: path, reports: reports), source: bytes.span), of: path, intoDirectory: isDirectory)
    }

    /// What the user should know although the log itself goes on without it: symbol files that were looked at and not used, and choices that were made.
    private mutating func explain(_ report: SymbolicatedReport, path: String) {
        let refusals = report.images.filter { $0.status == .missing }.flatMap { $0.refusals.map(\.description) }
        // A report without a stack is named: its own notes say what it is, and the log comes out as it went in.
        let isEmpty = report.report.stacks.allSatisfy(\.frames.isEmpty)
        for line in refusals + report.notes.dropFirst(isEmpty ? 0 : report.report.notes.count) where said.insert(line).inserted {
            complain("\(path): \(line)")
        }
    }

    private mutating func write(_ bytes: [UInt8], of log: String, intoDirectory isDirectory: Bool) {
        guard let output = command.output else { return standardOutput.append(bytes) }
        do throws(FileError) {
            var target = output
            if isDirectory {
                try FileReplacement.makeDirectory(output)
                target = Path.join(output, freeName(for: log))
            }
            if paths.logs.contains(where: { $0 != "-" && FileReplacement.isSameFile($0, target) }) {
                complain("\(target): it is one of the logs: expected another place, no input is ever changed")
                return worsen(.failed)
            }
            try FileReplacement.write(bytes, to: target)
        } catch {
            complain(error.description)
            worsen(.failed)
        }
    }

    /// The log's own name, with the format's ending; numbered where several logs have one name.
    private mutating func freeName(for log: String) -> String {
        let stem = log == "-" ? "standard-input" : Path.name(of: log)
        let ending =
            switch command.format {
            case .same: ""
            case .text: ".txt"
            case .json: ".json"
            }
        let dot = stem.utf8.lastIndex(of: UInt8(ascii: ".")) ?? stem.endIndex
        var name = stem + ending
        var number = 2
        while !namesWritten.insert(name).inserted {
            name = "\(stem[..<dot])-\(number)\(stem[dot...])\(ending)"
            number += 1
        }
        return name
    }

    private mutating func worsen(_ other: ExitStatus) { status = max(status, other) }
}
