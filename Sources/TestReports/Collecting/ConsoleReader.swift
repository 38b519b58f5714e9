internal import BinaryPrimitives

/// Reads the text of test runners line by line: which tests run, and which expectations failed.
struct ConsoleReader: Sendable {
    /// The tests that have begun and not ended, in the order in which they began.
    private(set) var running: [String] = []
    /// The last message of the process about its end; a crash that follows takes it.
    private(set) var fatal: (message: String, file: String?, line: Int)?
    private var issue: ConsoleIssue?
    /// Those that report one thing in several lines of output.
    private var pytest = PytestConsole()
    private var go = GoTestConsole()
    private var rust = RustTestConsole()
    private var details = 0

    private static let runningLimit = 4096
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
        isIdle && features.isIrrelevant(text) ? [] : read(text, features)
    }

    /// Whether nothing is open, so that only lines that begin something matter.
    private var isIdle: Bool { issue == nil && details == 0 && go.isIdle && pytest.isIdle && rust.isIdle }

    /// Passes a line to all readers, without control sequences and its ending.
    mutating func read(_ text: Span<UInt8>, _ features: LineFeatures) -> [ConsoleIssue] {
        var complete = go.read(text)
        if let issue = pytest.read(text) { complete.append(issue) }
        if let issue = rust.read(text) { complete.append(issue) }
        if let issue = readEvent(text, features) { complete.append(issue) }
        return complete
    }

    private mutating func readEvent(_ text: Span<UInt8>, _ features: LineFeatures) -> ConsoleIssue? {
        switch event(text, features) {
        case .started(let name)?:
            if running.count < Self.runningLimit { running.append(PlainText.line(name, limit: 1024)) }
            return flush()
        case .ended(let name)?:
            let name = PlainText.line(name, limit: 1024)
            if let index = running.lastIndex(of: name) { running.remove(at: index) }
            // It came from a child process that the test was about (an exit test): a later crash is
            // another one.
            fatal = nil
            return flush()
        case .issue(let next)?:
            let done = flush()
            issue = next
            return done
        case .detail(let detail)?:
            add(detail)
            return nil
        case .fatal(let message, let file, let line)?:
            fatal = (message, file, line)
            return flush()
        case .other?: return flush()
        case nil:
            // The second and later lines of a comment are indented.
            if issue?.runner == .swiftTesting, details > 0, text.hasPrefix("  ") {
                add(text.trimmed().text)
                return nil
            }
            return flush()
        }
    }

    /// The issue that the last line belonged to.
    mutating func flush() -> ConsoleIssue? {
        defer {
            issue = nil
            details = 0
        }
        return issue
    }

    /// A report has come out of the text.
    mutating func meetReport() {
        go.meetReport()
        rust.meetReport()
    }

    /// The issues that the output's end has left open.
    mutating func finish() -> [ConsoleIssue] {
        go.finish() + [pytest.finish(), rust.finish(), flush()].compactMap { $0 }
    }

    /// Returns the message of the process about its end, and removes it.
    mutating func removeFatal() -> (message: String, file: String?, line: Int)? {
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
