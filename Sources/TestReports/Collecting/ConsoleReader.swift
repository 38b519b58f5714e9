internal import BinaryPrimitives

/// Reads the text of test runners line by line: which tests run, and which expectations failed.
struct ConsoleReader: Sendable {
    private(set) var running = RunningTests()
    /// The last message of a process about its end; a crash that follows takes it.
    private(set) var fatal: FatalMessage?
    /// How the tests ended, as far as the runners say.
    private(set) var results = TestResults()
    private var issue: ConsoleIssue?
    /// The test of an outer runner (ctest) whose output is read: it comes after the test's end.
    private var outerTest: String?
    /// Those that report one thing in several lines of output.
    private var pytest = PytestConsole()
    private var go = GoTestConsole()
    private var rust = RustTestConsole()
    private var ctest = CTestConsole()
    private var goEvents = GoTestEvents()
    /// All other families that keep something from line to line.
    private var families: [any ConsoleFamily] = [
        CatchConsole(), DoctestConsole(), BoostTestConsole(), TAPConsole(), NodeConsole(), JestConsole(), PytestProgress(), MesonConsole(),
        AutomakeConsole(),
        NextestConsole(),
        SummaryConsole(),
    ]
    /// Nothing is open, so that only lines that begin something matter. Stored, because each line needs it.
    private var isIdle = true
    private var details = 0

    private static let lineLimit = 16 << 10
    private static let detailLimit = 20

    /// - Returns: the issues that are complete now.
    mutating func read(_ line: Span<UInt8>) -> [ConsoleIssue] {
        var end = min(line.count, Self.lineLimit)
        while let byte = line.at(end - 1), byte == 0x0A || byte == 0x0D { end -= 1 }
        let line = line.upTo(end)
        let features = LineFeatures(line)
        guard features.hasControls else { return read(plain: line, features) }
        let plain = Self.withoutColours(line)
        return read(plain: plain.span, LineFeatures(plain.span))
    }

    private mutating func read(plain text: Span<UInt8>, _ features: LineFeatures) -> [ConsoleIssue] {
        if text.at(0) == UInt8(ascii: "{"), let output = goEvents.read(text) { return readGoOutput(output) }
        // ctest notes from its lines that such lines come, whether or not they matter.
        if let first = text.at(0), isDigit(first), ctest.isNumbered(text) { return [] }
        guard isIdle else { return read(text, features) }
        if features.isIrrelevant(text) { return [] }
        if let event = progress(text, features) { return act(on: event).map { [$0] } ?? [] }
        return read(text, features)
    }

    /// The event of a line by which a test begins or passes. Nearly all lines of a run are such lines, and no other family reads them.
    /// - Returns: `nil` for other lines.
    private func progress(_ line: Span<UInt8>, _ features: LineFeatures) -> ConsoleEvent? {
        guard !features.hasColonAfterWords, let first = line.at(0) else { return nil }
        let event: ConsoleEvent? =
            switch first {
            case UInt8(ascii: "T"): XCTestConsole.event(line, features, running: running)
            case UInt8(ascii: "["): GoogleTestConsole.event(line, running: running, isInIssue: false)
            case 0xC0...: line.hasSuffix(" started.") || line.hasSuffix(" seconds.") ? SwiftTestingConsole.event(line) : nil
            default: nil
            }
        switch event {
        case .started, .ended(_, hasFailed: false, _, _): return event
        default: return nil
        }
    }

    /// The output of a Go package, which was in objects.
    private mutating func readGoOutput(_ output: [UInt8]) -> [ConsoleIssue] {
        var issues: [ConsoleIssue] = []
        if !output.isEmpty { go.hasReport = goEvents.hasReport }
        var rest = output.span
        while let line = rest.readLine() { issues += read(line, LineFeatures(line)) }
        return issues
    }

    /// Passes a line to all readers, without control sequences and its ending.
    mutating func read(_ text: Span<UInt8>, _ features: LineFeatures) -> [ConsoleIssue] {
        guard !ctest.isNumbered(text) else { return [] }
        var complete = ctest.read(text).compactMap { act(on: $0) } + go.read(text)
        if let issue = pytest.read(text) { complete.append(issue) }
        if let issue = rust.read(text) { complete.append(issue) }
        for index in families.indices {
            for event in families[index].read(text) { if let issue = act(on: event) { complete.append(issue) } }
        }
        if let issue = readEvent(text, features) { complete.append(issue) }
        isIdle = issue == nil && details == 0 && go.isIdle && pytest.isIdle && rust.isIdle && families.allSatisfy(\.isIdle)
        return complete
    }

