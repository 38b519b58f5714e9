internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import TestReports

/// Reports of a run, each for its reader. Problems here are printed, but never change how the run
/// ends.
struct CIReports {
    private let options: ReportOptions
    private let service: CIService?
    /// The command, as one line.
    private let command: String
    private let start = (instant: ContinuousClock.now, seconds: WallClock.seconds)
    private let earlier: EarlierFiles
    /// Symbolicates the stacks in a text.
    private let symbolicate: ([UInt8]) -> [UInt8]

    /// To be made when the command begins.
    init(options: ReportOptions, service: CIService?, command: String, symbolicate: @escaping ([UInt8]) -> [UInt8]) {
        self.options = options
        self.service = service
        self.command = command
        self.symbolicate = symbolicate
        earlier = EarlierFiles(options.junit + (options.eventStream.map { [$0] } ?? []))
    }

    /// - Parameters:
    ///   - collector: has gathered them.
    ///   - succeeded: the command ended with status 0.
    ///   - afterPartOfLine: the command's output ended without a line ending.
    func leave(_ failures: [Failure], of collector: FailureCollector, succeeded: Bool, afterPartOfLine: Bool) {
        if options.annotations == .github || options.annotations == .auto && service == .gitHub {
            // GitHub's runner accepts a workflow command only at the beginning of a line.
            let commands = GitHubAnnotations().render(failures)
            if !commands.isEmpty { try? FileDescriptor.write((afterPartOfLine ? [UInt8(ascii: "\n")] : []) + commands, to: 1) }
        }
        if let path = options.summary ?? variable("GITHUB_STEP_SUMMARY", of: .gitHub) { leaveSummary(failures, collector.tally, path) }
        if let path = options.codeQuality ?? inFolder("CI_PROJECT_DIR", "gl-code-quality-report.json", of: .gitLab) {
            write(GitLabCodeQuality().render(failures), path)
            let leftOut = GitLabCodeQuality.leftOut(failures)
            if leftOut > 0 { printDiagnostic("ci: \(path): failures without a line are left out: \(leftOut)", as: .warning) }
        }
        if let path = options.sarif ?? inFolder("WORKSPACE", "cairn.sarif", of: .jenkins) {
            write(SARIFReport(version: cairnVersion).render(failures), path)
        }
        for path in options.junit { leaveJUnit(failures, of: collector, path, succeeded) }
        if service == .buildkite, !failures.isEmpty { annotateBuildkite(failures) }
    }

    private func variable(_ name: String, of wanted: CIService) -> String? {
        service == wanted ? environmentVariable(name).flatMap { $0.isEmpty ? nil : $0 } : nil
    }

    private func inFolder(_ name: String, _ file: String, of wanted: CIService) -> String? {
        service == wanted ? Path.join(variable(name, of: wanted) ?? ".", file) : nil
    }

    private func write(_ bytes: [UInt8], _ path: String) {
        do throws(FileError) { try FileReplacement.write(bytes, to: path, isNamed: true) } catch {
            printDiagnostic("ci: \(error.description)")
        }
    }

    /// After what earlier commands of the step have written.
    private func leaveSummary(_ failures: [Failure], _ tally: TestTally?, _ path: String) {
        var before: [UInt8] = []
        do throws(FileError) { before = try FileDescriptor.readAll(atPath: path) } catch {
            // The summary replaces the file, and what earlier commands have written would be lost.
            if PathKind(path: path) == .file { return printDiagnostic("ci: \(error.description)") }
        }
        let summary = GitHubSummary(limit: max(0, GitHubSummary.sizeLimit - before.count)).render(failures, tally: tally)
        if !summary.isEmpty { write(before + summary, path) }
    }

    /// Whether a file that the command should have written is one of an earlier run; if so, prints a
    /// warning.
    /// - Parameter alternative: what is done instead.
    func isEarlier(_ path: String, instead alternative: String) -> Bool {
        guard earlier.isUntouched(path) else { return false }
        printDiagnostic("ci: \(path): not written by the command, and older than it: \(alternative)", as: .warning)
        return true
    }

    /// A report that the command has written is symbolicated in place; otherwise a new one lists
    /// the failures. A report of an earlier run would be taken for this run's.
    private func leaveJUnit(_ failures: [Failure], of collector: FailureCollector, _ path: String, _ succeeded: Bool) {
        guard PathKind(path: path) != nil, !isEarlier(path, instead: "replaced with a report of this run") else {
            let seconds = (ContinuousClock.now - start.instant) / .seconds(1)
            let suite = JUnitReport.Suite(
                name: command, startedAt: start.seconds, seconds: seconds, failures: failures, hasPassed: succeeded)
            return write(JUnitReport().render([suite]), path)
        }
        let tests = JUnitRewriter.Tests(
            failures: failures, results: collector.testResults, failuresInOutput: { collector.failures(inOutput: $0.span) })
        do throws(TestReportError) { _ = try JUnitRewriter().rewrite(path: path, tests: tests, symbolicate: symbolicate) } catch {
            printDiagnostic("ci: \(error.description)")
        }
    }

    private func annotateBuildkite(_ failures: [Failure]) {
        let program = "buildkite-agent"
        guard let path = SiblingPrograms().find(program) else {
            return printDiagnostic("ci: the program \(program) is not in PATH: the build has no annotation", as: .warning)
        }
        do throws(FileError) {
            let style = failures.contains { $0.level == .error } ? "error" : "warning"
            let agent = try ChildProcess(path: path, arguments: ["annotate", "--style", style, "--context", "cairn", "--append"])
            let text = String(decoding: GitHubSummary().render(failures), as: UTF8.self)
            let deadline = ContinuousClock.now + .seconds(20)
            let delivery = agent.send(text, before: deadline)
            agent.endInput()
            // The build's step may be over, and its processes ended, when this program is.
            var reply = agent.reply(before: deadline)
            while case .line = reply { reply = agent.reply(before: deadline) }
            guard delivery == .sent, reply == .ended else { return printDiagnostic("ci: \(program) rejected the annotation", as: .warning) }
        } catch {
            printDiagnostic("ci: \(error.description)")
        }
    }
}

/// The service that runs the command, as its environment shows.
enum CIService: Sendable {
    case gitHub, gitLab, buildkite, jenkins

    /// - Returns: `nil` outside of these services.
    init?(environment: (String) -> String? = environmentVariable) {
        func isSet(_ name: String) -> Bool { environment(name).map { !$0.isEmpty && $0 != "false" } ?? false }
        // Each service's own documentation names its variable as the one to detect it by.
        if isSet("GITHUB_ACTIONS") {
            self = .gitHub
        } else if isSet("GITLAB_CI") {
            self = .gitLab
        } else if isSet("BUILDKITE") {
            self = .buildkite
        } else if isSet("JENKINS_URL") {
            self = .jenkins
        } else {
            return nil
        }
    }
}

/// Files as they were when the command began: what it has not touched is not of this run.
private struct EarlierFiles {
    private let stamps: [String: FileStamp]

    init(_ paths: [String]) {
        var stamps: [String: FileStamp] = [:]
        for path in paths { stamps[path] = FileStamp(path: path) }
        self.stamps = stamps
    }

    /// The file was there before, and has not changed.
    func isUntouched(_ path: String) -> Bool {
        guard let before = stamps[path] else { return false }
        return FileStamp(path: path) == before
    }
}
