internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import CrashLogFormats
internal import CrashLogModel
internal import CrashReports
internal import Demangling
internal import MemoryReports
internal import Reporting
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// One run of `cairn symbolicate`: log after log, each on its own, over one table of open symbol
/// files.
struct SymbolicateRun {
    private let command: Symbolicate
    private let paths: LogPaths
    /// `nil` where a document of failures is made.
    private let renderer: (any Renderer)?
    /// Renderer of JSON and binary formats on a terminal, if no format was chosen; `nil` elsewhere:
    /// a pipe and a file get the log itself.
    private let shown: TextRenderer?
    /// Renderer of input that is not text, for every output, unless a format was chosen.
    private let shownBinary: TextRenderer?
    private var failures: FailureDocument?
    /// How several logs are written: each into a folder, or all of them as one document.
    private let isDirectory: Bool
    private let isOneDocument: Bool
    private let symbolicator: Symbolicator
    /// Formats of the reports, also where one is forced: a report inside a document has its own.
    private let formats = FormatRegistry.standard
    private let network: SymbolServers?
    private var status = ExitStatus.done
    private var names = FreeNames()
    private var printed: Set<String> = []
    /// No note has said that the output is JSON, and the user has not chosen a format or silence.
    private var mayNoteJSON: Bool
    private var use: SymbolFileUsage
    private lazy var logFiles = paths.files

    init(command: Symbolicate) {
        self.command = command
        paths = LogPaths(command.logs)
        use = SymbolFileUsage(command.source)
        mayNoteJSON = command.chosenFormat == nil && command.output == nil && !command.quiet
        network = command.source.makeServers(quiet: command.quiet)
        let (provider, isComplete) = command.source.provider(
            network, indexes: command.logs.count >= IndexRule.batchLogs ? .allFiles : .frequentFiles, quiet: command.quiet)
        if !isComplete { status = .failed }
        let threads: Symbolicator.Threads = command.threads == .crashed ? .crashed : .all
        var options = command.source.symbolication
        options.adjustment = ReturnAddressAdjustment(rawValue: command.adjust.rawValue) ?? .auto
        options.showsInlinedCalls = !command.noInlines
        options.demangler = Demangler(
            style: command.noDemangle ? .none : Demangler.Style(rawValue: command.demangle.rawValue) ?? .simplified)
        options.threads = threads
        if command.format.reportsFailures {
            // The location of a file in the repository is found by its whole path.
            options.sourcePaths = SourcePathRules(map: options.sourcePaths.map)
            failures = FailureDocument(
                command.format, root: command.repositoryOptions.root(around: command.source.sourceRoot.first),
                ownCode: command.repositoryOptions.rule,
                map: options.sourcePaths.map)
        }
        symbolicator = Symbolicator(provider: provider, options: options)
        let text = TextRenderer(
            theme: command.color.theme(isStandardOutput: command.output == nil), threads: threads, ownCode: command.repositoryOptions.rule)
        shown = command.chosenFormat == nil && command.output == nil && FileDescriptor.isTerminal(1) ? text : nil
        shownBinary = command.chosenFormat == nil ? text : nil
        renderer =
            switch command.format {
            case .same: SameRenderer(formats: formats)
            case .text: text
            case .appleCrash: AppleCrashRenderer(threads: threads)
            case .json: JSONRenderer(threads: threads)
            case .markdown, .sarif, .junit, .github: nil
            }
        let (isAlone, endings) = (paths.logs.count < 2, command.format.documentEndings ?? [])
        isDirectory =
            command.output.map { path in PathKind(path: path) == .directory || !isAlone && !endings.contains { path.hasSuffix($0) } }
            ?? false
        isOneDocument = failures != nil && !isAlone && !isDirectory
    }

    mutating func run() -> ExitStatus {
        for path in paths.empty {
            printDiagnostic("\(path): no log in it: expected Filters/…/Logs with reports")
            worsen(.failed)
        }
        for path in paths.logs { symbolicate(path) }
        if isOneDocument { writeDocument() }
        if !command.quiet, let leftOut = failures?.leftOut, leftOut > 0 {
            printDiagnostic("\(leftOut) more failures are left out: the limit for one log, or for all, is reached", as: .warning)
        }
        if !command.quiet {
            for problem in network?.problems ?? [] { printDiagnostic(problem, as: .warning) }
            use.report()
        }
        return status
    }

    /// The failures of all logs.
    private mutating func writeDocument() {
        do throws(FileError) {
            guard var output = try output(at: command.output), let document = failures?.removeDocument() else { return }
            try output.append(document.span)
            try output.finish()
        } catch {
            printDiagnostic(error.description)
            worsen(.failed)
        }
    }

