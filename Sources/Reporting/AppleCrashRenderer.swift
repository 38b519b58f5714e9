internal import BinaryPrimitives
internal import CrashLogModel
package import Symbolication

/// Writes a report in Apple's own text layout, as Console and Xcode show an `.ips`: version 12 on macOS, 104 on
/// the other systems. Fields that the log does not have are left out.
///
/// Both layouts are in real reports: `macsymbolicator-2022-single-target-crash.crash` is 12,
/// `macsymbolicator-2021-ios-report.crash` is 104.
package struct AppleCrashRenderer: Renderer {
    package static let name = "apple-crash"

    private let threads: Symbolicator.Threads

    /// - Parameter threads: `crashed` leaves the other threads out.
    package init(threads: Symbolicator.Threads = .all) { self.threads = threads }

    /// Whether the log is symbolicated in place, and the rest of it stays: text that Apple wrote already has
    /// the layout, and a call tree (`sample`, spindump) does not have one.
    package static func isInPlace(_ report: SymbolicatedReport) -> Bool {
        report.report.format == name || report.report.stacks.contains(where: \.isCallTree)
    }

    package func render(_ log: SymbolicatedLog, source: Span<UInt8>) -> [UInt8] {
        if !log.reports.isEmpty, log.reports.allSatisfy(Self.isInPlace) { return SameRenderer().render(log, source: source) }
        var output: [UInt8] = []
        for (index, report) in log.reports.enumerated() {
            if index > 0 { output.append(UInt8(ascii: "\n")) }
            for line in AppleCrashText(report: report, document: AppleDocument(source), threads: threads).lines {
                output += line.utf8
                output.append(UInt8(ascii: "\n"))
            }
        }
        return output
    }
}

/// Fields of an `.ips` that the report's model does not have: identifiers that the reader of a report needs.
struct AppleDocument {
    private var objects: [JSONValue] = []

    /// - Parameter source: the log; an `.ips` has two JSON objects.
    init(_ source: Span<UInt8>) {
        var start = 0
        while objects.count < 2, start < source.count, let value = try? JSONParser().parse(source.extracting(start..<source.count)),
            value.isObject, !value.range.isEmpty
        {
            objects.append(value)
            start += value.range.upperBound
        }
    }

    /// A text or a number, the body's before the header's.
    func text(_ key: String) -> String? {
        for object in objects.reversed() {
            if let value = object[key], let text = value.string ?? value.int.map(String.init), !text.isEmpty { return text }
        }
        return nil
    }

    /// `exc handler [1710]` of `byProc` and `byPid` in `termination`.
    var terminatingProcess: String? {
        guard let termination = objects.last?["termination"], let name = termination["byProc"]?.string else { return nil }
        return name + (termination["byPid"]?.int.map { " [\($0)]" } ?? "")
    }

    /// The process was inspected after its end; older reports have a number.
    var isCorpse: Bool { objects.contains { ($0["isCorpse"] ?? $0["is_corpse"]).map { $0.isTrue || $0.int == 1 } ?? false } }

    var isEmpty: Bool { objects.isEmpty }

    /// The queue that a thread served: its name is another thing.
    func queue(ofThread index: Int) -> String? {
        let threads = objects.last?["threads"]?.elements ?? []
        return threads.indices.contains(index) ? threads[index]["queue"]?.string : nil
    }
}

/// The lines of one report.
private struct AppleCrashText {
    private let symbolicated: SymbolicatedReport
    private let document: AppleDocument
    private let threads: Symbolicator.Threads
    private var report: CrashReport { symbolicated.report }
    /// macOS' layout; the other systems' is older.
    private let isMac: Bool

    init(report: SymbolicatedReport, document: AppleDocument, threads: Symbolicator.Threads) {
        symbolicated = report
        self.document = document
        self.threads = threads
        isMac = report.report.platform.map { ["macOS", "Mac OS", "OS X"].contains(where: $0.hasPrefix) } ?? false
    }

