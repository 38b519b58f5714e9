internal import BinaryPrimitives
package import CrashLogModel

/// An exception of .NET, of Mono or of Unity with the exceptions inside of it (`Exception.ToString`):
///
///     Unhandled exception. System.InvalidOperationException: job failed
///      ---> System.NullReferenceException: Object reference not set to an instance of an object.
///        at Acme.Mailer.Greet(User u) in /src/Mailer.cs:line 12
///        at Acme.Runner.Run() in /src/Runner.cs:line 28
///        --- End of inner exception stack trace ---
///        at Acme.Runner.Run() in /src/Runner.cs:line 31
///
/// The innermost exception's stack comes first, and each ends where it was caught. Mono and .NET Framework write the
/// exceptions' names into one line. Below the stack of an AggregateException all that are in it follow, as
/// `---> (Inner Exception #1) …`, and end with `<---`; .NET leaves out the first, which is the inner exception.
///
/// It has no addresses, and nothing to resolve: it passes through as it is.
package struct DotNetException: LineFormat {
    package static let name = "dotnet-exception"
    package static let summary = "exceptions of .NET, Mono and Unity, and those inside of them; passed through as they are"
    package static let acceptsResults = false
    package static let triggers = ["Exception", "Unhandled exception. "]

    private struct Entry {
        var cause: CrashCause
        var stack: ThreadTrace
        /// One of an AggregateException's list, not the inner exception.
        var isListed: Bool
        /// It was named inside of a listed one.
        var isInList: Bool
    }

    private var entries: [Entry] = []
    /// Indices of the entries whose stacks have not ended, the innermost last.
    private var open: [Int] = []
    private var messageLines = 0

    package init() {}

    package var incompleteTraceMessage: String { "" }
    package var yieldsToOtherFormats: Bool { entries.allSatisfy(\.stack.frames.isEmpty) }

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        guard let heading = DotNetHeading(first: line) else { return .none }
        return heading.isUnhandled || heading.hasInner ? .certain : .possible
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if entries.isEmpty {
            guard let heading = DotNetHeading(first: line) else { return .rejected }
            begin(heading.exceptions, text, isListed: false)
            return .more
        }
        if let inner = DotNetHeading(inner: text) {
            guard entries.count < DotNetException.maxEntries else { return .more }
            begin(inner.exceptions, text, isListed: inner.isListed)
            return .more
        }
        if let row = DotNetRow(text) {
            if isRepetition(row) { return .rejected }
            add(Frame(index: 0, kind: .returnAddress, address: nil, range: range, printed: row.symbol))
            if row.endsListed { close() }
            return .more
        }
        if text.hasPrefix("--- ") {
            if text.hasPrefix("--- End of inner ") { close() }
            // `--- End of stack trace from previous location ---`: the rows go on where the exception was thrown again.
            return .more
        }
        if text.equals("<---") {
            close()
            return .more
        }
        return readOther(line, text)
    }

    private static let maxEntries = 64

    private mutating func begin(_ exceptions: [CrashCause], _ text: Span<UInt8>, isListed: Bool) {
        messageLines = 0
        for cause in exceptions where entries.count < DotNetException.maxEntries {
            let isFirst = entries.isEmpty
            let isInList = isListed || open.contains { entries[$0].isInList }
            let stack = ThreadTrace(index: entries.count, name: isFirst ? nil : DotNetException.title(cause), crashed: isFirst)
            entries.append(Entry(cause: cause, stack: stack, isListed: isListed, isInList: isInList))
            open.append(entries.count - 1)
        }
    }

    private static func title(_ cause: CrashCause) -> String {
        [cause.type, cause.message].compactMap { $0 }.joined(separator: ": ")
    }

    private mutating func add(_ frame: Frame) {
        guard let last = open.last else { return }
        entries[last].stack.frames.addUnnumbered(frame)
    }

    /// Whether the row begins the exception once more: Mono prints one that nobody caught twice, the second time below
    /// `[ERROR] FATAL UNHANDLED EXCEPTION: `. The first row is the innermost exception's; `Main` has no callers.
    private func isRepetition(_ row: DotNetRow) -> Bool {
        guard open.count == 1, let last = entries[0].stack.frames.last?.printed?.name,
            entries.count > 1 || last.hasSuffix(".Main") || last.hasSuffix(".<Main>$")
        else { return false }
        let innermost = entries.last { !$0.isInList }?.stack.frames.first ?? entries[0].stack.frames.first
        return innermost?.printed == row.symbol
    }

    /// Ends the innermost stack. The first exception's is the last: its list may follow.
    private mutating func close() { if open.count > 1 { open.removeLast() } }

    /// Reads further lines of a message, and blank lines between the exceptions of a list.
    private mutating func readOther(_ line: Span<UInt8>, _ text: Span<UInt8>) -> LineVerdict {
        guard let last = open.last, entries[last].stack.frames.isEmpty, entries[last].isListed || entries.count == last + 1 else {
            messageLines += 1
            return text.count == 0 && messageLines <= 2 ? .unknown : .rejected
        }
        messageLines += 1
        guard messageLines <= DotNetException.maxMessageLines, DotNetHeading(first: line) == nil, !text.contains("0x") else {
            return .rejected
        }
        if let message = entries[last].cause.message, message.utf8.count + text.count < DotNetException.maxMessageBytes {
            entries[last].cause.message = message + "\n" + text.text
        }
        return .unknown
    }

    private static let maxMessageLines = 32
    private static let maxMessageBytes = 4096

    package mutating func finish() -> [CrashReport] {
        guard let first = entries.first, entries.contains(where: { !$0.stack.frames.isEmpty }) else { return [] }
        var report = CrashReport(format: DotNetException.name)
        report.cause = first.cause
        report.threads = [first.stack]
        report.additionalBacktraces = entries.dropFirst().map(\.stack)
        // The first of an AggregateException's list is its inner exception; the others are beside it.
        let chain = entries.indices.dropFirst().filter { !entries[$0].isInList }
        if let root = chain.last {
            report.rootCause = RootCause(cause: entries[root].cause, stacks: chain.reversed().map { $0 - 1 })
        }
        return [report]
    }
}

