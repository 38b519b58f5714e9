internal import BinaryPrimitives
package import CrashLogModel

/// The stack trace of a Java exception (`Throwable.printStackTrace`), its causes and what was
/// suppressed:
///
///     Exception in thread "main" java.lang.IllegalStateException: A book has a null property
///             at com.example.Author.getBookIds(Author.java:38)
///     Caused by: java.lang.NullPointerException
///             at com.example.Book.getId(Book.java:22)
///             ... 1 more
///
/// It has no addresses, and nothing to resolve: it is recognised and passes through as it is, but
/// for the native rows of Unity's (`JavaNativeRow`). Rows alone, as in Android's and other
/// programs' dumps of threads, are left to those.
package struct JavaTrace: LineFormat {
    package static let name = "java-trace"
    package static let summary = "Java exceptions and their causes; passed through as they are, but for Unity’s native rows"
    package static let triggers = ["Exception", "java.lang."]

    private var cause: CrashCause?
    private var threadName: String?
    private var stacks: [ThreadTrace] = []
    /// The causes, each with the index of its stack, in the log's order. What was suppressed, and its
    /// causes, are not among them.
    private var causes: [(cause: CrashCause, stack: Int)] = []
    /// The stacks that kotlinx.coroutines has put together (`isBoundary`).
    private var recovered: Set<Int> = []
    /// Blanks before the exception's line: those of a suppressed one's cause are more.
    private var indentation = 0
    private var unrecognizedLines = 0
    private var images = ImageTable()

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        guard let heading = JavaHeading(line) else { return .none }
        return heading.isThread ? .certain : .possible
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if let row = JavaNativeRow(line) {
            if stacks.isEmpty { stacks.append(ThreadTrace(index: 0, name: threadName, crashed: true)) }
            append(row, at: range)
            return .more
        }
        if let symbol = JavaTraceRow.read(line), !JavaTrace.isBoundary(text) {
            if stacks.isEmpty { stacks.append(ThreadTrace(index: 0, name: threadName, crashed: true)) }
            stacks[stacks.count - 1].frames.add(.returnAddress, symbol, at: range)
            return .more
        }
        if JavaTrace.isBoundary(text), !stacks.isEmpty {
            recovered.insert(stacks.count - 1)
            return .more
        }
        if let count = JavaTrace.more(text), !stacks.isEmpty {
            stacks[stacks.count - 1].frames.add(.omitted(count: count), nil, at: range)
            return .more
        }
        if JavaTrace.isCauseLine(text) {
            guard !stacks.isEmpty || cause != nil, stacks.count < Limits.standard.threads else { return readFirstLine(line) }
            if stacks.isEmpty { stacks.append(ThreadTrace(index: 0, name: threadName, crashed: true)) }
            if line.indent <= indentation, let found = JavaHeading.cause(text) { causes.append((found, stacks.count)) }
            stacks.append(ThreadTrace(index: stacks.count, name: text.text))
            return .more
        }
        if stacks.isEmpty { return readFirstLine(line) }
        return .rejected
    }

    /// The exception, and the lines of its message that do not fit one.
    private mutating func readFirstLine(_ line: Span<UInt8>) -> LineVerdict {
        if cause == nil, let heading = JavaHeading(line) {
            cause = CrashCause(kind: .languageException, type: heading.type, message: heading.message)
            noteSignal(heading.message)
            indentation = line.indent
            threadName = heading.threadName
            return .more
        }
        unrecognizedLines += 1
        return cause != nil && unrecognizedLines <= 4 && line.trimmed().count > 0 ? .unknown : .rejected
    }

    /// `signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0000000c`: Unity's message is
    /// debuggerd's line.
    private mutating func noteSignal(_ message: String?) {
        guard let message, message.hasPrefix("signal ") else { return }
        var head = AndroidHead()
        guard head.read(Array(message.utf8).span), let signal = head.cause else { return }
        cause?.signal = signal.signal
        cause?.codes = signal.codes
        cause?.address = signal.address
    }

    /// `... 12 more`: frames that the stack shares with the one that this was the cause of.
    private static func more(_ text: Span<UInt8>) -> Int? {
        var rest = text
        guard rest.consume("... "), let count = rest.readDecimal() else { return nil }
        return rest.equals(" more") || rest.equals(" common frames omitted") ? Int(exactly: count) : nil
    }

    /// A row that kotlinx.coroutines puts between the stack of a coroutine and that of the one that waits for it
    /// (`recoverStackTrace`): no function was called there. Its name is of backspaces before 1.7.
    ///
    ///     at _COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)
    ///     (Coroutine boundary)
    private static func isBoundary(_ text: Span<UInt8>) -> Bool {
        text.hasPrefix("at _COROUTINE.") || text.count <= 64 && text.contains("(Coroutine boundary")
    }

    /// The causes without the one that the last repeats: kotlinx.coroutines throws a copy of the exception where it is
    /// waited for, with both stacks, and the first as its cause. Without its debug mode there is no copy.
    private func withoutCopies(_ chain: [(cause: CrashCause, stack: Int)]) -> [(cause: CrashCause, stack: Int)] {
        var chain = chain
        while let original = chain.last {
            let copy = chain.count > 1 ? chain[chain.count - 2] : (cause: cause ?? CrashCause(kind: .languageException), stack: 0)
            guard recovered.contains(copy.stack), copy.cause.type == original.cause.type, copy.cause.message == original.cause.message,
                let row = stacks[copy.stack].frames.first?.printed, row == stacks[original.stack].frames.first?.printed
            else { break }
            chain.removeLast()
        }
        return chain
    }

    private static func isCauseLine(_ text: Span<UInt8>) -> Bool {
        text.hasPrefix("Caused by: ") || text.hasPrefix("Suppressed: ") || text.hasPrefix("[CIRCULAR REFERENCE")
            || text.hasPrefix("Wrapped by: ")
    }

    /// Appends a frame. The first row of a signal's trace is the program counter; all other rows,
    /// and all rows of other traces, are return addresses.
    private mutating func append(_ row: JavaNativeRow, at range: Range<Int>) {
        let last = stacks.count - 1
        let isFirst = stacks[last].frames.allSatisfy(\.isInlined) && stacks.count == 1 && cause?.signal != nil
        stacks[last].frames.add(isFirst ? .programCounter : .returnAddress, row.printed, at: range)
        guard let index = stacks[last].frames.indices.last, stacks[last].frames[index].range == range else { return }
        stacks[last].frames[index].imageName = row.library
        stacks[last].frames[index].image = images.index(ofImageNamed: row.library, id: nil)
        stacks[last].frames[index].imageLocation = .offset(ImageOffset(row.offset))
        stacks[last].frames[index].isInlined = row.isInlined
    }

    package mutating func finish() -> [CrashReport] {
        guard stacks.contains(where: { !$0.frames.isEmpty }) else { return [] }
        var report = CrashReport(format: JavaTrace.name)
        report.cause = cause ?? CrashCause(kind: .languageException)
        report.threads = [stacks[0]]
        report.additionalBacktraces = Array(stacks.dropFirst())
        // A cause that is named again, as a circular reference, has no stack.
        let chain = withoutCopies(causes.filter { !stacks[$0.stack].frames.isEmpty })
        if let root = chain.last {
            report.rootCause = RootCause(cause: root.cause, stacks: chain.reversed().map { $0.stack - 1 })
        }
        report.images = images.images
        return [report]
    }

    /// The result follows a native row; inlined calls are rows above it. Java's own rows are never
    /// symbolicated.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let row = JavaNativeRow(log.clamped(to: frame.range)) else { return nil }
        return AppleRow.edit(at: frame.range, from: row.end, separator: "  ", with: result, in: log)
    }
}