    var lines: [String] {
        var lines = identification + [""] + when + [""] + cause
        if let backtrace = report.exceptionBacktrace {
            lines += ["", "Last Exception Backtrace:"] + rows(backtrace, symbolicated.exceptionBacktrace)
        }
        for (backtrace, outcomes) in zip(report.additionalBacktraces, symbolicated.additionalBacktraces) {
            lines +=
                ["", (backtrace.name.map { PlainText.line($0) } ?? "Application Specific Backtrace") + ":"] + rows(backtrace, outcomes)
        }
        for (thread, outcomes) in shownThreads(of: symbolicated, threads) { lines += [""] + heading(thread) + rows(thread, outcomes) }
        for thread in report.threads where thread.crashed { lines += registers(thread) }
        return lines + ["", "Binary Images:"] + report.images.filter { !$0.isPlaceholder }.map(image) + (isMac ? [] : ["", "EOF"])
    }

    private func field(_ label: String, _ text: String?, width: Int) -> [String] {
        text.map { [label + ":" + String(repeating: " ", count: max(1, width - label.count - 1)) + PlainText.line($0)] } ?? []
    }

    private var identification: [String] {
        let width = isMac ? 23 : 21
        let process = report.process
        let pid = { (number: String?) in number.map { " [\($0)]" } ?? "" }
        let parent = document.text("parentProc").map { $0 + pid(document.text("parentPid")) }
        var lines: [String] = []
        if !isMac {
            lines += field("Incident Identifier", document.text("incident"), width: width)
            lines += field("CrashReporter Key", document.text("crashReporterKey"), width: width)
            lines += field("Hardware Model", report.device, width: width)
        }
        lines += field("Process", process.name.map { $0 + pid(process.pid.map(String.init)) }, width: width)
        lines += field("Path", process.path, width: width)
        // macOS writes these for a program without a bundle.
        let isBare = isMac && !document.isEmpty && process.identifier == nil
        lines += field("Identifier", process.identifier ?? (isBare ? process.name : nil), width: width)
        lines += field("Version", process.version ?? (isBare ? "???" : nil), width: width) + field("Code Type", codeType, width: width)
        return lines + field("Role", isMac ? nil : document.text("procRole"), width: width) + field("Parent Process", parent, width: width)
            + field(
                "Responsible", isMac ? document.text("responsibleProc").map { $0 + pid(document.text("responsiblePid")) } : nil,
                width: width)
            + field("User ID", isMac ? document.text("userID") : nil, width: width)
    }

    /// Apple's name for the processor, and whether Rosetta translated.
    private var codeType: String? {
        let names = ["i386": "X86", "x86_64": "X86-64", "arm": "ARM", "arm64": "ARM-64", "ppc": "PPC", "ppc64": "PPC-64"]
        guard let architecture = report.architecture else { return nil }
        return (names[architecture.family] ?? architecture.name) + (document.text("translated") == "1" ? " (Translated)" : " (Native)")
    }

    private var when: [String] {
        let width = isMac ? 23 : 21
        var lines = field("Date/Time", report.timestamp?.text, width: width)
        lines += field("Launch Time", isMac ? nil : document.text("procLaunch"), width: width)
        lines += field("OS Version", report.platform, width: width)
        lines += field("Report Version", isMac ? "12" : "104", width: width)
        guard isMac else { return lines }
        lines += field("Anonymous UUID", document.text("crashReporterKey"), width: width)
        if let seconds = document.text("uptime") { lines += ["", "", "Time Awake Since Boot: \(PlainText.line(seconds)) seconds"] }
        return lines + (document.text("sip").map { ["", "System Integrity Protection: " + PlainText.line($0)] } ?? [])
    }

