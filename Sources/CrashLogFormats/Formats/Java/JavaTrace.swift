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
    private var unrecognizedLines = 0
    private var images = ImageTable()

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        guard let heading = JavaHeading(line) else { return .none }
        return heading.isThread ? .certain : .possible
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if let row = JavaNativeRow(line) {
            if stacks.isEmpty { stacks.append(ThreadTrace(index: 0, name: threadName, crashed: true)) }
            append(row, at: place)
            return .more
        }
        if let symbol = JavaTraceRow.read(line) {
            if stacks.isEmpty { stacks.append(ThreadTrace(index: 0, name: threadName, crashed: true)) }
            stacks[stacks.count - 1].frames.add(.returnAddress, symbol, at: place)
            return .more
        }
        if let count = JavaTrace.more(text), !stacks.isEmpty {
            stacks[stacks.count - 1].frames.add(.omitted(count: count), nil, at: place)
            return .more
        }
        if JavaTrace.isFurther(text) {
            guard !stacks.isEmpty || cause != nil, stacks.count < Limits.standard.threads else { return takeFirst(line) }
            if stacks.isEmpty { stacks.append(ThreadTrace(index: 0, name: threadName, crashed: true)) }
            stacks.append(ThreadTrace(index: stacks.count, name: text.text))
            return .more
        }
        if stacks.isEmpty { return takeFirst(line) }
        return .rejected
    }

    /// The exception, and the lines of its message that do not fit one.
    private mutating func takeFirst(_ line: Span<UInt8>) -> LineVerdict {
        if cause == nil, let heading = JavaHeading(line) {
            cause = CrashCause(kind: .languageException, type: heading.type, message: heading.message)
            noteSignal(heading.message)
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
        guard head.take(Array(message.utf8).span), let signal = head.cause else { return }
        cause?.signal = signal.signal
        cause?.codes = signal.codes
        cause?.address = signal.address
    }

    /// `... 12 more`: frames that the stack shares with the one that this was the cause of.
    private static func more(_ text: Span<UInt8>) -> Int? {
        var rest = text
        guard rest.take("... "), let count = rest.takeDecimal() else { return nil }
        return rest.equals(" more") || rest.equals(" common frames omitted") ? Int(exactly: count) : nil
    }

    private static func isFurther(_ text: Span<UInt8>) -> Bool {
        text.hasPrefix("Caused by: ") || text.hasPrefix("Suppressed: ") || text.hasPrefix("[CIRCULAR REFERENCE")
            || text.hasPrefix("Wrapped by: ")
    }

    /// Of a signal's trace the first row is where the processor was; else rows are callers, as in
    /// all of the trace.
    private mutating func append(_ row: JavaNativeRow, at place: Range<Int>) {
        let last = stacks.count - 1
        let isFirst = stacks[last].frames.allSatisfy(\.isInlined) && stacks.count == 1 && cause?.signal != nil
        stacks[last].frames.add(isFirst ? .programCounter : .returnAddress, row.printed, at: place)
        guard let index = stacks[last].frames.indices.last, stacks[last].frames[index].place == place else { return }
        stacks[last].frames[index].imageName = row.library
        stacks[last].frames[index].image = images.index(ofImageNamed: row.library, id: nil)
        stacks[last].frames[index].imagePlace = .offset(ImageOffset(row.offset))
        stacks[last].frames[index].isInlined = row.isInlined
    }

    package mutating func finish() -> [CrashReport] {
        guard stacks.contains(where: { !$0.frames.isEmpty }) else { return [] }
        var report = CrashReport(format: JavaTrace.name)
        report.cause = cause ?? CrashCause(kind: .languageException)
        report.threads = [stacks[0]]
        report.additionalBacktraces = Array(stacks.dropFirst())
        report.images = images.images
        return [report]
    }

    /// The result follows a native row; inlined calls are rows above it. Java's own rows are never
    /// symbolicated.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = JavaNativeRow(log.clamped(to: frame.place)) else { return nil }
        return AppleRow.edit(at: frame.place, from: row.end, separator: "  ", with: answer, in: log)
    }
}
