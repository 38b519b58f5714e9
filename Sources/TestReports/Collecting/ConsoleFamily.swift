internal import BinaryPrimitives

/// Reads the output of one family of test runners, a line at a time. `ConsoleReader` has the list of them.
protocol ConsoleFamily: Sendable {
    /// Nothing is open: only a line that begins something matters, and `LineFeatures.isIrrelevant` lets those through.
    var isIdle: Bool { get }
    /// - Parameter line: without its ending and control sequences.
    mutating func read(_ line: Span<UInt8>) -> [ConsoleEvent]
    /// Ends the output: the events of a test or a message that is still open.
    mutating func finish() -> [ConsoleEvent]
}

/// Parts of lines that several families have in common.
enum ConsoleText {
    /// A line that consists of one sign, as headings have above and below them.
    static func isRule(_ line: Span<UInt8>, _ sign: UInt8) -> Bool {
        guard line.count >= 70 else { return false }
        for index in line.indices where line[index] != sign { return false }
        return true
    }

    /// A frame of a JavaScript stack (V8, "Stack trace API"): `at f (file:///src/a.mjs:7:10)`, `at /src/a.js:7:10`, and node's own
    /// spelling in TAP, without `at`.
    /// - Returns: `nil` where it names no line of a file.
    static func scriptLocation(_ line: Span<UInt8>) -> SourceLocation? {
        var rest = line.trimmed()
        _ = rest.consumeSuffix(" {")
        if rest.hasSuffix(")"), let open = rest.lastIndex(of: UInt8(ascii: "(")) {
            rest = rest.clamped(to: open + 1..<rest.count - 1)
        } else {
            _ = rest.consume("at ")
            _ = rest.consume("async ")
        }
        return scriptLocation(path: rest)
    }

    /// `file:///src/a.mjs:7:10`
    static func scriptLocation(path: Span<UInt8>) -> SourceLocation? {
        var rest = path
        _ = rest.consume("file://")
        guard let (head, column) = XCTestConsole.location(rest) else { return nil }
        let bytes = Array(head.utf8)
        guard let (file, line) = XCTestConsole.location(bytes.span), line > 0, !file.hasPrefix("node:"), file.contains(".") else {
            return nil
        }
        return SourceLocation(file: file, line: line, column: column)
    }

    /// The number before a word: 7 of `1 passed; 7 failed; 0 ignored`.
    static func number(before word: String, in line: Span<UInt8>) -> Int? {
        guard let mark = line.firstRange(of: word) else { return nil }
        var start = mark.lowerBound
        while let byte = line.at(start - 1), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { start -= 1 }
        var digits = line.clamped(to: start..<mark.lowerBound)
        return digits.readDecimal().flatMap { Int(exactly: $0) }
    }
}

extension ConsoleIssue {
    /// Most lines of a message that are kept.
    private static let messageLimit = 20

    /// Adds a line to the message, unless it has many.
    mutating func add(_ line: Span<UInt8>) {
        messageLines += 1
        guard messageLines <= Self.messageLimit else { return }
        message += (message.isEmpty ? "" : "\n") + line.text
    }

    /// Adds a frame of the stack, the innermost first.
    mutating func add(frame: SourceLocation) {
        if file == nil {
            (file, line, column) = (frame.file, frame.line, frame.column)
        } else if callers.count < 200 {
            callers.append(frame)
        }
    }
}