    private var cause: [String] {
        guard let cause = report.cause else { return [] }
        let crashed = report.threads.first(where: \.crashed)
        let width = isMac ? 23 : 17
        var lines: [String] = []
        if isMac, let crashed { lines += field("Crashed Thread", "\(crashed.index)" + queue(crashed, "  "), width: width) + [""] }
        // For an Objective-C exception, the type of the report is the abort that follows.
        let type = cause.kind == .languageException ? "EXC_CRASH" : cause.type ?? cause.signal
        let signal = cause.signal.flatMap { $0 == type ? nil : " (\($0))" } ?? ""
        lines += field("Exception Type", type.map { $0 + signal }, width: width)
        lines += field("Exception Subtype", isMac ? nil : cause.subtype, width: width)
        lines += field("Exception Codes", isMac ? cause.subtype : nil, width: width) + field("Exception Codes", cause.codes, width: width)
        lines += field("Exception Message", cause.detail, width: width)
        if document.isCorpse { lines += field("Exception Note", "EXC_CORPSE_NOTIFY", width: width) + (isMac ? [""] : []) }
        if let termination = cause.termination {
            let code = termination.code.map { ", Code \($0)" } ?? ""
            let reason = termination.message.split(separator: "\n").first.map { " " + $0 } ?? ""
            lines += field("Termination Reason", (termination.namespace.map { "Namespace \($0)" } ?? "") + code + reason, width: width)
            lines += field("Terminating Process", document.terminatingProcess, width: width)
        }
        if !isMac, let crashed { lines += field("Triggered by Thread", " \(crashed.index)", width: 0) }
        if let message = cause.message, message != cause.subtype {
            lines += ["", "Application Specific Information:"]
            lines += message.split(whereSeparator: \.isNewline).map { PlainText.line(String($0)) }
        }
        return lines
    }

    private func queue(_ thread: ThreadTrace, _ start: String) -> String {
        document.queue(ofThread: thread.index).map { start + "Dispatch queue: " + PlainText.line($0) } ?? ""
    }

    private func heading(_ thread: ThreadTrace) -> [String] {
        let title = "Thread \(thread.index)"
        let queue = queue(thread, "  ")
        let name = thread.name.flatMap { queue.hasSuffix($0) ? nil : PlainText.line($0) }
        guard isMac else {
            let second = queue.isEmpty ? name.map { "  " + $0 } ?? "" : queue
            return (second.isEmpty ? [] : [title + " name:" + second]) + [title + (thread.crashed ? " Crashed:" : ":")]
        }
        let rest = (name.map { " " + $0 } ?? "") + queue
        // Two colons where something follows.
        return [title + (thread.crashed ? " Crashed:" : ":") + (rest.isEmpty ? "" : ":" + rest)]
    }

    // MARK: Rows

    private func rows(_ thread: ThreadTrace, _ outcomes: [FrameOutcome]) -> [String] {
        FrameRows.collect(thread, outcomes) { rows($0, $1) }
    }

    private func rows(_ frame: Frame, _ outcome: FrameOutcome) -> [String] {
        guard let address = frame.address ?? outcome.lookupAddress else { return [] }
        let index = outcome.image ?? frame.image
        let image = index.flatMap { symbolicated.images.indices.contains($0) ? symbolicated.images[$0].image : nil }
        let digits = String(address.value, radix: 16)
        let hexadecimal = isMac ? "0x" + digits : "0x" + String(repeating: "0", count: max(0, 16 - digits.count)) + digits
        let name = PlainText.line(image?.name ?? frame.imageName ?? "???")
        let start =
            padded("\(frame.index)", 4) + padded(name, 30) + "\t"
            + (isMac ? String(repeating: " ", count: max(0, 18 - hexadecimal.count)) + hexadecimal : hexadecimal) + " "
        if let result = outcome.resolved { return result.functions.map { start + text($0) } }
        if let printed = frame.printed, let name = printed.name {
            return [
                start
                    + text(
                        FrameResult.Function(
                            name: name, mangledName: name, offset: printed.offset, isInlined: frame.isInlined, location: printed.location))
            ]
        }
        // As Apple has it without symbols: the image's load address and the distance from it.
        guard let base = image?.base, let distance = address.distance(from: base) else { return [start + "0x0 + \(address.value)"] }
        return [start + "0x\(String(base.value, radix: 16)) + \(distance)"]
    }

