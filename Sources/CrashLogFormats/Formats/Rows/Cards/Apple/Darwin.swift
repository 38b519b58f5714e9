internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Rows of Darwin's `backtrace_symbols(3)`, and so of `Thread.callStackSymbols` and everything that is built on
    /// them, with or without a heading:
    ///
    ///     0   Demo                                0x0000000104a383f8 Demo + 1016
    ///     1   Demo                                0x0000000104a38408 main + 16
    ///     2   dyld                                0x00000001c1dd8dec start + 2220
    ///
    /// Every row is a return address: `backtrace(3)` begins with its own caller. `%-4d%-35s 0x%016lx %s + %lu` is what
    /// Libc prints (`gen/backtrace.c`, `_backtrace_snprintf`): the file's name, the address, and its distance from the
    /// nearest symbol before it that `dladdr` finds. If there is none, it repeats the file's name, or prints the
    /// image's load address or (since macOS 12) its UUID, and the offset counts from the image's first byte.
    ///
    /// The headings come from Xcode's checkers, AppKit, XCTest and UIKit.
    static let darwin = StackCard(
        name: "darwin-backtrace",
        summary: "backtrace_symbols(3) of Darwin and callStackSymbols: below any heading, Xcode’s checkers, AppKit, XCTest, or none",
        openings: DarwinHeading.openings.map { .anywhere($0) } + [.anywhere(DarwinHeading.array), .start(DarwinHeading.exception)],
        rule: .returnAddresses,
        offsets: .imageStart,
        allowsSingleRow: false,
        claims: { DarwinText.isRow($0) },
        read: { DarwinHeading.read($0) })
}

enum DarwinText {
    /// Whether the row has this form: `3   Demo                                0x0000000104a383f8 main + 16`.
    static func isRow(_ row: StackRow) -> Bool {
        guard row.style == .bare, row.addressBracket == 0, !row.hasHexadecimal, let module = row.module, let address = row.addressRange
        else { return false }
        return module.upperBound <= address.lowerBound
            && (row.symbol.offset != nil || row.moduleOffset != nil || row.base != nil || row.id != nil || row.hasUnknownName)
    }
}

/// Reads the lines above a stack of `backtrace_symbols(3)`.
enum DarwinHeading {
    static let performance = "Thread Performance Checker: "
    static let mainThread = "Main Thread Checker: "
    static let appKit = "An uncaught exception was raised"
    static let test = "stack trace for SIGNAL "
    static let layout = "This application is modifying the autolayout engine from a background thread"
    static let openings = [performance, mainThread, appKit, test, layout]
    /// Consoles that add names to a report export it without addresses, so that its rows are not those of a report.
    static let exception = "Last Exception Backtrace:"
    /// An array of rows, as Swift prints it: `["0   Demo …", "1   Demo …"]`.
    static let array = "[\"0   "

    static func read(_ line: Span<UInt8>) -> StackLine? {
        if let rows = rows(ofArray: line) { return .rows(rows) }
        let text = line.trimmed()
        if let found = cause(text) { return .cause(found) }
        // `PID: 77, TID: 4567, Thread name: (none), Queue name: com.apple.root.default-qos, QoS:
        // 21`
        var rest = text
        if rest.consume("PID: "), let pid = rest.readDecimal(), rest.hasPrefix(", TID: ") {
            return .process(name: nil, pid: Int(exactly: pid))
        }
        return isPadding(text) ? .skipped : nil
    }

    private static func cause(_ text: Span<UInt8>) -> CrashCause? {
        for checker in [performance, mainThread] {
            guard let range = text.firstRange(of: checker) else { continue }
            return CrashCause(kind: .other, type: String(checker.dropLast(2)), message: text.from(range.upperBound).text)
        }
        if text.hasPrefix(layout) {
            return CrashCause(kind: .other, type: "autolayout engine modified from a background thread", message: text.text)
        }
        return exception(text) ?? signal(text)
    }

    /// Reads the reason of an exception, which AppKit logs in the second of several lines:
    /// `-[NSNull length]: unrecognized selector sent to instance 0x1f0e8c430`.
    private static func exception(_ text: Span<UInt8>) -> CrashCause? {
        var cause = CrashCause(kind: .languageException)
        if text.hasSuffix(appKit) {
            cause.type = "uncaught exception"
            return cause
        }
        var reason = text
        _ = reason.consume("[General] ")
        var method = reason
        _ = method.consume("*** ")
        guard method.hasPrefix("-[") || method.hasPrefix("+["), method.contains("]: ") else { return nil }
        cause.message = reason.text
        return cause
    }

    /// Reads the signal: `stack trace for SIGNAL 5 (Trace/BPT trap: 5):`.
    private static func signal(_ text: Span<UInt8>) -> CrashCause? {
        var cause = CrashCause(kind: .signal)
        guard let range = text.firstRange(of: test) else { return nil }
        var rest = text.from(range.upperBound)
        guard let number = rest.readDecimal() else { return nil }
        cause.signal = SignalName.posix(number) ?? "\(number)"
        if let open = rest.firstIndex(of: UInt8(ascii: "(")), let close = rest.lastIndex(of: UInt8(ascii: ")")), close > open {
            cause.type = rest.clamped(to: open + 1..<close).text
        }
        return cause
    }

    /// Whether the line has no information: `Backtrace:`, a line of `=`, and the parentheses of an array's description.
    private static func isPadding(_ text: Span<UInt8>) -> Bool {
        if text.equals(exception) || text.equals("Backtrace") || text.equals("Backtrace:") || text.hasSuffix("Stack:(") { return true }
        return text.count > 0 && (0..<text.count).allSatisfy { text[$0] == UInt8(ascii: "=") }
            || text.equals("(") || text.equals("((") || text.equals("[General] (") || text.equals("(null)")
    }

    // MARK: Arrays

    private static func rows(ofArray line: Span<UInt8>) -> [StackRow]? {
        guard let open = line.firstRange(of: array) else { return nil }
        var rows: [StackRow] = []
        var start = open.lowerBound + 2
        while rows.count < Limits.standard.framesPerThread {
            let end =
                line.firstRange(of: "\", \"", from: start)?.lowerBound ?? line.firstRange(of: "\"]", from: start)?.lowerBound ?? line.count
            if var row = StackRow(line.upTo(end), from: start, isLenient: true) {
                row.end = end
                rows.append(row)
            }
            guard end + 4 < line.count else { break }
            start = end + 4
        }
        return rows.isEmpty ? nil : rows
    }
}