/// The line that names an exception:
/// `Exception in thread "main" java.lang.IllegalStateException: MESSAGE`, the same without the
/// thread, with `Caused by: ` where a log was cut, and `== Java Exception: ` in front (Jazzer).
struct JavaHeading {
    var type: String
    var message: String?
    var threadName: String?
    /// Only Java names a thread like that.
    var isThread = false

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        var isJazzer = false
        guard let first = rest.at(0), isLetter(first) || first == UInt8(ascii: "=") else { return nil }
        if rest.consume("Exception in thread \"") {
            guard let close = rest.firstRange(of: "\" ") else { return nil }
            threadName = rest.upTo(close.lowerBound).text
            isThread = true
            rest = rest.from(close.upperBound)
        } else {
            isJazzer = rest.consume("== Java Exception: ")
            if !isJazzer { _ = rest.consume("Caused by: ") }
        }
        let end = rest.firstRange(of: ": ")?.lowerBound ?? rest.count
        let name = rest.upTo(end)
        guard JavaHeading.isClass(name), isThread || isJazzer || name.contains("Exception") || name.hasPrefix("java.lang.") else {
            return nil
        }
        // `System.IO.IOException` is .NET's: packages begin with a small letter.
        guard isThread || isJazzer || name[0] &- UInt8(ascii: "A") >= 26 else { return nil }
        type = name.text
        if end < rest.count { message = rest.from(end + 2).text }
    }

    /// Reads `Caused by: com.example.StoreError: closed`.
    static func cause(_ line: Span<UInt8>) -> CrashCause? {
        var rest = line
        guard rest.consume("Caused by: ") else { return nil }
        let end = rest.firstRange(of: ": ")?.lowerBound ?? rest.count
        guard isClass(rest.upTo(end)) else { return nil }
        return CrashCause(
            kind: .languageException, type: rest.upTo(end).text, message: end < rest.count ? rest.from(end + 2).text : nil)
    }

    /// `com.example.Outer$Inner`: parts of letters, digits, `_` and `$` between dots, of which
    /// there is one at least.
    private static func isClass(_ text: Span<UInt8>) -> Bool {
        var dots = 0
        for index in 0..<text.count {
            let byte = text[index]
            if byte == UInt8(ascii: ".") {
                guard index > 0, index + 1 < text.count, text[index - 1] != byte else { return false }
                dots += 1
            } else if !(isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
                || byte >= 0x80)
            {
                return false
            }
        }
        return dots > 0
    }
}