    private func text(_ function: FrameResult.Function) -> String {
        var text = PlainText.line(function.name.isEmpty ? "???" : function.name)
        if function.isInlined { text += " [inlined]" }
        if let offset = function.offset { text += " + \(offset)" }
        guard let location = function.location else { return text }
        let file = PlainText.line(Path.foreignName(of: location.file))
        return text + " (\(file)\(location.line > 0 ? ":\(location.line)" : ""))"
    }

    private func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }

    // MARK: Registers and images

    /// The order of Apple's reports; an `.ips` has them in any order. `rfl` is what is left of
    /// `rflags` in a row.
    private static let registerOrder =
        ["rax", "rbx", "rcx", "rdx", "rdi", "rsi", "rbp", "rsp"] + (8...15).map { "r\($0)" } + ["rip", "rfl", "cr2"]
        + (0...28).map { "x\($0)" } + ["fp", "lr", "sp", "pc", "cpsr", "far", "esr"]

    /// Four to a line: names to the right, values with all digits.
    private func registers(_ thread: ThreadTrace) -> [String] {
        let order = Dictionary(Self.registerOrder.enumerated().map { ($1, $0) }) { first, _ in first }
        let values = (thread.registers?.values ?? []).map { (name: $0.name == "rflags" ? "rfl" : $0.name, value: $0.value) }
            .filter { !["cpu", "err", "trap"].contains($0.name) }.enumerated().sorted {
                (order[$0.element.name] ?? 1000 + $0.offset) < (order[$1.element.name] ?? 1000 + $1.offset)
            }.map(
                \.element)
        guard !values.isEmpty else { return [] }
        let family = report.architecture?.family ?? ""
        let state = ["arm64": "ARM Thread State (64-bit)", "arm": "ARM Thread State (32-bit)", "x86_64": "X86 Thread State (64-bit)"]
        var lines = ["", "", "Thread \(thread.index) crashed with \(state[family] ?? "X86 Thread State (32-bit)"):"]
        var line = ""
        for (index, value) in values.enumerated() {
            let digits = String(value.value, radix: 16)
            let width = ["arm", "i386"].contains(family) ? 8 : 16
            line +=
                String(repeating: " ", count: max(1, 5 - value.name.count)) + "\(value.name): 0x"
                + String(repeating: "0", count: max(0, width - digits.count)) + digits
            guard index % 4 == 3 || index == values.count - 1 else { continue }
            lines.append(line)
            line = ""
        }
        let all = thread.registers?.values ?? []
        func register(_ name: String) -> UInt64? { all.first { $0.name == name }?.value }
        if let cpu = register("cpu"), let error = register("err"), let trap = register("trap") {
            let digits = String(error, radix: 16)
            lines += [
                "  ", "Logical CPU:     \(cpu)", "Error Code:      0x" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits,
            ]
            lines.append("Trap Number:     \(trap)")
        }
        return lines
    }

    private func image(_ image: BinaryImage) -> String {
        let start = image.base?.value ?? 0
        let end = start &+ (image.size ?? 1) &- 1
        let path = image.path.map { PlainText.line($0) } ?? "???"
        let name = PlainText.line(image.name)
        let range = { (value: UInt64) in "0x" + String(value, radix: 16) }
        guard !isMac else {
            let identity = image.id.map { " <\($0.description.lowercased())>" } ?? ""
            let columns = [range(start), range(end)].map { String(repeating: " ", count: max(0, 18 - $0.count)) + $0 }
            return "\(columns[0]) - \(columns[1]) \(name) (*)\(identity) \(path)"
        }
        let identity = image.id.map { " <" + $0.bytes.map { UInt64($0).hexadecimalByte }.joined() + ">" } ?? ""
        return "\(range(start)) - \(range(end)) \(name) \(PlainText.line(image.architecture?.name ?? "unknown")) \(identity) \(path)"
    }
}

extension UInt64 {
    fileprivate var hexadecimalByte: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
