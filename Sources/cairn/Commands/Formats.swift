internal import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import CrashReports

/// `cairn formats`: what it reads; `cairn formats LOG…`: what these are.
struct Formats: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the log formats that are read, or name those of some logs.")

    @Argument(help: "Logs to look into; - is standard input.")
    var logs: [String] = []

    func run() {
        var output = StandardOutput()
        var status = ExitStatus.done
        if logs.isEmpty { Self.list(to: &output) }
        let paths = LogPaths(logs)
        for path in paths.empty {
            complain("\(path): it holds no log: expected Filters/…/Logs with reports")
            status = .failed
        }
        for path in paths.logs { status = max(status, Self.name(path, to: &output)) }
        output.flush()
        endProcess(status)
    }

    private static func list(to output: inout StandardOutput) {
        let registry = FormatRegistry.standard
        let width = registry.names.map(\.count).max() ?? 0
        for name in registry.names {
            var summaries: [String] = []
            for format in registry.formats where format.name == name && !summaries.contains(format.summary) {
                summaries.append(format.summary)
            }
            output.append(name + String(repeating: " ", count: width + 2 - name.count) + summaries.joined(separator: "; ") + "\n")
        }
    }

    private static func name(_ path: String, to output: inout StandardOutput) -> ExitStatus {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try readInput(path) } catch {
            complain(error.description)
            return .failed
        }
        let log = CrashLog.parse(bytes.span)
        var names: [String] = []
        for report in log.reports where !names.contains(report.format) { names.append(report.format) }
        guard names.isEmpty else {
            output.append(PlainText.line("\(path): \(names.joined(separator: ", "))") + "\n")
            return .done
        }
        if let foreign = log.foreign {
            output.append(PlainText.line("\(path): \(foreign.name) (\(foreign.kind); to read it: \(foreign.pipeline(path: path)))") + "\n")
            return .done
        }
        for problem in log.problems { complain("\(path): \(problem)") }
        return .failed
    }
}
