internal import BinaryPrimitives
internal import CrashLogModel

/// The cause that a sanitizer's report gives, gathered line by line.
struct SanitizerCause {
    private var tool: SanitizerTool
    private var text: String
    private var isCheck = false
    /// `READ of size 4 at 0x604000000014 thread T0`,
    /// `The signal is caused by a WRITE memory access.`, hints.
    private var details: [String] = []
    /// Text after the tool's name in the last line:
    /// `heap-use-after-free (/src/libstore.so+0x1294)`.
    private var summary: String?
    /// `Cause: use-after-free` of HWAddressSanitizer.
    private var reason: String?
    /// The thread that the first stack is of, if the report names it.
    private(set) var thread: Int?
    private(set) var threadName: String?
    /// `pc`, `bp`, `sp` of the heading.
    private(set) var registers: [(name: String, value: UInt64)] = []

    private static let detailLimit = 16

    init(_ heading: SanitizerHeading) {
        tool = heading.tool
        text = heading.text
        isCheck = heading.isCheck
        noteThread(heading.text)
        for name in ["pc", "bp", "sp"] {
            if let value = SanitizerCause.number(behind: " " + name + " 0x", in: heading.text)
                ?? SanitizerCause.number(behind: "(" + name + " 0x", in: heading.text)
            {
                registers.append((name, value))
            }
        }
    }

    /// Makes the cause of a report of undefined behaviour.
    init(_ line: UndefinedBehaviorLine) {
        tool = .undefinedBehavior
        text = line.message
        details = [line.location]
    }

    mutating func add(detail: String) {
        noteThread(detail)
        if let cause = detail.utf8Suffix(behind: "Cause: ") { reason = cause }
        if details.count < Self.detailLimit { details.append(detail) }
    }

    mutating func set(summary: String) { self.summary = summary }

    /// `thread T0`, `thread T8 (ThreadPoolForeg)`, `by main thread`, ` T0)`.
    private mutating func noteThread(_ line: String) {
        guard thread == nil else { return }
        let bytes = Array(line.utf8)
        var rest = bytes.span
        if rest.contains(" main thread") {
            thread = 0
            return
        }
        if let mark = rest.firstRange(of: "thread T") {
            rest = rest.from(mark.upperBound)
        } else if let mark = rest.lastRange(of: " T"), rest.hasSuffix(")"), rest.contains("(pc 0x") {
            rest = rest.from(mark.upperBound)
        } else {
            return
        }
        thread = rest.readDecimal().flatMap { Int(exactly: $0) }
        if thread != nil, tool == .address || tool == .hardwareAddress, rest.consume(" ("), let end = rest.firstIndex(of: UInt8(ascii: ")"))
        {
            threadName = rest.upTo(end).text
        }
    }

    private static func number(behind mark: String, in text: String) -> UInt64? {
        let bytes = Array(text.utf8)
        guard let range = bytes.span.firstRange(of: mark) else { return nil }
        return bytes.span.from(range.upperBound).leadingHexadecimal
    }

    // MARK: The cause

    /// Signals as the runtime names them (`SignalContext::Describe` of
    /// `sanitizer_posix_libcdep.cpp`).
    private static let signals: Set = ["SEGV", "ABRT", "FPE", "ILL", "BUS", "TRAP"]

    var cause: CrashCause {
        var cause = CrashCause(kind: .runtimeError, type: type)
        if let type = cause.type, Self.signals.contains(type) {
            cause.kind = .signal
            cause.signal = "SIG" + type
        }
        cause.address = address.map { RuntimeAddress($0) }
        switch tool {
        case .undefinedBehavior where !details.isEmpty && cause.kind != .signal:
            cause.message = ([details[0] + ": " + text] + details.dropFirst()).joined(separator: "; ")
        case .leak: cause.message = summary ?? text
        default: cause.message = ([text] + details).joined(separator: "; ")
        }
        return cause
    }

    /// Kind of error, the beginning of the heading: `heap-use-after-free`, `data race`, `SEGV`,
    /// `deadly signal`. If the heading is a sentence, the last line has it.
    private var type: String {
        if let reason { return reason }
        if isCheck { return "CHECK failed" }
        if tool == .undefinedBehavior, summary != nil || !details.isEmpty, !Self.signals.contains(errorKind(text)) {
            return "undefined-behavior"
        }
        if let summary, tool == .address || tool == .memory, let first = summary.split(separator: " ").first, !first.isEmpty {
            // A leak's summary begins with a count: `8 byte(s) leaked in 1 allocation(s).`
            if first.utf8.first.map({ !isDigit($0) }) == true { return String(first) }
        }
        return errorKind(text)
    }

    private func errorKind(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var span = bytes.span
        if let end = [" on address ", " on unknown address", " (pid=", " on 0x", " in thread ", " (0x", ": ", " (malloc("].compactMap({
            span.firstRange(of: $0)?.lowerBound
        }).min() {
            span = span.upTo(end)
        }
        _ = span.consume("attempting ")
        return span.text
    }

    private var address: UInt64? {
        for mark in [" on address 0x", " on unknown address 0x", "-free on 0x", " on 0x"] {
            if let value = SanitizerCause.number(behind: mark, in: text) { return value }
        }
        for detail in details {
            for mark in [" at 0x", " at address 0x"] {
                if tool == .thread || tool == .address, let value = SanitizerCause.number(behind: mark, in: detail) { return value }
            }
        }
        return nil
    }
}

extension String {
    /// The text after `prefix`; `nil` if the text does not begin with it.
    fileprivate func utf8Suffix(behind prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
