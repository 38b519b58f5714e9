internal import BinaryPrimitives

/// Reads the messages that programs themselves print when they are about to end, beside any stack.
enum ProcessConsole {
    static func event(_ line: Span<UInt8>, _ features: LineFeatures, isInPanic: Bool) -> ConsoleEvent? {
        (features.hasColonAfterWords ? musl(line) ?? swift(line) ?? python(line) : nil) ?? assertion(line)
            ?? rust(line, isInPanic: isInPanic)
    }

    /// `Greeter/Greeter.swift:2: Fatal error: Index out of range` (`#fileID`), or `Fatal error: …`
    /// alone.
    private static func swift(_ line: Span<UInt8>) -> ConsoleEvent? {
        for phrase in ["Fatal error: ", "Precondition failed: ", "Assertion failed: "] {
            guard let mark = line.firstRange(of: phrase) else { continue }
            let message = line.from(mark.lowerBound).text
            if mark.lowerBound == 0 { return .fatal(FatalMessage(message: message)) }
            let head = line.upTo(mark.lowerBound)
            guard head.hasSuffix(": "), let (file, number) = XCTestConsole.location(head.upTo(head.count - 2)), file.hasSuffix(".swift")
            else {
                continue
            }
            return .fatal(FatalMessage(message: message, file: file, line: number))
        }
        return nil
    }

    /// ``queue_test: /src/queue.c:12: pop: Assertion `count > 0' failed.`` (glibc's `assert.c`).
    private static func assertion(_ line: Span<UInt8>) -> ConsoleEvent? {
        guard line.hasSuffix("' failed."), let mark = line.firstRange(of: ": Assertion `"), let program = line.firstRange(of: ": "),
            program.upperBound < mark.lowerBound
        else { return nil }
        let head = line.clamped(to: program.upperBound..<mark.lowerBound)
        let message = line.from(mark.lowerBound + 2).text
        // After the location comes the function, as the compiler spells it.
        let end = head.firstRange(of: ": ")?.lowerBound ?? head.count
        guard let (file, number) = XCTestConsole.location(head.upTo(end)), number > 0 else { return .fatal(FatalMessage(message: message)) }
        return .fatal(FatalMessage(message: message, file: file, line: number, isAssertion: true))
    }

    /// `Assertion failed: count > 0 (/src/queue.c: pop: 12)` (musl's `assert.c`).
    private static func musl(_ line: Span<UInt8>) -> ConsoleEvent? {
        guard line.hasPrefix("Assertion failed: "), line.hasSuffix(")"), let open = line.lastRange(of: " ("),
            let first = line.firstRange(of: ": ", from: open.upperBound), let last = line.lastRange(of: ": "),
            first.upperBound <= last.lowerBound
        else { return nil }
        var digits = line.clamped(to: last.upperBound..<line.count - 1)
        guard let number = digits.readDecimal().flatMap({ Int(exactly: $0) }), digits.count == 0, number > 0 else { return nil }
        let file = line.clamped(to: open.upperBound..<first.lowerBound).text
        return .fatal(FatalMessage(message: line.upTo(open.lowerBound).text, file: file, line: number, isAssertion: true))
    }

    /// `Fatal Python error: Segmentation fault`, after the letters of pytest's progress: `test_cart.py .FFFatal Python error: …`.
    private static func python(_ line: Span<UInt8>) -> ConsoleEvent? {
        guard let mark = line.firstRange(of: pythonMark) else { return nil }
        return .fatal(FatalMessage(message: line.from(mark.lowerBound).text))
    }

    static let pythonMark = "Fatal Python error: "

    /// `thread 'tests::pops' (3429) panicked at src/lib.rs:12:9:` and, in the next line, the
    /// message. With `RUST_BACKTRACE` a stack follows, and this is part of a report.
    private static func rust(_ line: Span<UInt8>, isInPanic: Bool) -> ConsoleEvent? {
        var rest = line
        if isInPanic { return rest.hasPrefix("note: ") || rest.trimmed().count == 0 ? .other : .detail(rest.text) }
        guard rest.consume("thread '"), let mark = rest.firstRange(of: " panicked at "),
            let quote = rest.lastRange(of: "'", before: mark.lowerBound)
        else { return nil }
        let name = rest.upTo(quote.lowerBound).text
        rest = rest.from(mark.upperBound)
        guard rest.hasSuffix(":"), let (head, column) = XCTestConsole.location(rest.upTo(rest.count - 1)) else { return nil }
        let bytes = Array(head.utf8)
        guard let (file, number) = XCTestConsole.location(bytes.span) else { return nil }
        return .issue(
            ConsoleIssue(
                runner: .rust, test: ["main", "<unnamed>"].contains(name) ? nil : name, file: file, line: number, column: column,
                message: ""))
    }
}
