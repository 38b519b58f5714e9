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
    /// Processes that a signal ended, until the tests' results are known.
    private var crashes: [CrashTies.Crash] = []
    /// The tests that were running when a process ended, by the process number.
    private var moments: [Int32: CrashTies.Moment] = [:]
    /// Test runners' own reports of crashes.
    private var notices: [ConsoleIssue] = []
    /// Tests of an outer runner in whose output a failure with a line is.
    private var outerTests: Set<String> = []
    private static let noticeLimit = 1000
    /// The counts of a run of tests; set by `finish`.
    package private(set) var tally: TestTally?

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
    /// Start of the run, in nanoseconds since 1970; `nil` where the runners' own logs are not read.
    private let startedAt: Int64?
    /// Relative paths of sources count from here, too.
    private var buildFolder: String?

    /// - Parameter startedAt: the start of the run, in nanoseconds since 1970: logs of runners that are newer say what their tests have
    ///   printed. `nil`: no file is read but sources.
    package init(
        repository: RepositoryPaths, ownCode: OwnCodeRule, excerpts: SourceExcerpts, subject: Subject = .run, startedAt: Int64? = nil
    ) {
        self.init(judge: FrameJudge(repository: repository, ownCode: ownCode), excerpts: excerpts, subject: subject, startedAt: startedAt)
    }

    private init(judge: FrameJudge, excerpts: SourceExcerpts, subject: Subject, startedAt: Int64?) {
        self.judge = judge
        self.excerpts = excerpts
        self.subject = subject
        self.startedAt = startedAt
    }

    /// The tests that have begun and not ended, as far as the output shows.
    package var runningTests: [String] { (events.running.isEmpty ? console.running : events.running).names }

    /// A report with its results.
    /// - Parameters:
    ///   - test: the test that it belongs to, where the caller knows (a JUnit report says); else it
    ///     is the one that was running.
    ///   - isHang: the report is a debugger's, of a process that took too long; it does not say
    ///     why.
    package mutating func add(_ report: SymbolicatedReport, during test: String? = nil, isHang: Bool = false) {
        flushConsole()
        console.meetReport()
        guard subject == .log || FailureRule.isFailure(report.report) else { return }
        guard let failure = failure(report, during: test, isHang: isHang, .report) else { return }
        add(failure, .report)
    }

    private mutating func failure(
        _ report: SymbolicatedReport, during test: String?, isHang: Bool, _ source: FailureTable.Source
    ) -> Failure? {
        let rule = isHang ? FailureRule.timeout : announcedRule(report) ?? FailureRule(report.report)
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
            return nil
        }
        failure.tests = test.map { [PlainText.line($0, limit: 1024)] } ?? tests(of: failure, report, running: runningTests)
        return failure
    }

    /// Python's stack of a fatal error whose first line is in a line of pytest's progress.
    private func announcedRule(_ report: SymbolicatedReport) -> FailureRule? {
        let mark = ProcessConsole.pythonMark
        guard report.report.format == "python-trace", let message = console.fatal?.message, message.hasPrefix(mark) else { return nil }
        return FailureRule.pythonSignal(String(message.dropFirst(mark.utf8.count))).map { FailureRule(.crash, family: "crash", $0) }
    }

    /// Whether the last message of a process that gives up names a line.
    private func isAnnounced(_ location: Failure.Location?) -> Bool {
        guard let location, let fatal = console.fatal, let file = fatal.file, let announced = announcedLocation(file, fatal.line) else {
            return false
        }
        return announced.path == location.path && announced.line == location.line
    }

    /// A signal is about to end a process: its crash belongs to the tests that run now. All that was printed before must have been given.
    package mutating func meetEnd(of process: Int32) { moments[process] = moment }

    private var moment: CrashTies.Moment { CrashTies.Moment(running: runningTests, ended: console.results.ended.count) }

    /// A report of a process' memory when it crashed. A process that has printed the crash itself, on the same line of the user's code, is
    /// known already.
    /// - Parameters:
    ///   - process: its number, if its end was met.
    ///   - isHang: the process took too long, and was ended for that.
    /// - Returns: whether it is new.
    package mutating func add(memory report: SymbolicatedReport, of process: Int32? = nil, isHang: Bool = false) -> Bool {
        flushConsole()
        console.meetReport()
        let rule = isHang ? FailureRule.timeout : FailureRule(report.report)
        let moment = process.flatMap { moments.removeValue(forKey: $0) } ?? moment
        if let location = ReportFailure(judge: judge).failure(report, rule, announced: nil).location {
            let line = "\(location.path):\(location.line)"
            capturedAt[line, default: 0] += 1
            if met.printedReports(at: location) >= capturedAt[line, default: 0] { return false }
        }
        guard var failure = failure(report, during: nil, isHang: isHang, .memory) else { return false }
        guard failure.kind == .crash else {
            add(failure, .memory)
            return true
        }
        failure.tests = tests(of: failure, report, running: moment.running)
        let isPrinted = usePrintedLocation(&failure)
        crashes.append(
            CrashTies.Crash(failure: failure, signal: rule.label, moment: moment, program: report.report.process.path))
        return !isPrinted
    }

    /// Without a line of the user's code, the stack that a handler has printed for the same signal says more (Python's faulthandler).
    /// - Returns: whether there is one.
    private func usePrintedLocation(_ failure: inout Failure) -> Bool {
        guard failure.location == nil, let location = met.printedLocation(failure.rule) else { return false }
        failure.location = location
        failure.missingLocationReason = nil
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
        guard crashes.isEmpty, !met.failures.contains(where: { [.crash, .sanitizer, .hang, .panic].contains($0.kind) }) else { return }
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
        let logs = commandSucceeded ? [] : readLogs()
        resolveCrashes()
        if !commandSucceeded {
            addAssertions()
            addFailures(of: logs)
        }
        let all = met.failures.map { failure in
            var failure = failure
            failure.excerpt = failure.location.flatMap { excerpts.excerpt(at: $0) }
            failure.commandSucceeded = commandSucceeded
            if commandSucceeded { failure.level = .warning }
            return failure
        }
        tally = commandSucceeded || subject == .log ? nil : TestTally(all, console.results, outerTests: outerTests)
        let order = Failure.Kind.allCases
        return all.enumerated()
            .sorted { (order.firstIndex(of: $0.element.kind) ?? 0, $0.offset) < (order.firstIndex(of: $1.element.kind) ?? 0, $1.offset) }
            .map(\.element)
    }

    /// The failures with a line in what one test has printed.
    /// - Parameter ofKnown: a line of the test is known: only expectations of a library for tests are looked for.
    /// - Parameter buildFolder: the folder from which relative paths of sources count, if it is known.
    package func failures(inOutput output: Span<UInt8>, ofKnown: Bool = false, buildFolder: String? = nil) -> [Failure] {
        var inner = FailureCollector(judge: judge, excerpts: excerpts, subject: .run, startedAt: nil)
        inner.buildFolder = buildFolder
        let empty = inner
        var rest = output
        while let line = rest.readLine() { inner.add(line: line) }
        let found = inner.finish().filter { $0.location != nil && (!ofKnown || $0.kind == .testFailure) }
        guard found.isEmpty, !ofKnown else { return found }
        return PrintedLocation.issues(output).map { empty.failure($0) }.filter { $0.location != nil }
    }

    /// Results of tests that failed, as the runner that runs them as programs puts it: `Timeout`, by the tests' names.
    package var testResults: [String: String] {
        console.results.ended.reduce(into: [:]) { results, test in
            if test.hasFailed, let result = test.result { results[test.test] = result }
        }
    }

    /// Failures beyond the most that are kept.
    package var failuresLeftOut: Int { met.leftOut }

    // MARK: Adding

    private mutating func flushConsole() {
        if let issue = console.flush() { add(issue) }
    }

    /// Gives the captured crashes their tests, and leaves out those that a passing test was about. A crash that only its runner reports
    /// has no stack.
    private mutating func resolveCrashes() {
        let ties = CrashTies(console.results, crashes)
        crashes.removeAll(where: ties.isDeathTest)
        let found = ties.ties(crashes, notices)
        var untied: [CrashTies.Crash] = []
        for (crash, tie) in zip(crashes, found) {
            var failure = crash.failure
            _ = usePrintedLocation(&failure)
            guard let notice = tie.map({ notices[$0] }) else {
                if ties.isExpected(crash) { continue }
                untied.append(crash)
                add(failure, .memory)
                continue
            }
            failure.tests = [notice.test].compactMap { $0.map { PlainText.line($0, limit: 1024) } }
            if failure.location == nil {
                let reported = self.failure(notice)
                if reported.location != nil { failure.missingLocationReason = nil }
                failure.location = reported.location
                if reported.location != nil {
                    failure.locationRemark = "The test runner printed this line; no frame of the stack is a line of your code."
                }
            }
            if failure.location != nil, let outer = notice.outerTest { outerTests.insert(outer) }
            add(failure, .memory)
        }
        crashes = []
        let tied = Set(found.compactMap { $0 })
        for (index, notice) in notices.enumerated() where !tied.contains(index) {
            let signals = notice.crash?.signals ?? []
            // Which of several crashes it is, is not known.
            if let same = untied.firstIndex(where: { signals.isEmpty || signals.contains($0.signal) }) {
                untied.remove(at: same)
                continue
            }
            var failure = failure(notice)
            let rule = FailureRule(.crash, family: "crash", signals.first ?? "signal")
            failure.kind = .crash
            failure.rule = signals.isEmpty ? failure.rule : rule.id
            // Its process has printed the stack.
            if let printed = met.printedCrash(signals.isEmpty ? nil : rule.id, tests: failure.tests) {
                (failure.rule, failure.location, failure.missingLocationReason) = (printed.rule, printed.location, nil)
                if printed.location != nil { add(failure, .console) }
                continue
            }
            // ctest shows what the process has printed.
            if failure.location == nil,
                let assertion = console.results.assertions.first(where: { $0.outerTest != nil && $0.outerTest == notice.test })
            {
                locate(&failure, assertion)
            }
            if failure.location == nil { failure.missingLocationReason = "The test runner reports a crash, and no stack of it was seen." }
            add(failure, .console)
        }
        notices = []
    }

    /// Assertions of C whose processes were not captured; others are on the line of their crash.
    private mutating func addAssertions() {
        for assertion in console.results.assertions {
            var failure = Failure(kind: .crash, rule: FailureRule(.crash, family: "crash", "SIGABRT").id, title: "", message: "")
            locate(&failure, assertion)
            guard let location = failure.location, !met.hasAssertion(at: location) else { continue }
            add(failure, .console)
        }
    }

    /// The logs of this run about the tests that failed. A test that a signal ended is a crash that its runner reports.
    private mutating func readLogs() -> [TestLog.Contents] {
        let failed = console.results.failed
        guard let startedAt, !failed.isEmpty else { return [] }
        let logs = console.results.logs.filter { FileStamp.isModified($0.path, after: startedAt) }.map {
            $0.contents(outputsOf: Set(failed))
        }
        for log in logs {
            for test in failed {
                guard let signal = log.signals[test], notices.count < Self.noticeLimit else { continue }
                var issue = ConsoleIssue(runner: .ctest, test: test, message: FailureRule.signalName(number: signal))
                issue.crash = ConsoleIssue.Crash(number: signal)
                notices.append(issue)
            }
        }
        return logs
    }

    /// Failures in what tests have printed, from the runners' logs: the run shows that only if it is wanted, and lines of tests that run
    /// side by side alternate. Home-made checks count for a test without another line.
    private mutating func addFailures(of logs: [TestLog.Contents]) {
        var known = outerTests
        for failure in met.failures where failure.location != nil { known.formUnion(failure.tests) }
        for log in logs {
            for test in console.results.failed {
                guard let output = log.outputs[test] else { continue }
                let isKnown = known.contains(test)
                for var failure in failures(inOutput: output.span, ofKnown: isKnown, buildFolder: log.buildFolder) {
                    if failure.tests.isEmpty { failure.tests = [test] }
                    outerTests.insert(test)
                    add(failure, .testLog)
                }
            }
        }
    }

    private func locate(_ failure: inout Failure, _ assertion: FatalMessage) {
        guard let file = assertion.file, let location = announcedLocation(file, assertion.line) else { return }
        failure.message = PlainText.lines(assertion.message, limit: ReportFailure.messageLimit, staysInLine: true)
        failure.title = PlainText.line(failure.message, limit: 200)
        failure.location = location
        failure.missingLocationReason = nil
        failure.locationRemark = "The process printed this line, and no stack."
    }

    private mutating func add(_ issue: ConsoleIssue) {
        guard subject == .run else { return }
        if issue.crash != nil {
            if notices.count < Self.noticeLimit { notices.append(issue) }
            return
        }
        let failure = failure(issue)
        if failure.location != nil, let outer = issue.outerTest { outerTests.insert(outer) }
        add(failure, .console)
    }

    private func failure(_ issue: ConsoleIssue) -> Failure {
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
        return failure
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
        let file = fromBuildFolder(location.file)
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

    /// The absolute path of a file that is there from the build's folder on; else the path as it is.
    private func fromBuildFolder(_ file: String) -> String {
        guard let buildFolder, !file.hasPrefix("/"), file.contains("/") else { return file }
        let path = Path.normalised(Path.join(buildFolder, file))
        return PathKind(path: path) == .file ? path : file
    }

    /// Location in the repository that a process names. In `#fileID` (`MODULE/FILE.swift`) only the
    /// name belongs to a file; any other text is a path as the compiler had it.
    private func announcedLocation(_ file: String, _ line: Int) -> Failure.Location? {
        guard line > 0 else { return nil }
        let file = fromBuildFolder(file)
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
    private func tests(of failure: Failure, _ report: SymbolicatedReport, running: [String]) -> [String] {
        // Rust's test runner names threads after tests.
        if report.report.format == "rust-panic", let name = report.report.threads.first(where: \.crashed)?.name, name != "main",
            name != "<unnamed>"
        {
            return [PlainText.line(name, limit: 1024)]
        }
        if report.report.format == "go-panic", let test = Self.goTest(failure) { return [test] }
        if running.isEmpty, report.report.format == "python-trace", let test = Self.pythonTest(failure) { return [test] }
        if running.count <= 1 { return running }
        let functions = failure.stacks.flatMap(\.frames).compactMap(\.function)
        return running.filter { test in functions.contains { Self.function($0, isOf: test) } }
    }

    /// `TestTotals` of `example.org/shop.TestTotals`, which `testing.tRunner` calls (Go, `testing.go`).
    private static func goTest(_ failure: Failure) -> String? {
        let functions = failure.stacks.first?.frames.compactMap(\.function) ?? []
        guard let runner = functions.lastIndex(where: { $0.hasPrefix("testing.tRunner") }), runner > 0 else { return nil }
        let name = functions[runner - 1].split(separator: "/").last ?? ""
        return name.split { $0 == "." || $0 == "(" }.first { $0.hasPrefix("Test") }.map { PlainText.line(String($0), limit: 1024) }
    }

    /// `test_reads`, the function below the one that calls tests: pytest's (`_pytest/python.py`), or unittest's (`unittest/case.py`).
    private static func pythonTest(_ failure: Failure) -> String? {
        let functions = failure.stacks.first?.frames.compactMap(\.function) ?? []
        guard let runner = functions.lastIndex(where: { ["pytest_pyfunc_call", "_callTestMethod"].contains($0) }) else { return nil }
        // Decorators have functions of their own.
        let test = functions[..<runner].last { ($0.split(separator: ".").last ?? "").hasPrefix("test") }
        return test.map { PlainText.line($0, limit: 1024) }
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
