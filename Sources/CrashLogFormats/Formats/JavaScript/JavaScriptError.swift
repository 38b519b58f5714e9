internal import BinaryPrimitives
package import CrashLogModel

/// An error of JavaScript as Node and other programs print it (V8's `Error.stack`, and `formatError` of Node's
/// `lib/internal/util/inspect.js`), with its causes, each as a property of the error before:
///
///     /srv/mail.js:3                                                      of an error that nobody caught
///     function run(job) { try { greet(job.id); } catch (e) { throw …
///                                                            ^
///
///     RangeError: job failed
///         at run (/srv/mail.js:3:62)
///         ... 5 lines matching cause stack trace ...
///         at node:internal/main/run_main_module:28:49 {
///       code: 'E_JOB',
///       [cause]: TypeError: Cannot read properties of null (reading 'name')
///           at load (/srv/mail.js:1:46)
///           at run (/srv/mail.js:3:27)
///     }
///
///     Node.js v20.20.2
///
/// A value that is inside of another is indented by two blanks more, which distinguishes the cause of a cause from the cause of
/// an error in any other property, such as `[errors]: [` of an AggregateError, whose errors are beside one another. Each
/// stack was captured where the error was made, and has all callers, but for rows that it shares with its cause.
///
///
/// Rows of WebAssembly have a position in the module (`WasmPosition`); all others have no address, and pass through as they are.
package struct JavaScriptError: LineFormat {
    package static let name = "javascript-error"
    package static let summary =
        "errors of JavaScript in Node and other programs with V8, with their causes, and the WebAssembly in their stacks"
    package static let triggers = [
        "Error: ", "Error [", "DOMException [", ".js:", ".mjs:", ".cjs:", ".ts:", ".mts:", ".cts:", "node:internal/",
    ]

    /// Which lines come next.
    private enum State {
        case fresh
        /// Below `/srv/mail.js:3`: the source line.
        case source
        /// Below the source line: what marks a part of it.
        case mark
        /// The error's own line is next.
        case heading
        /// The rest of a message, or the first row.
        case message
        case rows
        /// Inside the braces after the last row.
        case properties
        /// The error is complete.
        case ended
    }

    /// One error, and the stack in the report that its rows go to.
    private struct Entry {
        var cause: CrashCause
        var stack: ThreadTrace
        /// Blanks before the property that has the error.
        var indent: Int
    }

    private var state = State.fresh
    /// The error, its cause, the cause of that, and so on.
    private var chain: [Entry] = []
    /// Errors in other properties.
    private var others: [Entry] = []
    /// Whether rows go to the last of `others`, not of `chain`.
    private var isOther = false
    /// No further error is in the chain: the braces around the last were closed, or another property has begun.
    private var hasWholeChain = false
    /// Indentation of the stack's rows; `nil` before the first.
    private var rowIndent: Int?
    /// The last line of the properties, in which an error may begin whose rows follow.
    private var lastProperty: (text: String, indent: Int)?
    /// Node itself printed the error: nobody caught it.
    private var isUncaught = false
    /// Text comes before the error in its line. Rows follow at once, and some are of WebAssembly: lines of many programs have an error's
    /// name somewhere.
    private var isInLine = false
    private var isInBraces = false
    private var hasRows = false
    private var images = WasmImages()
    private var messageLines = 0
    private var blankLines = 0

    package init() {}

    /// Most errors that programs print have no stack.
    package var incompleteTraceMessage: String { "" }
    package var yieldsToOtherFormats: Bool { !hasRows }
    package func isOwnRow(_ line: Span<UInt8>) -> Bool { state == .message && JavaScriptRow(line.trimmed()) != nil }

    package static var isDecidedByShape: Bool { true }

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        guard line.at(0).map(isBlank) == false else { return .none }
        // `Error: #1  0x0000000000220f90 berth() + 0x5c`: a logger's level before a row of another stack.
        guard let heading = JavaScriptHeading(line) ?? JavaScriptHeading(in: line) else { return isLocation(line) ? .possible : .none }
        return heading.cause.message?.hasPrefix("#") == true || line.contains("0x") ? .none : .possible
    }

    /// `/srv/mail.js:3`, `file:///srv/mail.mjs:3`, `node:internal/process/promises:391`: the first line of an error that nobody caught.
    private static func isLocation(_ line: Span<UInt8>) -> Bool {
        guard let colon = line.lastIndex(of: UInt8(ascii: ":")), line.from(colon + 1).decimal != nil else { return false }
        let path = line.upTo(colon)
        return path.hasPrefix("node:internal/") || [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"].contains { path.hasSuffix($0) }
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        switch state {
        case .fresh:
            guard JavaScriptError.begins(line) != .none else { return .rejected }
            if let heading = JavaScriptHeading(line) { return begin(heading) }
            if let heading = JavaScriptHeading(in: line) {
                isInLine = true
                return begin(heading)
            }
            state = .source
            return .unknown
        case .source:
            state = .mark
            return .unknown
        case .mark:
            // `    ^`, `       ^^^^^`
            guard text.count > 0, (0..<text.count).allSatisfy({ text[$0] == UInt8(ascii: "^") }) else { return .rejected }
            (state, isUncaught) = (.heading, true)
            return .unknown
        case .heading: return readHeading(line, text)
        case .message: return readMessage(line, text, at: range)
        case .rows: return readRows(line, text, at: range)
        case .properties: return readProperties(line, text, at: range)
        case .ended: return readEnd(line, text)
        }
    }

    // MARK: Lines

    private mutating func readHeading(_ line: Span<UInt8>, _ text: Span<UInt8>) -> LineVerdict {
        guard text.count > 0 else { return countBlankLine() }
        // Node has shown the source: the error may have any name.
        guard line.indent == 0, let heading = JavaScriptHeading(line, allowsAnyName: true) else { return .rejected }
        return begin(heading)
    }

    private mutating func begin(_ heading: JavaScriptHeading) -> LineVerdict {
        chain.append(Entry(cause: heading.cause, stack: ThreadTrace(index: 0, crashed: true), indent: 0))
        expectRows(of: heading)
        return .more
    }

    private mutating func expectRows(of heading: JavaScriptHeading) {
        (rowIndent, messageLines, isInBraces) = (nil, 0, isInBraces || heading.opensBraces)
        state = heading.isClosed ? (isInBraces ? .properties : .ended) : .message
    }

    /// Reads further lines of the message, up to the first row.
    private mutating func readMessage(_ line: Span<UInt8>, _ text: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if let row = JavaScriptRow(text) { return append(row, indent: line.indent, at: range) }
        messageLines += 1
        guard !isInLine else { return .rejected }
        // Another error's line begins a trace of its own, and rows of other stacks have addresses.
        guard messageLines <= JavaScriptError.maxMessageLines, !text.contains("0x"), text.at(0) != UInt8(ascii: "#"),
            isInBraces || JavaScriptError.begins(line) == .none
        else { return .rejected }
        guard let last = chain.indices.last, let message = chain[last].cause.message,
            message.utf8.count + text.count < JavaScriptError.maxMessageBytes
        else { return .unknown }
        // The lines of a cause's message are indented as its properties are.
        chain[last].cause.message = message + "\n" + line.from(min(line.indent, chain[last].indent)).text
        return .unknown
    }

    /// Lines of a message besides the first: an AssertionError shows two values side by side.
    private static let maxMessageLines = 32
    private static let maxMessageBytes = 4096

    private mutating func readRows(_ line: Span<UInt8>, _ text: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if line.indent == rowIndent {
            if let row = JavaScriptRow(text) { return append(row, indent: line.indent, at: range) }
            if let shared = JavaScriptRow.shared(text) {
                add(Frame(index: 0, kind: .omitted(count: shared), address: nil, range: range))
                return .more
            }
        }
        if isInBraces {
            state = .properties
            return readProperties(line, text, at: range)
        }
        state = .ended
        return readEnd(line, text)
    }

    private mutating func readProperties(_ line: Span<UInt8>, _ text: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let indent = line.indent
        if text.count == 0 { return countBlankLine() }
        if indent == 0 {
            guard text.hasPrefix("}") else { return .rejected }
            (isInBraces, state, blankLines) = (false, .ended, 0)
            return .more
        }
        blankLines = 0
        if let row = JavaScriptRow(text), let property = lastProperty { return appendOther(row, property, indent: indent, at: range) }
        let level = 2 * chain.count
        if indent < level { hasWholeChain = true }
        if indent == level, !hasWholeChain, let heading = JavaScriptHeading(cause: text), chain.count < JavaScriptError.maxChain {
            chain.append(Entry(cause: heading.cause, stack: ThreadTrace(index: 0, name: text.text), indent: indent))
            (isOther, lastProperty) = (false, nil)
            expectRows(of: heading)
            return .more
        }
        lastProperty = (text.text, indent)
        return .more
    }

    /// Causes of causes that are read; further ones are passed over.
    private static let maxChain = 64

    private mutating func readEnd(_ line: Span<UInt8>, _ text: Span<UInt8>) -> LineVerdict {
        if text.count == 0 { return countBlankLine() }
        guard line.hasPrefix("Node.js v"), blankLines > 0 else { return .rejected }
        isUncaught = true
        return .done
    }

    private mutating func countBlankLine() -> LineVerdict {
        blankLines += 1
        return blankLines <= 2 ? .unknown : .rejected
    }

    // MARK: Rows

    private mutating func append(_ row: JavaScriptRow, indent: Int, at range: Range<Int>) -> LineVerdict {
        rowIndent = indent
        var frame = Frame(index: 0, kind: .returnAddress, address: nil, range: range, printed: row.symbol)
        if let position = row.position {
            // V8 gives the instruction itself, also for callers (`WasmFrame::position` of `src/execution/frames.cc`).
            frame.kind = .exact
            frame.isInlined = row.isInlined
            images.assign(position, to: &frame)
        }
        add(frame)
        isInBraces = isInBraces || row.opensBraces
        (state, blankLines) = (.rows, 0)
        if row.opensBraces || row.endsElement { state = .properties }
        return .more
    }

    /// Adds the first row of an error in a property that is not a cause.
    private mutating func appendOther(
        _ row: JavaScriptRow, _ property: (text: String, indent: Int), indent: Int, at range: Range<Int>
    ) -> LineVerdict {
        lastProperty = nil
        guard others.count + chain.count < Limits.standard.threads else { return .more }
        others.append(
            Entry(cause: CrashCause(kind: .languageException), stack: ThreadTrace(index: 0, name: property.text), indent: property.indent))
        isOther = true
        return append(row, indent: indent, at: range)
    }

    private mutating func add(_ frame: Frame) {
        hasRows = true
        if isOther, let last = others.indices.last {
            others[last].stack.frames.addUnnumbered(frame)
        } else if let last = chain.indices.last {
            chain[last].stack.frames.addUnnumbered(frame)
        }
    }

    // MARK: Report

    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        let line = log.clamped(to: frame.range)
        let text = line.trimmed()
        guard let row = JavaScriptRow.result(text, result) else { return nil }
        return TextEdit.rows(row, in: frame.range.lowerBound + line.indent..<frame.range.upperBound, of: log)
    }

    package mutating func finish() -> [CrashReport] {
        guard let first = chain.first, hasRows, !isInLine || !images.images.isEmpty else { return [] }
        var report = CrashReport(format: JavaScriptError.name)
        report.cause = first.cause
        report.threads = [first.stack]
        report.additionalBacktraces = (chain.dropFirst() + others).map(\.stack)
        for index in report.additionalBacktraces.indices { report.additionalBacktraces[index].index = index + 1 }
        if let root = chain.last, chain.count > 1 {
            let stacks = (1..<chain.count).reversed().filter { !chain[$0].stack.frames.isEmpty }.map { $0 - 1 }
            report.rootCause = RootCause(cause: root.cause, stacks: stacks, isWhole: true)
        }
        if isUncaught { report.process.name = "node" }
        report.images = images.images
        return [report]
    }
}