    private mutating func symbolicate(_ path: String) {
        if path != "-", PathKind(path: path) == .directory {
            if SymbolArguments.isBundle(path) {
                printDiagnostic("\(path): symbols, and no log. To use them: cairn LOG --symbols \(ShellWord.quoted(path))")
                return worsen(.failed)
            }
            printDiagnostic("\(path): is a directory. Run: cairn batch \(command.source.searchArguments)\(ShellWord.quoted(path))")
            return worsen(.failed)
        }
        do throws(FileError) {
            var input = try LogInput(path)
            failures?.begin(log: path)
            defer { if isOneDocument { failures?.endLog() } }
            guard var output = try isOneDocument ? LogOutput(path: nil) : output(for: path) else { return }
            var log = Log(path: path, origin: command.source.origin(of: path), symbolicator: symbolicator)
            if let memory = try input.memory() {
                return try symbolicate(memory, of: &log, input.problem, to: &output)
            }
            let isLive = FileStamp(path: path == "-" ? "/dev/stdin" : path) == nil
            var stream = LogStream(registry: command.source.formats, isForced: command.source.logFormat != nil, isLive: isLive)
            while let bytes = try input.next() {
                if command.format == .same { output.use(input.encoding) }
                try stream.feed(bytes.span) { (piece, bytes) throws(FileError) in try write(piece, bytes, of: &log, to: &output) }
                // A live log's reader waits for it.
                try output.flush()
            }
            try stream.finish { (piece, bytes) throws(FileError) in try write(piece, bytes, of: &log, to: &output) }
            if command.format == .same, let odd = input.oddByte { output.append(raw: odd) }
            let problems = input.problems(of: stream)
            for problem in problems { printLogError(problem, of: path) }
            if log.hasBinary, log.hasReports {
                printDiagnostic(
                    "\(LogArguments.shown(path)): this is not text. Only its crash reports were written. Use --format text or --format json"
                )
                worsen(.failed)
            }
            if !problems.isEmpty { worsen(.failed) }
            try finish(log, &output)
        } catch {
            printDiagnostic(error.description)
            worsen(.failed)
        }
    }

    /// A core file or a minidump: its threads are unwound first.
    private mutating func symbolicate(
        _ memory: (kind: MemoryFormat, file: MappedFile), of log: inout Log, _ problem: LogError?, to output: inout LogOutput
    ) throws(FileError) {
        let shown = LogArguments.shown(log.path)
        if let problem {
            printDiagnostic("\(shown): \(problem)")
            worsen(.failed)
        }
        let made: MemoryReader.Report
        do throws(LogError) { made = try MemoryReader(symbolicator).report(memory.kind, memory.file, from: log.origin) } catch {
            printDiagnostic("\(shown): \(error)")
            return worsen(.failed)
        }
        log.symbolicator = made.symbolicator
        let none: [UInt8] = []
        try write([made.report], at: 0, none.span, of: &log, to: &output)
        try finish(log, &output)
    }

    private mutating func finish(_ log: Log, _ output: inout LogOutput) throws(FileError) {
        if !isOneDocument {
            failures?.endLog()
            if let document = failures?.removeDocument() { try output.append(document.span) }
        }
        // A log that was left out gets no file, not even an empty one.
        if !log.isLeftOut { try output.finish() }
        guard log.unresolved > 0, !command.quiet else { return }
        let arguments = command.source.searchArguments + (log.path == "-" ? "LOG" : ShellWord.quoted(log.path))
        printDiagnostic(
            "\(LogArguments.shown(log.path)): \(log.unresolved) of \(log.frames) frames unresolved. Run: cairn explain \(arguments)",
            as: .warning)
    }

    /// A log while it is symbolicated.
    private struct Log {
        var path: String
        var origin: LogOrigin?
        /// Symbolicator for its reports.
        var symbolicator: Symbolicator
        var hasReports = false
        /// Frames that were looked up, and those of them that have no name.
        var frames = 0
        var unresolved = 0
        /// Its reports are shown as text, or written in Apple's layout into text that has it
        /// already.
        var isShown = false
        var isInPlace = false
        /// Bytes that are no text were kept from the output.
        var hasBinary = false
        /// Bytes that are no text were kept from the output, and nothing else came.
        var isLeftOut = false
    }

    private mutating func write(
        _ piece: LogStream.Piece, _ bytes: Span<UInt8>, of log: inout Log, to output: inout LogOutput
    ) throws(FileError) {
        switch piece {
        case .binary:
            // Bytes that are not text are never written: they may be a program's memory, and
            // commands to a terminal.
            log.hasBinary = command.format == .same
            log.isLeftOut = log.hasBinary && !log.hasReports
        case .text:
            // The rest of a log that is shown as a report is no part of it: a line ending.
            let isRest = log.isShown && bytes.copied().allSatisfy { $0 <= UInt8(ascii: " ") }
            if command.format == .same && !isRest || log.isInPlace { try output.append(bytes) }
            failures?.append(text: bytes)
        case .traces(let reports, let range): try write(reports, at: range.lowerBound, bytes, of: &log, to: &output)
        }
    }

