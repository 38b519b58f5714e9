internal import BinaryPrimitives
package import CrashLogModel

/// What Python prints of an exception that nobody caught (`Lib/traceback.py`,
/// `Python/traceback.c`), and of an interpreter that dies (faulthandler, `Py_FatalError`):
///
///     Traceback (most recent call last):
///       File "./test.py", line 4, in f
///         eval("0/0")
///     ZeroDivisionError: integer division or modulo by zero
///
/// Frames of Python code have a name and a place and nothing to resolve: they pass through as they
/// are. Since Python 3.14 a dying interpreter prints its own C stack as well.
package struct PythonTrace: LineFormat {
    package static let name = "python-trace"
    package static let summary = "Python’s tracebacks and fatal errors; C stacks are symbolicated, the rest is unchanged"
    package static let triggers = [
        "Traceback (most recent call last)", "Fatal Python error: ", "(most recent call first):", "Windows fatal exception: ", "  File \"",
        " === Uncaught Python exception: ===",
    ]

    private enum State {
        case fresh
        /// A heading was read whose stack may follow: of an exception.
        case frames
        /// The exception's line was read.
        case ended
        /// Of a dying interpreter: stacks follow one another, each after a blank line.
        case fatal
        case code
    }

    private var state = State.fresh
    private var cause: CrashCause?
    private var stacks: [ThreadTrace] = []
    private var code: [Frame] = []
    private var isFatal = false
    private var isChained = false
    private var unrecognizedLines = 0

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = line.trimmed()
        if text.contains("Traceback (most recent call last):") { return isTraceback(text) ? .certain : .none }
        if text.from(progressLength(text)).hasPrefix("Fatal Python error: ") || text.equals("=== Uncaught Python exception: ===") {
            return .certain
        }
        if text.hasPrefix("Windows fatal exception: ") { return .possible }
        if text.hasSuffix("(most recent call first):") { return stackHeading(text) == nil ? .none : .certain }
        return PythonRow.read(line) == nil ? .none : .possible
    }

    /// The bytes before `Fatal Python error: `: pytest writes a letter for each test, and
    /// faulthandler's first line follows them in the same line,
    /// `..F.FFFatal Python error: Aborted`. The letters are those of `_pytest/terminal.py` and its
    /// plugins: `.`, `F`, `E`, `s`, `x`, `X`, `R` (rerun), `u`, `,` and `-` (subtests).
    private static func progressLength(_ text: Span<UInt8>) -> Int {
        guard let mark = text.firstRange(of: "Fatal Python error: "), mark.lowerBound > 0 else { return 0 }
        return (0..<mark.lowerBound).allSatisfy { isOne(text[$0], of: ".FEsxXRu,-") } ? mark.lowerBound : 0
    }

    /// `Traceback (most recent call last):`, `+ Exception Group Traceback (most recent call last):`
    private static func isTraceback(_ text: Span<UInt8>) -> Bool {
        var rest = text
        while let byte = rest.at(0), isBlank(byte) || byte == UInt8(ascii: "|") || byte == UInt8(ascii: "+") { rest = rest.from(1) }
        _ = rest.take("Exception Group ")
        return rest.equals("Traceback (most recent call last):")
    }

    /// `Current thread 0x00007fb899f39700 [python] (most recent call first):`, `Thread 0x…`,
    /// `Stack (…`, `Current thread's C stack trace (…`
    private static func stackHeading(_ text: Span<UInt8>) -> (name: String, isCode: Bool)? {
        var name = text
        guard name.takeLast(" (most recent call first):") else { return nil }
        guard name.hasPrefix("Current thread") || name.hasPrefix("Thread 0x") || name.equals("Stack") else { return nil }
        return (name.text, name.hasSuffix("C stack trace"))
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if PythonTrace.isTraceback(text) { return beginTraceback(text) }
        if let heading = PythonTrace.stackHeading(text) { return begin(heading.name, isCode: heading.isCode) }
        let error = text.from(PythonTrace.progressLength(text))
        if error.hasPrefix("Fatal Python error: ") || text.hasPrefix("Windows fatal exception: ") { return beginFatal(error) }
        if text.equals("=== Uncaught Python exception: ===") {
            // Atheris writes the exception's line above the stack.
            guard state == .fresh else { return .rejected }
            state = .frames
            return .more
        }
        switch state {
        case .fresh, .frames: return takeTraceback(line, text, at: place)
        case .ended: return takeEnded(text)
        case .fatal, .code: return takeFatal(line, text, at: place)
        }
    }

    // MARK: Exceptions

    private mutating func beginTraceback(_ text: Span<UInt8>) -> LineVerdict {
        // The exception's own cause comes first, then the one that it led to; parts of a group are
        // indented.
        let isPart = text.at(0) == UInt8(ascii: "|") || text.at(0) == UInt8(ascii: "+")
        guard !isFatal, state != .ended || isChained || isPart, state != .frames || stacks.isEmpty || isPart,
            stacks.count < Limits.standard.threads
        else {
            return .rejected
        }
        if isPart, state == .frames || state == .ended { stacks[max(0, stacks.count - 1)].name = stacks.last?.name ?? "exception group" }
        isChained = false
        state = .frames
        stacks.append(ThreadTrace(index: stacks.count))
        return .more
    }

    private mutating func takeTraceback(_ line: Span<UInt8>, _ text: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        if let symbol = PythonRow.read(line) {
            if stacks.isEmpty { stacks.append(ThreadTrace(index: 0)) }
            state = .frames
            stacks[stacks.count - 1].frames.add(.returnAddress, symbol, at: place)
            return .more
        }
        if let count = PythonTrace.repeated(text), !stacks.isEmpty {
            stacks[stacks.count - 1].frames.add(.omitted(count: count), nil, at: place)
            return .more
        }
        guard state == .frames, text.count > 0 else { return .rejected }
        // The source line below a frame, and what marks a part of it.
        if line.hasPrefix("    ") || line.hasPrefix("  |") { return stacks.isEmpty ? .rejected : .more }
        guard let exception = PythonTrace.exception(text) else { return .rejected }
        cause = CrashCause(kind: .languageException, type: exception.type, message: exception.message)
        if stacks.isEmpty { return .more }
        stacks[stacks.count - 1].name = text.text
        state = .ended
        return .more
    }

    private mutating func takeEnded(_ text: Span<UInt8>) -> LineVerdict {
        if text.count == 0 { return .unknown }
        if text.hasPrefix("During handling of the above exception") || text.hasPrefix("The above exception was the direct cause") {
            isChained = true
            return .more
        }
        return text.at(0) == UInt8(ascii: "|") || text.at(0) == UInt8(ascii: "+") ? .more : .rejected
    }

    /// `ZeroDivisionError: division by zero`, `KeyboardInterrupt`,
    /// `requests.exceptions.HTTPError: 404`
    private static func exception(_ text: Span<UInt8>) -> (type: String, message: String?)? {
        let end = text.firstIndex(of: UInt8(ascii: ":")) ?? text.count
        let type = text.upTo(end)
        // A class's qualified name: `__main__.main.<locals>.Stop`.
        // `./harbour(moor+0x1e)[0x5622e9d06e7e]` is a row of another stack.
        guard type.count > 0, (0..<type.count).allSatisfy({ isNameByte(type[$0]) }) else { return nil }
        return (type.text, end < text.count ? text.from(end + 1).trimmed().text : nil)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte >= 0x80 || isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 || isOne(byte, of: "_.<>")
    }

    /// `[Previous line repeated 995 more times]`
    private static func repeated(_ text: Span<UInt8>) -> Int? {
        var rest = text
        guard rest.take("[Previous line repeated "), let count = rest.takeDecimal() else { return nil }
        return Int(exactly: count)
    }

    // MARK: A dying interpreter

    private mutating func beginFatal(_ text: Span<UInt8>) -> LineVerdict {
        guard state == .fresh else { return .rejected }
        isFatal = true
        state = .fatal
        let isWindows = text.at(0) == UInt8(ascii: "W")
        var found = CrashCause(kind: isWindows || PythonTrace.signals.contains { text.hasSuffix(": \($0)") } ? .signal : .runtimeError)
        found.type = isWindows ? "Windows fatal exception" : "Fatal Python error"
        found.message = text.from((found.type?.utf8.count ?? 0) + 2).text
        cause = found
        return .more
    }

    /// `faulthandler_handlers` of `Modules/faulthandler.c`.
    private static let signals = [
        "Segmentation fault", "Floating-point exception", "Floating point exception", "Aborted", "Bus error", "Illegal instruction",
    ]

    private mutating func begin(_ name: String, isCode: Bool) -> LineVerdict {
        guard state == .fresh || state == .fatal || state == .code, stacks.count < Limits.standard.threads else { return .rejected }
        if isCode {
            guard code.isEmpty else { return .rejected }
            state = .code
        } else {
            isFatal = true
            state = .fatal
            stacks.append(ThreadTrace(index: stacks.count, name: name, crashed: name.hasPrefix("Current thread") || name == "Stack"))
        }
        return .more
    }

    private mutating func takeFatal(_ line: Span<UInt8>, _ text: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        if state == .fatal, let symbol = PythonRow.read(line), !stacks.isEmpty {
            stacks[stacks.count - 1].frames.add(.returnAddress, symbol, at: place)
            return .more
        }
        if state == .code, let row = PythonCodeRow(line), code.count < Limits.standard.framesPerThread {
            code.append(row.frame(index: code.nextIndex, at: place))
            return .more
        }
        if text.hasPrefix("<truncated rest of calls>") || text.equals("..."), !(code.isEmpty && stacks.isEmpty) {
            let frame = Frame(index: 0, kind: .truncated, address: nil, place: place)
            if state == .code { code.append(frame) } else if !stacks.isEmpty { stacks[stacks.count - 1].frames.append(frame) }
            return .more
        }
        if text.count == 0 { return .unknown }
        if text.hasPrefix("Extension modules: ") { return .done }
        unrecognizedLines += 1
        return text.at(0) == UInt8(ascii: "<") || text.hasPrefix("Python runtime state: ") || text.hasPrefix("Garbage-collecting")
            ? .more
            : unrecognizedLines > 16 ? .rejected : .unknown
    }

    /// A traceback has the most recent call last.
    private mutating func putInnermostFirst() {
        for stack in stacks.indices {
            stacks[stack].frames.reverse()
            for index in stacks[stack].frames.indices { stacks[stack].frames[index].index = index }
        }
    }

    package mutating func finish() -> [CrashReport] {
        guard !code.isEmpty || stacks.contains(where: { !$0.frames.isEmpty }) else { return [] }
        var report = CrashReport(format: PythonTrace.name)
        report.cause = cause ?? CrashCause(kind: .languageException)
        if cause == nil { report.notes.append("The line above the frames, with the cause, is missing.") }
        if !isFatal { putInnermostFirst() }
        if isFatal {
            report.threads = stacks
        } else if var last = stacks.popLast() {
            // The last of a chain is the one that ended the program.
            last.crashed = true
            last.name = nil
            report.threads = [last]
            report.additionalBacktraces = stacks
        }
        if !code.isEmpty {
            PythonCodeRow.decideKinds(&code, isSignal: cause?.kind == .signal)
            PythonCodeRow.addStack(code, to: &report)
        }
        return [report]
    }

    /// Rows of C code get the symbol and the offset where the interpreter writes those it knows,
    /// and the place in the source after the row. Inlined calls become rows above. Frames of Python
    /// code have nothing to resolve.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        let bytes = log.clamped(to: frame.place)
        guard let row = PythonCodeRow(bytes) else { return nil }
        let functions = answer.functions.map { function in
            let place = function.location.flatMap { $0.line > 0 ? " at " + SourceLocationText.text($0) : nil }
            return (", at " + RowAnswer.symbol(function), place ?? "")
        }
        let rows = RowAnswer(
            range: row.symbolStart..<bytes.count, keeping: row.addressStart..<row.answerStart, functions: functions)
        return TextEdit.rows(rows, in: frame.place, of: log)
    }
}