/// The line that names an error:
///
///     TypeError: Cannot read properties of null (reading 'name')
///     AssertionError [ERR_ASSERTION]: one is left          with Node's code
///     <ref *1> Uncaught Error: circular                    one that refers to itself; the REPL's
///     [Error: without a stack] {                           closed, with properties
struct JavaScriptHeading {
    var cause: CrashCause
    /// No rows follow.
    var isClosed = false
    var opensBraces = false

    /// - Parameter allowsAnyName: the name need not end in `Error`, and there may be a message alone.
    init?(_ line: Span<UInt8>, allowsAnyName: Bool = false) {
        var rest = line.trimmed()
        if rest.consume("<ref *") {
            guard rest.readDecimal() != nil, rest.consume("> ") else { return nil }
        }
        _ = rest.consume("Uncaught ")
        _ = rest.consume("(in promise) ")
        if rest.hasPrefix("[") {
            opensBraces = rest.consumeSuffix("] {")
            guard opensBraces || rest.consumeSuffix("]") else { return nil }
            isClosed = true
            rest = rest.from(1)
        }
        var length = 0
        while let byte = rest.at(length), isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") {
            length += 1
        }
        let name = rest.upTo(length)
        let isError = name.hasSuffix("Error") || name.equals("DOMException")
        guard length > 0, length <= 128, isError || allowsAnyName else { return nil }
        let type = name.text
        rest = rest.from(length)
        var ownType = type
        if rest.hasPrefix(" ["), let close = rest.firstIndex(of: UInt8(ascii: "]")) {
            // `Error [ERR_ASSERTION]` has a code, `Error [RuntimeError]` the name that the error has got since its stack was made.
            let inside = rest.clamped(to: 2..<close)
            if inside.hasSuffix("Error") { ownType = inside.text }
            rest = rest.from(close + 1)
        }
        cause = CrashCause(kind: .languageException, type: ownType)
        if rest.consume(": ") {
            cause.message = rest.text
        } else if !rest.isEmpty, !rest.equals(":") {
            guard allowsAnyName else { return nil }
            cause = CrashCause(kind: .languageException, message: line.trimmed().text)
        }
    }

    /// Reads an error of WebAssembly behind other text, as programs and consoles print one that they have caught:
    ///
    ///     loading failed: RuntimeError: divide by zero
    ///     berth.js:77 Uncaught (in promise) RuntimeError: unreachable                          Chrome
    ///     exiting due to exception: RuntimeError: unreachable,RuntimeError: unreachable        Emscripten: the error and its stack
    init?(in line: Span<UInt8>) {
        let text = line.trimmed()
        var found: Range<Int>?
        for name in Self.engineErrors {
            if let next = text.firstRange(of: name), next.lowerBound < found?.lowerBound ?? .max { found = next }
        }
        guard let found, found.lowerBound > 0, !text.contains("0x"), let heading = JavaScriptHeading(text.from(found.lowerBound + 1)) else {
            return nil
        }
        self = heading
        let again = "," + text.clamped(to: found.lowerBound + 1..<found.upperBound).text
        if let message = cause.message, let start = message.firstRange(of: again) { cause.message = String(message[..<start.lowerBound]) }
    }

    /// Errors that engines raise in WebAssembly.
    private static let engineErrors = [" RuntimeError: ", " RangeError: ", " LinkError: ", " CompileError: "]

    /// Reads the property that has an error's cause: `[cause]: TypeError: …`, and `cause: TypeError: …` where the
    /// program has set it itself.
    init?(cause text: Span<UInt8>) {
        var rest = text
        guard rest.consume("[cause]: ") || rest.consume("cause: ") else { return nil }
        // `[cause]: 'disk full'`, `[cause]: { code: 7 }`, `[cause]: [Circular *1]`
        guard let heading = JavaScriptHeading(rest) ?? JavaScriptHeading(named: rest) else { return nil }
        self = heading
    }

    /// A cause of any name has a message: `[cause]: HttpFailure: no route`.
    private init?(named text: Span<UInt8>) {
        guard text.contains(": "), let heading = JavaScriptHeading(text, allowsAnyName: true), heading.cause.type != nil, !heading.isClosed
        else { return nil }
        self = heading
    }
}
