internal import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import CrashLogFormats
internal import CrashLogModel
internal import CrashReports

/// `cairn formats`: what it reads; `cairn formats LOG…`: what these are.
struct Formats: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the supported log formats, or detect the format of the given logs.")

    @Argument(
        help: "Logs to detect the format of, also compressed ones; - is standard input. Without any, list all formats.", completion: .file()
    )
    var logs: [String] = []

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Option(name: [.customLong("format"), .customShort("f")], help: "text, or json: one object for each format or log.")
    var format = Format.text

    func run() {
        var output = StandardOutput()
        var status = ExitStatus.done
        if logs.isEmpty { list(to: &output) }
        let paths = LogPaths(logs)
        for path in paths.empty {
            printDiagnostic("\(path): no log in it: expected Filters/…/Logs with reports")
            status = .failed
        }
        for path in paths.logs { status = max(status, name(path, to: &output)) }
        output.flush()
        endProcess(status)
    }

    private func list(to output: inout StandardOutput) {
        let registry = FormatRegistry.standard
        var rows = registry.names.map { name in
            var summaries: [String] = []
            for family in registry.formats.flatMap({ $0.families }) where family.name == name && !summaries.contains(family.summary) {
                summaries.append(family.summary)
            }
            return (name: name, summary: summaries.joined(separator: "; "))
        }
        rows += MemoryFormat.allCases.map { ($0.rawValue, $0.summary) }
        let width = rows.map(\.name.count).max() ?? 0
        for (name, summary) in rows {
            switch format {
            case .text: output.append(name + String(repeating: " ", count: width + 2 - name.count) + summary + "\n")
            case .json: Self.append([("name", .string(name)), ("summary", .string(summary))], to: &output)
            }
        }
    }

    private func name(_ path: String, to output: inout StandardOutput) -> ExitStatus {
        let shown = LogArguments.shown(path)
        var names: [String] = []
        func note(_ piece: LogStream.Piece) {
            for report in piece.reports where !names.contains(report.format) { names.append(report.format) }
        }
        do throws(FileError) {
            var input = try LogInput(path)
            if let (kind, _) = try input.memory() {
                write(shown, [kind.rawValue], to: &output)
                return .done
            }
            var stream = LogStream()
            // A device has no end, so all of it is there before any of it is looked at.
            var parts: [[UInt8]] = []
            var count = 0
            while let bytes = try input.next() {
                count += bytes.count
                guard count <= maxInput else { throw .tooLarge(shown) }
                parts.append(bytes)
            }
            for part in parts { stream.feed(part.span) { piece, _ in note(piece) } }
            stream.finish { piece, _ in note(piece) }
            let foreign = names.isEmpty && !input.isCompressed ? stream.foreign : nil
            write(shown, names, foreign.map { ($0, $0.pipeline(path: path)) }, to: &output)
            if foreign != nil { return .done }
            // Beside a report, what else is in the log does not matter: its format is known.
            let problems = names.isEmpty ? input.problems(of: stream) : []
            for problem in problems { printLogError(problem, of: path) }
            return problems.isEmpty ? .done : .failed
        } catch {
            printDiagnostic(error.description)
            return .failed
        }
    }

    private func write(
        _ shown: String, _ names: [String], _ foreign: (file: ForeignFile, command: String)? = nil, to output: inout StandardOutput
    ) {
        switch format {
        case .text:
            if !names.isEmpty { output.append(PlainText.line("\(shown): \(names.joined(separator: ", "))") + "\n") }
            if let (file, command) = foreign {
                output.append(PlainText.line("\(shown): \(file.name) (\(file.kind); to read it: \(command))") + "\n")
            }
        case .json:
            let other = foreign.map { file, command in
                WrittenJSON.object([("name", .string(file.name)), ("kind", .string(file.kind)), ("command", .string(command))])
            }
            Self.append([("log", .string(shown)), ("formats", .array(names.map { .string($0) })), ("foreign", other)], to: &output)
        }
    }

    private static func append(_ members: [(String, WrittenJSON?)], to output: inout StandardOutput) {
        var line: [UInt8] = []
        WrittenJSON.object(members).write(to: &line)
        output.append(line + [UInt8(ascii: "\n")])
    }
}
