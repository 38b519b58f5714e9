internal import BinaryPrimitives
package import CrashLogModel

/// Output of Python for an uncaught exception (`Lib/traceback.py`, `Python/traceback.c`), and for
/// an interpreter that dies (faulthandler, `Py_FatalError`):
///
///     Traceback (most recent call last):
///       File "./test.py", line 4, in f
///         eval("0/0")
///     ZeroDivisionError: integer division or modulo by zero
///
/// Frames of Python code have a name and a location and nothing to resolve: they pass through
/// unchanged. Since Python 3.14 a dying interpreter prints its own C stack as well.
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
        /// Inside the report of a dying interpreter: stacks follow one another, each after a blank
        /// line.
        case fatal
        case code
    }

    private var state = State.fresh
    private var cause: CrashCause?
    private var stacks: [ThreadTrace] = []
    private var code: [Frame] = []
    private var isFatal = false
    private var isChained = false
    /// The exceptions whose lines were read, oldest first, and how each is linked to the one before.
    private var chain: [PythonException] = []
    /// The exceptions of a group are beside each other, not because of each other.
    private var hasGroup = false
    /// Link of the next exception to the last.
    private var isDirectCause = false
    /// Whether the last frame's source line is a `raise` statement; `nil` until the line is read.
    private var isRaised: Bool?
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
        _ = rest.consume("Exception Group ")
        return rest.equals("Traceback (most recent call last):")
    }

    /// `Current thread 0x00007fb899f39700 [python] (most recent call first):`, `Thread 0x…`,
    /// `Stack (…`, `Current thread's C stack trace (…`
    private static func stackHeading(_ text: Span<UInt8>) -> (name: String, isCode: Bool)? {
        var name = text
        guard name.consumeSuffix(" (most recent call first):") else { return nil }
        guard name.hasPrefix("Current thread") || name.hasPrefix("Thread 0x") || name.equals("Stack") else { return nil }
        return (name.text, name.hasSuffix("C stack trace"))
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
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
        case .fresh, .frames: return readTraceback(line, text, at: range)
        case .ended: return readAfterException(text)
        case .fatal, .code: return readFatalError(line, text, at: range)
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
        if isPart { hasGroup = true }
        if isPart, state == .frames || state == .ended { stacks[max(0, stacks.count - 1)].name = stacks.last?.name ?? "exception group" }
        isChained = false
        state = .frames
        stacks.append(ThreadTrace(index: stacks.count))
        return .more
    }

    private mutating func readTraceback(_ line: Span<UInt8>, _ text: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if let symbol = PythonRow.read(line) {
            if stacks.isEmpty { stacks.append(ThreadTrace(index: 0)) }
            state = .frames
            isRaised = nil
            stacks[stacks.count - 1].frames.add(.returnAddress, symbol, at: range)
            return .more
        }
        if let count = PythonTrace.repeated(text), !stacks.isEmpty {
            stacks[stacks.count - 1].frames.add(.omitted(count: count), nil, at: range)
            return .more
        }
        guard state == .frames, text.count > 0 else { return .rejected }
        // The source line below a frame, and what marks a part of it.
        if line.hasPrefix("    ") || line.hasPrefix("  |") {
            if isRaised == nil { isRaised = text.hasPrefix("raise ") || text.equals("raise") }
            return stacks.isEmpty ? .rejected : .more
        }
        guard let exception = PythonTrace.exception(text) else { return .rejected }
        cause = CrashCause(kind: .languageException, type: exception.type, message: exception.message)
        if stacks.isEmpty { return .more }
        if let cause {
            let isBecause = !chain.isEmpty && (isDirectCause || isRaised != false)
            chain.append(PythonException(cause: cause, stack: stacks.count - 1, isBecauseOfTheLast: isBecause))
        }
        stacks[stacks.count - 1].name = text.text
        state = .ended
        return .more
    }

    private mutating func readAfterException(_ text: Span<UInt8>) -> LineVerdict {
        if text.count == 0 { return .unknown }
        if text.hasPrefix("During handling of the above exception") || text.hasPrefix("The above exception was the direct cause") {
            isChained = true
            isDirectCause = text.hasPrefix("The above")
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
        byte >= 0x80 || isDigit(byte) || isLetter(byte) || isOne(byte, of: "_.<>")
    }

    /// `[Previous line repeated 995 more times]`
    private static func repeated(_ text: Span<UInt8>) -> Int? {
        var rest = text
        guard rest.consume("[Previous line repeated "), let count = rest.readDecimal() else { return nil }
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

    private mutating func readFatalError(_ line: Span<UInt8>, _ text: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if state == .fatal, let symbol = PythonRow.read(line), !stacks.isEmpty {
            stacks[stacks.count - 1].frames.add(.returnAddress, symbol, at: range)
            return .more
        }
        if state == .code, let row = PythonCodeRow(line), code.count < Limits.standard.framesPerThread {
            code.append(row.frame(index: code.nextIndex, at: range))
            return .more
        }
        if text.hasPrefix("<truncated rest of calls>") || text.equals("..."), !(code.isEmpty && stacks.isEmpty) {
            let frame = Frame(index: 0, kind: .truncated, address: nil, range: range)
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

    /// The first of the exceptions that led to the last. Those before an error that a handler met by itself did not.
    private var rootCause: RootCause? {
        guard !hasGroup, let last = chain.indices.last else { return nil }
        var root = last
        while root > 0, chain[root].isBecauseOfTheLast { root -= 1 }
        return root == last ? nil : RootCause(cause: chain[root].cause, stacks: chain[root..<last].map(\.stack))
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
            report.rootCause = rootCause
        }
        if !code.isEmpty {
            PythonCodeRow.decideKinds(&code, isSignal: cause?.kind == .signal)
            PythonCodeRow.addStack(code, to: &report)
        }
        return [report]
    }

    /// Rows of C code get the symbol and the offset where the interpreter writes those it knows,
    /// and the source location after the row. Inlined calls become rows above. Frames of Python
    /// code have nothing to resolve.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        let bytes = log.clamped(to: frame.range)
        guard let row = PythonCodeRow(bytes) else { return nil }
        let functions = result.functions.map { function in
            let locationText = function.location.flatMap { $0.line > 0 ? " at " + SourceLocationText.text($0) : nil }
            return (", at " + RowResult.symbol(function), locationText ?? "")
        }
        let rows = RowResult(
            range: row.symbolStart..<bytes.count, keeping: row.addressStart..<row.resultStart, functions: functions)
        return TextEdit.rows(rows, in: frame.range, of: log)
    }
}

/// One exception of a chain (PEP 3134), the oldest first. Two texts link one to the one before:
///
/// - `The above exception was the direct cause`: `raise … from error`.
/// - `During handling of the above exception`: a handler raised it without `from`. If its innermost
///   line is a `raise` statement, the handler gives the error another type, and the one before is
///   the cause. If not, the handler failed by itself, and this is another error. Where the source is
///   not at hand, there is no line, and the former is assumed, which is far more frequent.
private struct PythonException {
    var cause: CrashCause
    /// Index of its stack.
    var stack: Int
    var isBecauseOfTheLast: Bool
}

/// A frame of Python code, as the interpreter and faulthandler write it; an exception group has a
/// margin:
///
///       File "./test.py", line 4, in f
///       File "test.py", line 486 in string_at            faulthandler
///       | File "test.py", line 4, in f
enum PythonRow {
    static func read(_ line: Span<UInt8>) -> PrintedSymbol? {
        var rest = line
        var indentation = 0
        while let byte = rest.at(0), isBlank(byte) || byte == UInt8(ascii: "|") {
            rest = rest.from(1)
            indentation += 1
        }
        guard indentation >= 2, rest.consume("File \""), let close = rest.lastRange(of: "\", line ") else { return nil }
        let file = rest.upTo(close.lowerBound)
        rest = rest.from(close.upperBound)
        guard let line = rest.readDecimal(), let number = Int(exactly: line) else { return nil }
        _ = rest.consume(",")
        var symbol = PrintedSymbol(location: SourceLocation(file: file.text, line: number))
        if rest.consume(" in ") { symbol.name = rest.trimmed().text } else if rest.count > 0 { return nil }
        return symbol
    }
}

/// A frame of C code in faulthandler's report since Python 3.14 (`_Py_backtrace_symbols_fd` of
/// `Python/traceback.c`):
///
///       Binary file "/usr/lib/libc.so.6", at +0x3def0 [0x77b73226bef0]
///
/// A function's name stands before the plus sign (`at _Py_DumpStack+0x42`), `at` and what follows it may be absent, and the file is
/// `'<unknown>'` if none is known.
///
/// Without a name, the number after the plus sign is the address without the load bias
/// (`link_map.l_addr`): the address as the file was linked. On macOS it is the distance from the
/// Mach-O header. A program that is loaded where it was linked has no such offset. cairn's source
/// location follows the bracket.
struct PythonCodeRow {
    var path: String?
    var address: UInt64
    /// After the plus sign: from the symbol, or from the file's base.
    var offset: UInt64?
    var name: String?
    var location: SourceLocation?
    var isInlined = false
    /// Offsets of ` [0x…]` and of `, at `.
    var symbolStart: Int
    var addressStart: Int
    /// Offset at which the result's source location is written.
    var resultStart: Int

    init?(_ line: Span<UInt8>) {
        var rest = line
        rest.skipBlanks()
        guard rest.count < line.count, rest.consume("Binary file ") else { return nil }
        let isKnown = rest.at(0) == UInt8(ascii: "\"")
        guard let open = rest.firstRange(of: isKnown ? "\"" : "'"), open.lowerBound == 0,
            let bracket = rest.lastRange(of: " [0x"),
            let close = rest.lastIndex(of: UInt8(ascii: isKnown ? "\"" : "'"), before: bracket.lowerBound), close > 0
        else { return nil }
        if isKnown { path = rest.clamped(to: 1..<close).text }
        let start = line.count - rest.count
        symbolStart = start + close + 1
        addressStart = start + bracket.lowerBound
        var digits = rest.from(bracket.lowerBound + 2)
        guard let value = digits.readAddress(), digits.consume("]") else { return nil }
        address = value
        resultStart = line.count - digits.count
        if digits.consume(" at ") { location = SourceLocationText.read(digits) }
        readSymbol(rest.clamped(to: close + 1..<bracket.lowerBound))
    }

    private mutating func readSymbol(_ text: Span<UInt8>) {
        var rest = text
        guard rest.consume(", at ") else { return }
        isInlined = rest.consumeSuffix(" [inlined]")
        if !isInlined { offset = rest.readHexadecimal(atEndBehind: "+0x") }
        if rest.count > 0 { name = rest.text }
    }
    func frame(index: Int, at range: Range<Int>) -> Frame {
        var frame = Frame(index: index, kind: .returnAddress, address: RuntimeAddress(address), range: range)
        frame.imageName = path.map(Path.foreignName)
        frame.isInlined = isInlined
        if name != nil || location != nil {
            frame.printed = PrintedSymbol(name: name, offset: name == nil ? nil : offset, location: location)
        }
        if path == nil { return frame }
        if let name, let offset {
            frame.imageLocation = .symbol(SymbolLocation(name: name, offset: offset))
        } else if name == nil {
            // Without an offset it is where it was linked.
            frame.imageLocation = .linkAddress(LinkAddress(offset ?? address))
        }
        return frame
    }

    /// The rows are `backtrace(3)`'s: return addresses all. Where a signal was what killed the
    /// interpreter, the stack begins in the handler, whose functions are the interpreter's own; the
    /// first row of the C library is the trampoline that the handler returns to, and below it is
    /// what was interrupted, at its own instruction.
    static func decideKinds(_ frames: inout [Frame], isSignal: Bool) {
        guard isSignal, let trampoline = frames.firstIndex(where: { isCLibrary($0.imageName) && !$0.isInlined }), trampoline > 0 else {
            return
        }
        for index in frames.indices where index > trampoline {
            guard frames[index].kind == .returnAddress else { return }
            frames[index].kind = .programCounter
            if !frames[index].isInlined { return }
        }
    }

    private static func isCLibrary(_ name: String?) -> Bool {
        guard let name else { return false }
        return name.hasPrefix("libc.") || name.hasPrefix("libc-") || name.hasPrefix("libpthread") || name.hasPrefix("ld-musl")
            || name == "libsystem_platform.dylib"
    }

    /// Adds the stack. Each file is an image without a base; each row gives the offset in it.
    static func addStack(_ frames: [Frame], to report: inout CrashReport) {
        var frames = frames
        var table = ImageTable()
        let isDarwin = frames.contains { $0.imageName?.hasSuffix(".dylib") == true }
        for index in frames.indices {
            guard let name = frames[index].imageName else { continue }
            frames[index].image = table.index(ofImageNamed: name, id: nil)
            if isDarwin, case .linkAddress(let offset)? = frames[index].imageLocation {
                frames[index].imageLocation = .offset(ImageOffset(offset.value))
            }
        }
        report.additionalBacktraces.append(ThreadTrace(index: 0, name: "Current thread's C stack trace", crashed: true, frames: frames))
        report.images = table.images
    }
}