/// A native frame in the trace of an exception that Unity makes of a signal on Android: the library
/// replaces the class, and the offset in it the method:
///
///     at libil2cpp.0x559590(Native Method)
///
/// This package's result follows it, after two blanks:
/// `at libil2cpp.0x559590(Native Method) moor + 16 (harbour.cpp:12)`.
struct JavaNativeRow {
    /// With its ending: `libil2cpp.so`.
    var library: String
    var offset: UInt64
    var printed: PrintedSymbol?
    var isInlined = false
    /// After the parenthesis.
    var end: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        guard rest.consume("at "), rest.hasPrefix("lib"), let dot = rest.upTo(256).firstRange(of: ".0x") else { return nil }
        let name = rest.upTo(dot.lowerBound)
        for index in 0..<name.count where name[index] == UInt8(ascii: "(") || isBlank(name[index]) { return nil }
        rest = rest.from(dot.lowerBound + 1)
        guard let offset = rest.readAddress(), rest.consume("(Native Method)") else { return nil }
        self.offset = offset
        library = name.text + (name.hasSuffix(".so") ? "" : ".so")
        end = row.count - rest.count
        guard rest.consume("  ") else { return }
        let result = SymbolText(rest.trimmed(), imageName: nil, address: 0)
        (printed, isInlined) = (result.printed, result.isInlined)
    }
}

/// One frame of a Java stack trace (`StackTraceElement.toString`):
///
///     at com.example.Author.getBookIds(Author.java:38)
///     at java.base/java.lang.Thread.run(Thread.java:840)          since Java 9: the module and its version before the class
///     at Main.crash(Native Method)        (Unknown Source)
enum JavaTraceRow {
    /// - Parameter row: the line.
    /// - Returns: the function and location of the row; `nil` if the line is not a row.
    static func read(_ row: Span<UInt8>) -> PrintedSymbol? {
        var rest = row
        rest.skipBlanks()
        guard rest.count < row.count, rest.consume("at ") else { return nil }
        guard let symbol = symbol(rest), let open = rest.firstIndex(of: UInt8(ascii: "(")), open > 2 else { return nil }
        // A class and a method, without blanks; JavaScript's rows have paths instead of the file's
        // name.
        let name = rest.upTo(open)
        guard name.firstIndex(of: UInt8(ascii: ".")) != nil, name.firstIndex(of: UInt8(ascii: " ")) == nil else { return nil }
        return symbol
    }

    /// Reads name and location of
    /// `com/example/CrashingApp.main(CrashingApp.java:15(Compiled Code))`.
    static func symbol(_ text: Span<UInt8>) -> PrintedSymbol? {
        guard let open = text.firstIndex(of: UInt8(ascii: "(")), open > 0, let close = text.firstIndex(of: UInt8(ascii: ")"), from: open)
        else { return nil }
        var symbol = PrintedSymbol(name: text.upTo(open).trimmed().text)
        var source = text.clamped(to: open + 1..<close)
        if let inner = source.firstIndex(of: UInt8(ascii: "(")) { source = source.upTo(inner) }
        guard source.firstIndex(of: UInt8(ascii: "/")) == nil else { return nil }
        symbol.location = SourceLocationText.read(source)
        return symbol
    }
}