    /// Symbolicates reports, and writes them in the format of the output.
    /// - Parameter start: position of their bytes in the log.
    private mutating func write(
        _ reports: [CrashReport], at start: Int, _ bytes: Span<UInt8>, of log: inout Log, to output: inout LogOutput
    ) throws(FileError) {
        let closed = reports.first { !formats.acceptsResults($0) }
        let shown = reports.allSatisfy(isText) ? nil : shown ?? (closed == nil ? nil : shownBinary)
        log.isShown = shown != nil
        var isBinary = false
        if command.format == .same, shown == nil, let closed {
            isBinary = !isText(closed)
            let why = isBinary ? "is binary, so it cannot be written as text" : "has no rows for symbols. The log is unchanged"
            printDiagnostic("\(log.path): \(closed.format) \(why). Use --format text or --format json")
        }
        let results = reports.map { log.symbolicator.symbolicate($0.moved(by: -start), from: log.origin) }
        log.isInPlace = command.format == .appleCrash && results.allSatisfy(AppleCrashRenderer.isInPlace)
        note(results, of: &log)
        guard let renderer else {
            for report in results { failures?.append(report) }
            return
        }
        if isBinary {
            log.isLeftOut = true
            return worsen(.failed)
        }
        log.isLeftOut = false
        // A blank line between the reports of one log.
        if command.format == .text || command.format == .appleCrash || shown != nil, log.hasReports {
            try output.append([UInt8(ascii: "\n")].span)
        }
        log.hasReports = true
        if shown == nil, results.contains(where: { !isText($0.report) }) { noteJSON(bytes, of: log) }
        try output.append((shown ?? renderer).render(SymbolicatedLog(path: log.path, reports: results), source: bytes).span)
    }

    /// A user who pipes a JSON log may have expected a readable report: a note says once how to get one.
    private mutating func noteJSON(_ bytes: Span<UInt8>, of log: Log) {
        guard mayNoteJSON, FileDescriptor.isPipe(1), [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(bytes.at(0)) else { return }
        mayNoteJSON = false
        printDiagnostic("\(LogArguments.shown(log.path)): JSON, as the log. For a report: --format text", as: .note)
    }

    private func isText(_ report: CrashReport) -> Bool { formats.lineFormats.contains { $0.name == report.format } }

    /// Prints the warnings of symbolicated reports, counts their frames, and notes what they lack in the status.
    private mutating func note(_ results: [SymbolicatedReport], of log: inout Log) {
        for report in results {
            let remarks = use.record(report)
            guard !command.quiet else { continue }
            explain(report, path: log.path)
            for line in remarks where printed.insert(line).inserted { printDiagnostic("\(log.path): \(line)", as: .warning) }
        }
        for report in results {
            log.frames += report.allFrames.count { if case .notLookedUp = $0.outcome.result { false } else { true } }
            log.unresolved += report.unresolvedFrames
        }
        if command.strict || command.strictLines, results.contains(where: \.lacksSymbols) { worsen(.symbolsMissing) }
        if command.strictLines, results.contains(where: { $0.framesWithoutLine > 0 }) { worsen(.symbolsMissing) }
    }

    /// Prints warnings although the log itself is processed: symbol files that were examined and
    /// not used, and choices that were made.
    private mutating func explain(_ report: SymbolicatedReport, path: String) {
        let refusals = report.images.filter { $0.status == .missing }.flatMap { $0.refusals.map(\.description) }
        // A report without a stack is named: its own notes say what it is, and the log is written
        // unchanged.
        let isEmpty = report.report.stacks.allSatisfy { $0.frames.isEmpty }
        // Parts of the log that were left out are named as well.
        let own = isEmpty ? report.report.notes : report.report.cuts
        for line in refusals + own where printed.insert(line).inserted { printDiagnostic("\(path): \(line)", as: .warning) }
        for line in report.notes.dropFirst(report.report.notes.count) where printed.insert(line).inserted {
            printDiagnostic("\(path): \(line)", as: .note)
        }
    }

    /// - Returns: `nil` where it would be written over one of the logs.
    private mutating func output(for log: String) throws(FileError) -> LogOutput? {
        guard isDirectory, let folder = command.output else { return try output(at: command.output) }
        try FileReplacement.makeDirectory(folder)
        return try output(at: Path.join(folder, names.free(for: log, ending: command.format.ending)))
    }

    private mutating func output(at target: String?) throws(FileError) -> LogOutput? {
        guard let target else { return try LogOutput(path: nil) }
        if let file = FileIdentity(path: target), logFiles.contains(file) {
            printDiagnostic("\(target): it is one of the logs, and cairn never changes its input. Choose another path")
            worsen(.failed)
            return nil
        }
        return try LogOutput(path: target)
    }

    private mutating func worsen(_ other: ExitStatus) {
        status = max(status, other)
        if other == .failed { failures?.isComplete = false }
    }
}
