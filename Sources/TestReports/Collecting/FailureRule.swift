internal import BinaryPrimitives
package import CrashLogModel

/// Classification of a failure: its kind, the stable name of its rule, and a text for people.
package struct FailureRule: Sendable {
    package let kind: Failure.Kind
    /// `crash/SIGSEGV`
    package let id: String
    /// `SIGSEGV`
    package let label: String

    package init(_ report: CrashReport) {
        let cause = report.cause
        let type = cause?.type ?? ""
        func rule(_ kind: Failure.Kind, _ family: String, _ name: String) -> (Failure.Kind, String, String) {
            let slug = PlainText.slug(name)
            return (kind, slug.isEmpty ? family : family + "/" + slug, name)
        }
        let signal = cause.flatMap { Self.signalName($0, format: report.format) }
        let chosen: (Failure.Kind, String, String)
        if Self.profiles.contains(report.format) {
            chosen = rule(.noFailure, "report", report.format)
        } else if Self.printsStacks.contains(report.format), cause == nil || type == "backtrace" {
            chosen = rule(.stack, "stack", report.format)
        } else if report.format.hasPrefix("sanitizer-") {
            chosen = rule(.sanitizer, "sanitizer", report.format == "sanitizer-lsan" ? "leak" : type.isEmpty ? "error" : type)
        } else if type == "DATA RACE" {
            chosen = rule(.sanitizer, "sanitizer", "data-race")
        } else if Self.watchers.contains(report.format), cause?.kind == .other {
            // `hang`, `shutdown stall`, `MXHangDiagnostic`, `MXAppLaunchDiagnostic`; `cpu usage`,
            // `disk writes`, `MXCPUExceptionDiagnostic`.
            let lowercased = type.lowercased()
            let isTime = ["hang", "stall", "launch", "slow", "unresponsive"].contains { lowercased.contains($0) }
            chosen = isTime ? rule(.hang, "hang", type) : rule(.resource, "resource", type)
        } else if signal == "SIGQUIT" || type == "ANR" {
            chosen = rule(.hang, "hang", signal ?? type)
        } else if report.format == "rust-panic", cause?.type != "Error" {
            chosen = (.panic, "panic/rust", "panic")
        } else if report.format == "go-panic", cause?.kind != .signal {
            chosen = (.panic, "panic/go", type.isEmpty ? "panic" : type)
        } else if report.format == "python-trace", type == "Fatal Python error", let name = Self.pythonSignal(cause?.message ?? "") {
            chosen = rule(.crash, "crash", name)
        } else if cause?.kind == .languageException {
            // Rows alone, without the line that names it.
            chosen = type.isEmpty ? (.exception, "exception", "exception") : rule(.exception, "exception", type)
        } else if let signal {
            chosen = rule(.crash, "crash", signal)
        } else if type.isEmpty, report.format != "swift-runtime-trace" {
            // The log names no cause. Its format distinguishes the rule, and is no title.
            chosen = (.crash, rule(.crash, "crash", report.format).1, "crash")
        } else {
            chosen = rule(.crash, "crash", type.isEmpty ? "Fatal error" : type)
        }
        (kind, id, label) = chosen
    }

    /// Formats that are not only written by crashes: where they name no cause, what happened is not
    /// known.
    private static let printsStacks: Set = [
        "glibc-backtrace", "symbolizer-markup", "rust-panic", "gdb-bt", "windows-cdb", "chromium-misc", "apple-spindump", "metrickit",
    ]

    /// Formats in which the system reports what it saw of a process, which goes on.
    private static let watchers: Set = ["apple-spindump", "metrickit"]

    /// Formats that never report a failure: lists of addresses, and profiles.
    private static let profiles: Set = ["address-list", "perf-script", "apple-sample"]

    /// Whether a report is one of a failure at all.
    static func isFailure(_ report: CrashReport) -> Bool { !profiles.contains(report.format) }

    /// Exceptions that programs print and live on: what printed these stacks may have caught them.
    static func mayBeCaught(_ report: CrashReport) -> Bool {
        // Node says so of errors that end it, and is the process then.
        ["python-trace", "java-trace", "dotnet-exception"].contains(report.format)
            || report.format == "javascript-error" && report.process.name == nil
    }

    /// - Parameter label: `Fatal error`.
    init(_ kind: Failure.Kind, family: String, _ label: String) {
        self.kind = kind
        id = family + "/" + PlainText.slug(label)
        self.label = label
    }

    /// Signal of `Fatal Python error: Segmentation fault`, which faulthandler prints (`faulthandler.c`).
    static func pythonSignal(_ message: String) -> String? { pythonNames.first { message.hasPrefix($0.key) }?.value }

    private static let pythonNames = [
        "Segmentation fault": "SIGSEGV", "Aborted": "SIGABRT", "Bus error": "SIGBUS", "Floating": "SIGFPE", "Illegal instruction": "SIGILL",
    ]

    /// A debugger reported the stacks of a process that took too long.
    static let timeout = FailureRule(.hang, family: "hang", "timeout")

    /// Signals by the names that Swift's backtracer prints (`swift-backtrace` of Swift 6.3: the
    /// texts are in the program).
    private static let swiftNames = [
        "Terminated": "SIGQUIT", "Aborted": "SIGABRT", "Bus error": "SIGBUS", "Floating point exception": "SIGFPE",
        "Illegal instruction": "SIGILL",
        "Bad pointer dereference": "SIGSEGV", "System trap": "SIGTRAP",
    ]

    /// Numbers of Linux, where logs give no more. Those of macOS differ in SIGBUS alone (10), which
    /// on Linux is SIGUSR1.
    private static let numbers = [
        3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE",
        14: "SIGALRM", 15: "SIGTERM",
    ]

    /// The signal's name; `nil` where there was none.
    static func signalName(number: Int) -> String { numbers[number] ?? "signal-\(number)" }

    private static func signalName(_ cause: CrashCause, format: String) -> String? {
        if let signal = cause.signal {
            // `SIGSEGV`, `11`, `SIGSEGV (11)`, `11 (SIGSEGV)`
            let tokens = signal.split { !$0.isLetter && !$0.isNumber }
            if let name = tokens.first(where: { $0.hasPrefix("SIG") }) { return String(name) }
            if let number = tokens.first.flatMap({ Int($0) }) { return signalName(number: number) }
            return signal.isEmpty ? nil : signal
        }
        guard cause.kind == .signal else { return nil }
        return (format == "swift-backtrace" ? cause.type.flatMap { swiftNames[$0] } : nil) ?? cause.type
    }
}

extension PlainText {
    /// The name of a rule: letters, digits, `.`, `_` and `-`, whatever else it was made of.
    fileprivate static func slug(_ text: String, limit: Int = 64) -> String {
        var result = ""
        for byte in text.utf8 {
            guard result.utf8.count < limit else { break }
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."),
                UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: if !result.isEmpty, result.utf8.last != UInt8(ascii: "-") { result += "-" }
            }
        }
        while result.utf8.last == UInt8(ascii: "-") { result.removeLast() }
        return result
    }
}