    private mutating func readEvent(_ text: Span<UInt8>, _ features: LineFeatures) -> ConsoleIssue? {
        if let event = event(text, features) { return act(on: event) }
        // The second and later lines of a comment are indented.
        if issue?.runner == .swiftTesting, details > 0, text.hasPrefix("  ") {
            add(text.trimmed().text)
            return nil
        }
        return flush()
    }

    /// - Returns: the issue that is complete now.
    private mutating func act(on event: ConsoleEvent) -> ConsoleIssue? {
        switch event {
        case .started(let name, let isOuter):
            if isOuter { outerTest = nil }
            running.start(PlainText.line(name, limit: 1024))
            return flush()
        case .ended(let name, let hasFailed, let isOuter, let result):
            let name = PlainText.line(name, limit: 1024)
            running.end(name)
            results.add(name, hasFailed: hasFailed, isOuter: isOuter, result: result)
            if isOuter { outerTest = hasFailed ? name : nil }
            // It came from a child process that the test was about (an exit test): a later crash is
            // another one.
            if !hasFailed || fatal?.isAssertion != true {
                // In the output of a test that has ended before.
                if let fatal, fatal.isAssertion, fatal.outerTest != nil { results.add(assertion: fatal) }
                fatal = nil
            }
            return flush()
        case .failed(let count, let isOuter):
            results.add(count: count, isOuter: isOuter)
            return flush()
        case .unreported(let reason):
            results.unreported = reason
            return flush()
        case .testLog(let log):
            results.add(log: log)
            return flush()
        case .issue(let next):
            // A family that keeps its issues has read all of it.
            guard !next.isComplete else { return within(next) }
            let done = flush()
            issue = next
            return done
        case .detail(let detail):
            add(detail)
            return nil
        case .fatal(let message):
            if let earlier = fatal, earlier.isAssertion { results.add(assertion: earlier) }
            fatal = message
            fatal?.outerTest = outerTest
            return flush()
        case .other: return flush()
        }
    }

    /// The issue that the last line belonged to.
    mutating func flush() -> ConsoleIssue? {
        defer {
            issue = nil
            details = 0
        }
        return issue.map(within)
    }

    private func within(_ issue: ConsoleIssue) -> ConsoleIssue {
        var issue = issue
        issue.outerTest = outerTest
        return issue
    }

    /// A report has come out of the text.
    mutating func meetReport() {
        go.meetReport()
        goEvents.meetReport()
        rust.meetReport()
    }

    /// The issues that the output's end has left open.
    mutating func finish() -> [ConsoleIssue] {
        var issues =
            goEvents.finish().flatMap { readGoOutput($0) } + go.finish() + [pytest.finish(), rust.finish(), flush()].compactMap { $0 }
        for index in families.indices { issues += families[index].finish().compactMap { act(on: $0) } }
        if let assertion = removeFatal(), assertion.isAssertion { results.add(assertion: assertion) }
        return issues
    }

    /// Returns the message of the process about its end, and removes it.
    mutating func removeFatal() -> FatalMessage? {
        defer { fatal = nil }
        return fatal
    }

    private func event(_ line: Span<UInt8>, _ features: LineFeatures) -> ConsoleEvent? {
        XCTestConsole.event(line, features, running: running) ?? SwiftTestingConsole.event(line)
            ?? GoogleTestConsole.event(line, running: running, isInIssue: issue?.runner == .googleTest)
            ?? ProcessConsole.event(line, features, isInPanic: issue?.runner == .rust)
    }

    private mutating func add(_ text: String) {
        details += 1
        guard details <= Self.detailLimit, let message = issue?.message else { return }
        issue?.message = message + (message.isEmpty ? "" : "\n") + text
    }

    /// Copy of a line without control sequences (ECMA-48, section 5.4), carriage returns and line
    /// feeds.
    private static func withoutColours(_ line: Span<UInt8>) -> [UInt8] {
        var plain: [UInt8] = []
        var index = 0
        while let byte = line.at(index) {
            index += 1
            if byte == 0x1B {
                guard line.at(index) == UInt8(ascii: "[") else { continue }
                index += 1
                while let next = line.at(index), (0x20...0x3F).contains(next) { index += 1 }
                index += 1
            } else if byte != 0x0A, byte != 0x0D {
                plain.append(byte)
            }
        }
        return plain
    }
}
