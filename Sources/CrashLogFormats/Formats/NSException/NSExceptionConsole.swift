internal import BinaryPrimitives
package import CrashLogModel

/// Console output for an uncaught Objective-C exception: Foundation logs the reason and the call
/// stack that the exception recorded.
///
/// Its three generations:
///
///     2008-10-26 13:25:43.385 CrashExample[41720:20b] Stack: (       Mac OS X 10.5: NSArray's description, decimal
///         2528013804,
///         11076
///     )
///     *** Call stack at first throw:                                 Mac OS X 10.6, iOS 4: the rows of backtrace_symbols(3)
///     (
///     	0   CoreFoundation    0x00dc75a9 __exceptionPreprocess + 185
///     )
///     *** First throw call stack:                                    since OS X 10.7 and iOS 5; on devices addresses only
///     (0x30b5564f 0x34670c5d 0x140e1)
///
/// There is no list of images; the rows give some of them (`CrashExample + 2709` is 2709 bytes into
/// CrashExample).
package struct NSExceptionConsole: LineFormat {
    package static let name = "nsexception-console"
    package static let summary = "Foundation’s console message about an uncaught NSException, 10.5 to today"
    package static let triggers = ["First throw call stack:", "Call stack at first throw:", "Stack: (", uncaught]

    private enum State {
        case fresh
        /// Inside the reason, which may run over several lines.
        case reason(isComplete: Bool, lines: Int)
        case expectsList
        case list
    }

    private var state = State.fresh
    private var report = CrashReport(format: name)
    private var frames: [Frame] = []
    /// Number of consecutive lines inside the parentheses that are not part of the list.
    private var foreignLines = 0
    /// Number of lines of other processes between two rows after which the stack counts as ended.
    private static let foreignLimit = 64

    package init() {}

    private static let uncaught = "Terminating app due to uncaught exception"

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        if marker(line) != nil { return .certain }
        return isStack(line) || line.contains(uncaught) ? .possible : .none
    }

    /// How long the line's heading of a call stack is.
    private static func marker(_ line: Span<UInt8>) -> Int? {
        var rest = line
        rest.skipBlanks()
        if rest.consume("***") { rest.skipBlanks() }
        guard rest.consume("First throw call stack:") || rest.consume("Call stack at first throw:") else { return nil }
        return line.count - rest.count
    }

    /// `Stack: (`, and what follows it if the list is on one line.
    private static func isStack(_ line: Span<UInt8>) -> Bool {
        var rest = line
        rest.skipBlanks()
        guard rest.consume("Stack: (") else { return false }
        rest.skipBlanks()
        // `Stack: (0xdaf39e50 to 0xdaf3a000)` is an ARM kernel's.
        return rest.count == 0 || (isDigit(rest[0]) && !rest.contains(" to 0x"))
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if case .list = state { return readList(line, at: range) }
        if case .expectsList = state { return readOpening(line, at: range) }
        if let length = NSExceptionConsole.marker(line) {
            state = .expectsList
            let rest = line.from(length)
            return rest.trimmed().count > 0 ? readOpening(rest, at: range.lowerBound + length..<range.upperBound) : .more
        }
        if NSExceptionConsole.isStack(line) {
            state = .list
            let length = line.firstIndex(of: UInt8(ascii: "(")).map { $0 + 1 } ?? line.count
            return readList(line.from(length), at: range.upperBound - (line.count - length)..<range.upperBound)
        }
        switch state {
        case .fresh:
            if let found = line.firstRange(of: NSExceptionConsole.uncaught) { return readReason(line.from(found.upperBound)) }
            // A log that is forced to be of this format may begin inside the list.
            state = .list
            return readList(line, at: range)
        case .reason(let isComplete, let lines):
            let text = line.trimmed()
            if isComplete { return text.count == 0 && lines < 4 ? continueReason(lines + 1, isComplete: true) : .rejected }
            guard lines < 64 else { return .rejected }
            report.cause?.message? += "\n" + line.text
            return continueReason(lines + 1, isComplete: text.hasSuffix("'") || text.hasSuffix("\""))
        case .expectsList, .list:
            return .rejected
        }
    }

    private mutating func continueReason(_ lines: Int, isComplete: Bool) -> LineVerdict {
        state = .reason(isComplete: isComplete, lines: lines)
        return .more
    }

    /// ` 'NSRangeException', reason: '*** -[__NSArrayM …]: …'`
    private mutating func readReason(_ text: Span<UInt8>) -> LineVerdict {
        var cause = CrashCause(kind: .languageException)
        let quote = UInt8(ascii: "'")
        if let open = text.firstIndex(of: quote), let close = text.firstIndex(of: quote, from: open + 1) {
            cause.type = text.clamped(to: open + 1..<close).text
        }
        if let reason = text.firstRange(of: "reason: ") { cause.message = text.from(reason.upperBound).text }
        report.cause = cause
        let end = text.trimmed()
        return continueReason(0, isComplete: cause.message == nil || end.hasSuffix("'") || end.hasSuffix("\""))
    }

    private mutating func readOpening(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        var rest = line
        rest.skipBlanks()
        if rest.count == 0 { return .more }
        state = .list
        guard rest.consume("(") else { return readList(line, at: range) }
        return rest.count == 0 ? .more : readList(rest, at: range.upperBound - rest.count..<range.upperBound)
    }

    private mutating func readList(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        var rest = line
        rest.skipBlanks()
        if rest.count == 0 { return .more }
        if rest.hasPrefix(")") { return .done }
        guard frames.count < Limits.standard.framesPerThread else { return .rejected }
        if let row = AppleRow(line) {
            // Rows from 0 on again are another stack.
            if foreignLines > 0, let last = frames.last?.index, row.index <= last { return .rejected }
            foreignLines = 0
            frames.append(row.frame(at: range))
            return .more
        }
        let verdict = frames.last?.imageName == nil ? readEntries(line, at: range) : .rejected
        // Until the parenthesis closes, the stack continues after `...`, where its author left rows
        // out, and after lines that another thread printed.
        guard verdict == .rejected, frames.last?.imageName != nil, foreignLines < Self.foreignLimit else { return verdict }
        foreignLines += 1
        return .unknown
    }

    /// Entries without names: `11076,` on a line of its own, or `0x30b5564f 0x34670c5d)`.
    private mutating func readEntries(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        var rest = line
        var entryCount = 0
        while true {
            rest.skipBlanks()
            if rest.count == 0 { return .more }
            if entryCount > 0, rest.hasPrefix(")") { return .done }
            let start = range.lowerBound + line.count - rest.count
            guard let value = rest.readAddress() ?? rest.readDecimal() else { return .rejected }
            var end = range.lowerBound + line.count - rest.count
            let hasComma = rest.consume(",")
            guard hasComma || rest.count == 0 || rest.hasPrefix(")") || rest.at(0).map(isBlank) ?? true else { return .rejected }
            guard frames.count < Limits.standard.framesPerThread else { return .rejected }
            var frame = Frame(index: frames.count, kind: .returnAddress, address: RuntimeAddress(value), range: start..<end)
            let behind = rest.trimmed()
            // An entry alone on its line is the line's whole text: the comma, and a result that was
            // written after it.
            if entryCount == 0, behind.count == 0 || !NSExceptionConsole.beginsEntry(behind) {
                end = range.lowerBound + line.indent + line.trimmed().count
                frame.range = start..<end
                if behind.count > 0 {
                    let symbol = SymbolText(behind, imageName: nil, address: value)
                    frame.printed = symbol.printed
                    frame.isInlined = symbol.isInlined
                }
                frames.append(frame)
                return .more
            }
            frames.append(frame)
            entryCount += 1
        }
    }

    private static func beginsEntry(_ text: Span<UInt8>) -> Bool {
        if text.hasPrefix(")") { return true }
        var token = text
        guard token.readAddress() != nil || token.readDecimal() != nil else { return false }
        return token.count == 0 || token.hasPrefix(",") || token.hasPrefix(")") || token.at(0).map(isBlank) ?? false
    }

    package mutating func finish() -> [CrashReport] {
        guard !frames.isEmpty else { return [] }
        NSExceptionConsole.number(&frames)
        AppleStack.markInlined(&frames)
        AppleStack.decideKinds(&frames, origin: .exception)
        if let message = report.cause?.message { report.cause?.message = NSExceptionConsole.unquoted(message) }
        report.cause = report.cause ?? CrashCause(kind: .languageException)
        report.exceptionBacktrace = ThreadTrace(index: 0, crashed: true, frames: frames)
        var table = ImageTable()
        table.assign(to: &report)
        return [report]
    }

    /// Entries without numbers are counted; a symbolicated inlined call counts with the frame below
    /// it.
    private static func number(_ frames: inout [Frame]) {
        guard frames.allSatisfy({ $0.imageName == nil }) else { return }
        var index = 0
        for position in frames.indices {
            frames[position].index = index
            if !frames[position].isInlined { index += 1 }
        }
    }

    /// Foundation puts the reason in quotes.
    private static func unquoted(_ text: String) -> String {
        guard let first = text.first, first == "'" || first == "\"", text.last == first, text.count > 1 else { return text }
        return String(text.dropFirst().dropLast())
    }

    /// Numbered rows are symbolicated as `AppleRow` has it. An entry on a line of its own, which
    /// has no room for a name, gets it after two spaces: ` 11076, -[CrashExampleAppDelegate
    /// performTransition] + 88 (CrashExampleAppDelegate.m:94)`. A list of addresses on one line
    /// becomes numbered rows, if at least one of them is resolved.
    package static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        AppleAddressList.edits(.console, of: report, results: results, in: log, row: AppleRow.edit, entry: edit)
    }

    private static func edit(ofEntry frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        var rest = log.clamped(to: frame.range)
        guard (rest.readAddress() ?? rest.readDecimal()) != nil else { return nil }
        _ = rest.consume(",")
        return AppleRow.edit(at: frame.range, from: frame.range.count - rest.count, separator: "  ", with: result, in: log)
    }
}