/// The line that names an exception, and in Mono and .NET Framework those inside of it:
///
///     System.InvalidOperationException: job failed
///     Unhandled exception. Acme.JobFailure: mail                                 .NET; Framework: `Unhandled Exception: `
///     System.InvalidOperationException: job failed ---> Acme.JobFailure: mail
///      ---> (Inner Exception #1) System.IO.IOException: closed
struct DotNetHeading {
    var exceptions: [CrashCause] = []
    var isUnhandled = false
    var isListed = false
    var hasInner: Bool { exceptions.count > 1 }

    /// The first line. Without a runtime's "Unhandled exception" a type's name must show that it is an exception of
    /// .NET: `System.Exception`, `Acme.StoreException`; Java's packages begin with a small letter.
    init?(first line: Span<UInt8>) {
        var rest = line.trimmed()
        isUnhandled = rest.consume("Unhandled exception. ") || rest.consume("Unhandled Exception: ")
        guard read(rest), let type = exceptions[0].type else { return nil }
        guard !isUnhandled else { return }
        guard let first = type.utf8.first, first &- UInt8(ascii: "A") < 26, type.hasSuffix("Exception") || type.contains("Exception`"),
            // `Exception (28):` is Espressif's.
            type.utf8.contains(UInt8(ascii: ".")) || exceptions[0].message != nil && DotNetHeading.plain.contains(type)
        else { return nil }
    }

    /// Exceptions that Unity names without their namespace.
    private static let plain: Set<String> = [
        "NullReferenceException", "IndexOutOfRangeException", "ArgumentException", "ArgumentNullException", "ArgumentOutOfRangeException",
        "InvalidOperationException", "InvalidCastException", "KeyNotFoundException", "MissingReferenceException",
        "UnassignedReferenceException",
        "MissingComponentException", "UnityException", "DivideByZeroException", "FormatException", "NotImplementedException",
        "NotSupportedException", "ObjectDisposedException", "FileNotFoundException", "DllNotFoundException", "Exception",
    ]

    /// A line of an exception inside of another.
    init?(inner text: Span<UInt8>) {
        var rest = text
        guard rest.consume("---> ") else { return nil }
        if rest.consume("(Inner Exception #") {
            guard rest.readDecimal() != nil, rest.consume(") ") else { return nil }
            isListed = true
        }
        guard read(rest) else { return nil }
    }

