internal import BinaryPrimitives
internal import CrashLogModel
package import Reporting
package import Symbolication

/// Gathers what went wrong in a run: from symbolicated reports, from the text of test runners, and
/// from Swift Testing's stream of events.
///
/// Give it everything in the order in which it comes: a report belongs to the test that was running
/// when it came.
package struct FailureCollector: Sendable {
    private let judge: FrameJudge
    private let excerpts: SourceExcerpts
    private var console = ConsoleReader()
    private var events = TestEventStream()
    private var met = FailureTable()
    /// By file and line: processes that were captured there.
    private var capturedAt: [String: Int] = [:]

    /// The log or stream that is being read, which failures are then said to be in.
    package var log: String?

    /// Source of the failures.
    package enum Subject: Sendable {
        /// A run of tests: what its runners print counts, and reports without a failure do not.
        case run
        /// A log that the user gave: each of its reports counts, and other lines only say what the
        /// reports are about.
        case log
    }

    private let subject: Subject

    package init(repository: RepositoryPaths, ownCode: OwnCodeRule, excerpts: SourceExcerpts, subject: Subject = .run) {
        judge = FrameJudge(repository: repository, ownCode: ownCode)
        self.excerpts = excerpts
        self.subject = subject
    }

    /// The tests that have begun and not ended, as far as the output shows.
    package var runningTests: [String] { events.running.isEmpty ? console.running : events.running }

    /// A report with its results.
    /// - Parameters:
    ///   - test: the test that it belongs to, where the caller knows (a JUnit report says); else it
    ///     is the one that was running.
    ///   - isHang: the report is a debugger's, of a process that took too long; it does not say
    ///     why.
    package mutating func add(_ report: SymbolicatedReport, during test: String? = nil, isHang: Bool = false) {
        add(report, during: test, isHang: isHang, .report)
    }

    private mutating func add(_ report: SymbolicatedReport, during test: String?, isHang: Bool, _ source: FailureTable.Source) {
        flushConsole()
        console.meetReport()
        guard subject == .log || FailureRule.isFailure(report.report) else { return }
        let rule = isHang ? FailureRule.timeout : FailureRule(report.report)
        // Processes that are captured may run side by side: the message is this one's only if its line is the stack's.
        let isOwnMessage = source != .memory || isAnnounced(ReportFailure(judge: judge).failure(report, rule, announced: nil).location)
        let fatal = rule.kind == .crash && isOwnMessage ? console.removeFatal() : nil
        var failure = ReportFailure(judge: judge).failure(report, rule, announced: fatal?.message)
        if failure.location == nil, failure.kind == .crash || failure.kind == .panic {
            if let fatal, let file = fatal.file, let location = announcedLocation(file, fatal.line) {
                failure.location = location
                failure.missingLocationReason = nil
                failure.locationRemark = "The process printed this line; no frame of its stack is in your code."
            } else if report.report.format == "rust-panic", let location = report.report.cause?.codes.flatMap(panicLocation) {
                failure.location = location
                failure.missingLocationReason = nil
                failure.locationRemark = "The panic's message has this line; no frame of its stack is in your code."
            }
        }
        // Swift's backtracer (6.3) steps over the function that waits, and loses what is below a
        // lock. If a debugger has reported the process, it has nothing to add.
        if !isHang, rule.kind == .hang, report.report.format == "swift-backtrace",
            met.hasResolvedHang(withLocation: failure.location != nil)
        {
            return
        }
        failure.tests = test.map { [PlainText.line($0, limit: 1024)] } ?? tests(of: failure, report)
        add(failure, source)
    }

    /// Whether the last message of a process that gives up names a line.
    private func isAnnounced(_ location: Failure.Location?) -> Bool {
        guard let location, let fatal = console.fatal, let file = fatal.file, let announced = announcedLocation(file, fatal.line) else {
            return false
        }
        return announced.path == location.path && announced.line == location.line
    }

    /// A report of a process' memory when it crashed. A process that has printed the crash itself, on the same line of the user's code, is
    /// known already.
    /// - Parameter isHang: the process took too long, and was ended for that.
    /// - Returns: whether it is new.
    package mutating func add(memory report: SymbolicatedReport, isHang: Bool = false) -> Bool {
        flushConsole()
        let rule = isHang ? FailureRule.timeout : FailureRule(report.report)
        if let location = ReportFailure(judge: judge).failure(report, rule, announced: nil).location {
            let line = "\(location.path):\(location.line)"
            capturedAt[line, default: 0] += 1
            if met.printedReports(at: location) >= capturedAt[line, default: 0] { return false }
        }
        add(report, during: nil, isHang: isHang, .memory)
        return true
    }

    /// A line of output that belongs to no report, with or without its ending.
    package mutating func add(line: Span<UInt8>) {
        for issue in console.read(line) { add(issue) }
    }

    /// Bytes of Swift Testing's stream of events, which may begin and end anywhere.
    package mutating func add(eventStream bytes: Span<UInt8>) {
        for issue in events.read(bytes) { add(issue) }
    }

    /// The command was ended by a signal. Where no report covers it, that is a failure without a
    /// place.
    /// - Parameters:
    ///   - signal: its number, as Linux counts.
    ///   - remedy: why there is no stack, and what would bring one: a sentence.
    package mutating func add(signal: Int, remedy: String? = nil) {
        flushConsole()
        guard !met.failures.contains(where: { [.crash, .sanitizer, .hang, .panic].contains($0.kind) }) else { return }
        let rule = FailureRule(signal == 3 ? .hang : .crash, family: signal == 3 ? "hang" : "crash", FailureRule.signalName(number: signal))
        let fatal = console.removeFatal()
        var failure = Failure(
            kind: rule.kind, rule: rule.id, title: rule.label,
            message: fatal.map { PlainText.line($0.message, limit: ReportFailure.messageLimit) } ?? "")
        if let fatal, let file = fatal.file, let location = announcedLocation(file, fatal.line) {
            failure.location = location
            failure.locationRemark = "The process printed this line, and no stack."
        } else {
            failure.missingLocationReason =
                "The process was ended by \(rule.label), and its output has no stack."
                + (remedy.map { " " + $0 } ?? "")
        }
        failure.tests = runningTests.count == 1 ? runningTests : []
        add(failure, .report)
    }

    /// The failures, crashes first, then in the order in which they were met.
    /// - Parameter commandSucceeded: whether the command ended with status 0. What went wrong was
    ///   then meant to (an exit test, a death test), or did not matter: warnings.
    package mutating func finish(commandSucceeded: Bool = false) -> [Failure] {
        for issue in console.finish() { add(issue) }
        if let issue = events.finish() { add(issue) }
        let all = met.failures.map { failure in
            var failure = failure
            failure.excerpt = failure.location.flatMap { excerpts.excerpt(at: $0) }
            failure.commandSucceeded = commandSucceeded
            if commandSucceeded { failure.level = .warning }
            return failure
        }
        let order = Failure.Kind.allCases
        return all.enumerated()
            .sorted { (order.firstIndex(of: $0.element.kind) ?? 0, $0.offset) < (order.firstIndex(of: $1.element.kind) ?? 0, $1.offset) }
            .map(\.element)
    }

    /// Failures beyond the most that are kept.
    package var failuresLeftOut: Int { met.leftOut }

    // MARK: Adding

    private mutating func flushConsole() {
        if let issue = console.flush() { add(issue) }
    }

    private mutating func add(_ issue: ConsoleIssue) {
        guard subject == .run else { return }
        var failure = testFailure(issue.message, issue.runner == .rust ? "panic/rust" : "test-failure")
        if issue.runner == .rust {
            failure.kind = .panic
            failure.title = "panic" + (issue.test.map { " in " + PlainText.line($0, limit: 120) } ?? "")
        }
        if let test = issue.test ?? (runningTests.count == 1 ? runningTests.first : nil) {
            failure.tests = [PlainText.line(test, limit: 1024)]
        }
        if let chosen = ConsoleIssueLocation(issue, judge: judge) {
            locate(&failure, chosen.location, isNameOnly: chosen.isNameOnly)
            failure.locationRemark = failure.location == nil ? nil : chosen.about
        } else {
            failure.missingLocationReason = "The test runner printed no line."
        }
        add(failure, .console)
    }

    private mutating func add(_ issue: TestEventStream.Issue) {
        var failure = testFailure(issue.message, "test-failure")
        if let test = issue.test { failure.tests = [PlainText.line(test, limit: 1024)] }
        if let file = issue.file {
            locate(&failure, SourceLocation(file: file, line: issue.line, column: issue.column), isNameOnly: false)
        } else {
            failure.missingLocationReason = "The test runner printed no line."
        }
        add(failure, .events)
    }

    private func testFailure(_ message: String, _ rule: String) -> Failure {
        let message = PlainText.lines(message, limit: ReportFailure.messageLimit, staysInLine: true)
        let first = message.split(separator: "\n").first.map(String.init) ?? "test failed"
        return Failure(kind: .testFailure, rule: rule, title: PlainText.line(first, limit: 200), message: message)
    }

    private func locate(_ failure: inout Failure, _ location: SourceLocation, isNameOnly: Bool) {
        let file = location.file
        if let reason = judge.ownCode.generatedCodeReason(location) {
            failure.missingLocationReason = "The line that the test runner printed was not found: \(reason)."
            return
        }
        // A bare name is that of a file anywhere in the repository, and none of the root's in
        // particular.
        let result = isNameOnly && !file.contains("/") ? judge.repository.find(named: file) : judge.repository.find(file)
        switch result {
        case .inside(let path): failure.location = Failure.Location(path: path, line: location.line, column: max(0, location.column))
        case .outside(let reason), .undecided(let reason):
            failure.missingLocationReason =
                "\(PlainText.line(file, limit: 300)):\(location.line) could not be found in the repository: \(PlainText.line(reason, limit: 300))."
        }
    }

    /// Location in the repository that a process names. In `#fileID` (`MODULE/FILE.swift`) only the
    /// name belongs to a file; any other text is a path as the compiler had it.
    private func announcedLocation(_ file: String, _ line: Int) -> Failure.Location? {
        guard line > 0 else { return nil }
        let verdict = judge.verdict(SourceLocation(file: file, line: line), nil)
        if verdict.owner == .own { return verdict.location }
        // The standard library's own (`Swift/Array.swift`) are not looked for.
        guard file.hasSuffix(".swift"), !file.hasPrefix("/"), !file.hasPrefix("Swift/"),
            case .inside(let path) = judge.repository.find(named: Path.name(of: file))
        else {
            return nil
        }
        return Failure.Location(path: path, line: line)
    }

    /// `src/lib.rs:12:9`
    private func panicLocation(_ codes: String) -> Failure.Location? {
        let bytes = Array(codes.utf8)
        guard let (head, column) = XCTestConsole.location(bytes.span) else { return nil }
        let rest = Array(head.utf8)
        guard let (file, line) = XCTestConsole.location(rest.span) else { return nil }
        return judge.verdict(SourceLocation(file: file, line: line, column: column), nil).location
    }

    /// The running test; of several, those whose function is on the stack.
    private func tests(of failure: Failure, _ report: SymbolicatedReport) -> [String] {
        // Rust's test runner names threads after tests.
        if report.report.format == "rust-panic", let name = report.report.threads.first(where: \.crashed)?.name, name != "main",
            name != "<unnamed>"
        {
            return [PlainText.line(name, limit: 1024)]
        }
        let running = runningTests
        if running.count <= 1 { return running }
        let functions = failure.stacks.flatMap(\.frames).compactMap(\.function)
        return running.filter { test in functions.contains { Self.function($0, isOf: test) } }
    }

    /// `closure #1 in NewTests.fails()` is of the test `fails()`.
    private static func function(_ name: String, isOf test: String) -> Bool {
        guard name.utf8.count >= test.utf8.count, name.hasSuffix(test) else { return false }
        let before = name.dropLast(test.count).last
        return before == nil || before == "." || before == " "
    }

    private mutating func add(_ failure: Failure, _ source: FailureTable.Source) {
        var failure = failure
        failure.log = log
        met.add(failure, source)
    }
}