    private mutating func read(_ text: Span<UInt8>) -> Bool {
        var rest = text
        while exceptions.count < 64 {
            let end = DotNetHeading.nextInner(rest)
            guard let cause = DotNetHeading.exception(rest.upTo(end ?? rest.count)) else { return false }
            exceptions.append(cause)
            guard let end else { return true }
            rest = rest.from(end + 6)
        }
        return true
    }

    /// Position of the next ` ---> ` that a type's name follows; a message may have others.
    private static func nextInner(_ text: Span<UInt8>) -> Int? {
        var start = 0
        while let found = text.from(start).firstRange(of: " ---> ") {
            if exception(text.from(start + found.upperBound).upTo(512)) != nil { return start + found.lowerBound }
            start += found.upperBound
        }
        return nil
    }

    /// `Acme.StoreFailure: closed`, `Acme.Failure`1[System.Int32]: x`, `System.Exception`
    private static func exception(_ text: Span<UInt8>) -> CrashCause? {
        var length = 0
        var dots = 0
        while let byte = text.at(length), byte != UInt8(ascii: ":"), byte != UInt8(ascii: " ") {
            guard isLetter(byte) || isDigit(byte) || byte >= 0x80 || isOne(byte, of: "_.+`[],") else { return nil }
            if byte == UInt8(ascii: ".") { dots += 1 }
            length += 1
        }
        let type = text.upTo(length)
        guard length > 0, length <= 256, isLetter(type[0]) || type[0] == UInt8(ascii: "_"), dots > 0 || type.hasSuffix("Exception") else {
            return nil
        }
        var rest = text.from(length)
        // `System.IO.FileNotFoundException: …`; Windows' have a number: `System.Net.Sockets.SocketException (111): refused`
        if rest.hasPrefix(" ("), let close = rest.firstIndex(of: UInt8(ascii: ")")) { rest = rest.from(close + 1) }
        guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
        let message = rest.from(1).trimmed()
        return CrashCause(kind: .languageException, type: type.text, message: message.isEmpty ? nil : message.text)
    }
}

/// A row of .NET's and Mono's stack traces:
///
///     at Acme.Mailer.Greet(User u) in /src/Mailer.cs:line 12
///     at Acme.Runner.Run[T](T job)
///     at Acme.Mailer.Greet (Acme.User u) [0x00001] in /src/Mailer.cs:5
///     at System.Threading.Tasks.Task.Execute () [0x00000] in <12b418a7818c4ca0893feeaaf67f1e7f>:0 <---
struct DotNetRow {
    var symbol: PrintedSymbol
    /// The last row of one of an AggregateException's list.
    var endsListed = false

    init?(_ text: Span<UInt8>) {
        var rest = text
        guard rest.consume("at ") else { return nil }
        endsListed = rest.consumeSuffix("<---")
        rest = rest.trimmed()
        if rest.hasPrefix("(wrapper "), let end = rest.firstRange(of: ") ") { rest = rest.from(end.upperBound) }
        guard let open = rest.firstIndex(of: UInt8(ascii: "(")), open > 0, let close = rest.firstIndex(of: UInt8(ascii: ")"), from: open)
        else { return nil }
        let name = rest.upTo(open).trimmed()
        guard name.contains("."), name.firstIndex(of: UInt8(ascii: " ")) == nil, name.firstIndex(of: UInt8(ascii: "/")) == nil else {
            return nil
        }
        // `(Mailer.java:12)`, `(Native Method)` are Java's.
        let inside = rest.clamped(to: open + 1..<close)
        guard SourceLocationText.read(inside) == nil, !inside.equals("Native Method"), !inside.equals("Unknown Source") else { return nil }
        symbol = PrintedSymbol(name: name.text)
        guard let found = rest.from(close).lastRange(of: " in ") else { return }
        symbol.location = DotNetRow.location(rest.from(close + found.upperBound).trimmed())
    }

    /// `/src/Mailer.cs:line 12`, `/src/Mailer.cs:12`, `<12b418a7…>:0`, which is no file.
    private static func location(_ text: Span<UInt8>) -> SourceLocation? {
        guard !text.hasPrefix("<") else { return nil }
        if let found = text.lastRange(of: ":line ") {
            guard found.lowerBound > 0, let line = text.from(found.upperBound).decimal.flatMap({ Int(exactly: $0) }) else { return nil }
            return SourceLocation(file: text.upTo(found.lowerBound).text, line: line)
        }
        return SourceLocationText.readLine(text)
    }
}
