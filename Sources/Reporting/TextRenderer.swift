internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel
internal import SymbolFiles
package import Symbolication

/// The classic readable report, for every format: what happened in a few lines, then the stacks,
/// then the images.
public struct TextRenderer: Renderer {
    public static let name = "text"

    private let theme: Theme
    private let threads: Symbolicator.Threads
    private let ownCode: OwnCodeRule
    private let isBrief: Bool

    /// - Parameters:
    ///   - theme: `.color` for a terminal.
    ///   - threads: `crashed` leaves the other threads out.
    ///   - ownCode: which code is the user's own.
    ///   - isBrief: the cause and the stacks alone.
    package init(
        theme: Theme = .plain, threads: Symbolicator.Threads = .all, ownCode: OwnCodeRule = OwnCodeRule(), isBrief: Bool = false
    ) {
        self.isBrief = isBrief
        self.theme = theme
        self.threads = threads
        self.ownCode = ownCode
    }

    public func render(_ log: SymbolicatedLog, source: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        for (index, report) in log.reports.enumerated() {
            if index > 0 { output.append(UInt8(ascii: "\n")) }
            for line in lines(of: report, path: log.path) {
                output += line.utf8
                output.append(UInt8(ascii: "\n"))
            }
        }
        return output
    }

    private func lines(of report: SymbolicatedReport, path: String) -> [String] {
        let table = StackTable(report: report, theme: theme, ownCode: ownCode)
        var lines = digest(report, path: path)
        if let backtrace = report.report.exceptionBacktrace {
            lines += ["", theme.heading("Exception backtrace:")] + table.rows(backtrace, report.exceptionBacktrace)
        }
        var others: [String] = []
        for (backtrace, outcomes) in zip(report.report.additionalBacktraces, report.additionalBacktraces) {
            let name = backtrace.name.map { PlainText.line($0) } ?? "Another backtrace"
            others += ["", theme.heading(name.hasSuffix(":") ? name : name + ":")] + table.rows(backtrace, outcomes)
        }
        // The stack that allocated the memory is printed after the crash; the heaviest stack of a hang before
        // the threads.
        let hasCrashed = report.report.threads.contains(where: \.crashed)
        if !hasCrashed { lines += others }
        for (thread, outcomes) in shownThreads(of: report, threads) {
            let labels = [thread.name.map { PlainText.line($0) }, thread.systemID.map { "ID \($0)" }].compactMap { $0 }
            let title = "Thread \(thread.index)" + (labels.isEmpty ? "" : " (\(labels.joined(separator: ", ")))")
            lines += ["", thread.crashed ? theme.alarm(title + " crashed:") : theme.heading(title + ":")]
            lines += table.rows(thread, outcomes)
            if let ending = thread.ending { lines.append(theme.faint("     the stack ends here: " + PlainText.line(ending))) }
            if !isBrief, thread.crashed, thread.systemID != nil, let registers = thread.registers { lines += self.registers(registers) }
        }
        if hasCrashed { lines += others }
        // The frames refer to the reason why an image has no symbols.
        if isBrief { return lines + images(of: report) { $0.status == .missing } }
        lines += images(of: report) { $0.status != .notNeeded }
        if !report.notes.isEmpty { lines += ["", theme.heading("Notes:")] + report.notes.map { "  " + PlainText.line($0) } }
        return lines
    }

    /// Process, version, cause, its meaning, and the first frame of the user's own code; then the other facts
    /// of the log about the whole.
    private func digest(_ symbolicated: SymbolicatedReport, path: String) -> [String] {
        let report = symbolicated.report
        var rows: [(label: String, text: String?)] = []
        let process = report.process
        let name = process.name ?? process.path.map(Path.name(of:))
        rows.append(("Process", name.map { $0 + (process.pid.map { " [\($0)]" } ?? "") }))
        rows.append(("Version", process.version))
        rows.append(("Cause", report.cause.map(cause)))
        rows.append(("Caused by", report.rootCause.map { cause($0.cause) }))
        rows.append(("Meaning", report.meaning))
        rows.append(("Instruction", report.instruction))
        if let (function, image) = ownCode.firstFrame(of: symbolicated) {
            let location = function.location.map { $0.line > 0 ? " (\($0.file):\($0.line))" : " (\($0.file))" } ?? ""
            rows.append(("Your code", function.name + (image.isEmpty ? "" : " in " + image) + location))
        }
        if isBrief { return Self.lines(rows, theme) }
        rows.append(("Identifier", process.identifier))
        // Without arguments it says no more than the process.
        rows.append(("Command line", process.commandLine.flatMap { $0.contains(" ") ? $0 : nil }))
        rows.append(("Platform", report.platform))
        rows.append(("Architecture", report.architecture?.name))
        rows.append(("Time", report.timestamp?.text))
        rows.append(("Log", "\(path) (\(report.format))"))
        return Self.lines(rows, theme)
    }

    private static func lines(_ rows: [(label: String, text: String?)], _ theme: Theme) -> [String] {
        rows.compactMap { label, text in
            text.map { theme.heading(label + ":") + String(repeating: " ", count: 14 - label.count) + PlainText.line($0) }
        }
    }

    private func cause(_ cause: CrashCause) -> String {
        // `heap-buffer-overflow on address 0x…` has the type and the address in it.
        if let type = cause.type, let message = cause.message, message.hasPrefix(type + " ") { return message }
        let signal = cause.signal.flatMap { cause.type == nil ? $0 : cause.type == $0 ? nil : "(\($0))" }
        var text = [cause.type, signal, Self.codes(cause)].compactMap { $0 }.joined(separator: " ")
        if let address = cause.address { text += (text.isEmpty ? "" : " ") + "at \(address)" }
        // A message of several lines is one row.
        if let message = cause.message {
            text += (text.isEmpty ? "" : ": ") + Self.withoutAddress(message[...], cause.address).replacing("\n", with: " ")
        }
        return text.isEmpty ? cause.kind.rawValue : text
    }

    /// The codes of a cause without the address, which follows them: Apple's reports print it up to three times.
    ///
    /// For example `KERN_INVALID_ADDRESS` of `KERN_INVALID_ADDRESS at 0x0000000000000018, 0x0000000000000001, 0x0000000000000018`.
    private static func codes(_ cause: CrashCause) -> String? {
        guard let address = cause.address?.value, let codes = cause.codes else { return cause.codes }
        let parts = codes.split(separator: ",").map { $0.drop { $0 == " " } }
        guard parts.contains(where: { number($0) == nil }) else {
            return parts.filter { number($0) != address }.joined(separator: ", ")
        }
        // Numbers beside names are those of the names and the address.
        return parts.filter { number($0) == nil }.map { withoutAddress($0, cause.address) }.joined(separator: ", ")
    }

    /// `KERN_INVALID_ADDRESS` of `KERN_INVALID_ADDRESS at 0x0000000000000018`.
    private static func withoutAddress(_ text: Substring, _ address: RuntimeAddress?) -> Substring {
        guard let address, let at = text.firstRange(of: " at "), number(text[at.upperBound...]) == address.value else { return text }
        return text[..<at.lowerBound]
    }

    private static func number(_ text: Substring) -> UInt64? { text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : nil }

    /// Registers that were read from a process's memory, which no log has printed yet.
    private func registers(_ registers: RegisterState) -> [String] {
        let width = registers.values.map(\.name.count).max() ?? 0
        let texts = registers.values.map { name, value in
            String(repeating: " ", count: width - name.count) + name + "=" + padded(RuntimeAddress(value))
        }
        let lines = stride(from: 0, to: texts.count, by: 4).map { "  " + texts[$0..<min($0 + 4, texts.count)].joined(separator: "  ") }
        return lines.isEmpty ? [] : ["", theme.heading("Registers:")] + lines
    }

    /// The images of the frames, each with the file that was used or the reason why no file was.
    private func images(of report: SymbolicatedReport, where isShown: (ImageOutcome) -> Bool) -> [String] {
        let used = report.images.filter(isShown)
        guard !used.isEmpty else { return [] }
        let rows = used.map { outcome in
            let image = outcome.image
            var row = "  " + (image.base.map { padded($0) } ?? "-") + "  " + PlainText.line(image.name)
            if let architecture = image.architecture { row += " (\(PlainText.line(architecture.name)))" }
            if let id = image.id { row += " <\(id)>" }
            if let reason = outcome.reason { return row + "\n      " + theme.faint(PlainText.line(reason)) }
            let files = outcome.files.map(\.candidate.path).joined(separator: ", ")
            return row + "\n      " + theme.faint("symbols: " + PlainText.line(files))
        }
        return ["", theme.heading("Images:")] + rows
    }
}

/// Frames as rows: index, image, address, function, offset, file and line.
private struct StackTable {
    private let report: SymbolicatedReport
    private let theme: Theme
    private let nameWidth: Int
    /// Whether a row has an image, or an address: tracebacks of scripts have neither.
    private let hasImages: Bool
    private let hasAddresses: Bool
    private let ownCode: OwnCodeRule

    init(report: SymbolicatedReport, theme: Theme, ownCode: OwnCodeRule) {
        self.report = report
        self.theme = theme
        self.ownCode = ownCode
        let frames = report.allFrames
        let names = frames.map { frame, outcome in Self.imageName(frame, outcome, report) }
        nameWidth = min(names.map(\.count).max() ?? 0, 40)
        hasImages = names.contains { $0 != Self.unknownImage }
        hasAddresses = frames.contains { $0.frame.address != nil }
    }

    func rows(_ thread: ThreadTrace, _ outcomes: [FrameOutcome]) -> [String] {
        if thread.frames.isEmpty { return ["  no frames"] }
        if thread.isCallTree { return treeRows(thread, outcomes) }
        return FrameRows.collect(thread, outcomes) {
            rows($0, $1)
        } rowOfRepetition: {
            row(of: $0, thread, outcomes)
        }
    }

    /// `...  frames 2 to 15,873: shop::depth(int) (crash.cpp:14), 15,872 times`
    private func row(of repeated: RepeatedFrames, _ thread: ThreadTrace, _ outcomes: [FrameOutcome]) -> String {
        let (first, last) = (thread.frames[repeated.range.lowerBound].index, thread.frames[repeated.range.upperBound - 1].index)
        let functions = (0..<repeated.period).map { offset in
            let index = repeated.range.lowerBound + offset
            guard let function = outcomes[index].resolved?.functions.last else { return printed(thread.frames[index]) }
            return PlainText.line(function.name.isEmpty ? "?" : function.name) + locationText(function.location)
        }
        let named = functions.filter { !$0.isEmpty }
        let cycle = named.isEmpty ? "" : ": " + named.joined(separator: ", ")
        return "...   frames \(grouped(first)) to \(grouped(last))\(cycle), \(grouped(repeated.times)) times"
    }

    /// A call tree: callers first, each function indented by its depth, with the samples in which
    /// it was met. Inlined calls are listed below the function that holds them, at its depth and
    /// without a count, which is the holder's.
    private func treeRows(_ thread: ThreadTrace, _ outcomes: [FrameOutcome]) -> [String] {
        let countWidth = thread.frames.reduce(1) { max($0, $1.samples.map { String($0).count } ?? 0) }
        var isHolderResolved = false
        var rows: [String] = []
        for (frame, outcome) in zip(thread.frames, outcomes) {
            // A row that the log itself gives to an inlined call came already, out of the result of
            // the frame that holds it.
            if frame.isInlined, isHolderResolved, case .partOfNextFrame = outcome.result { continue }
            if !frame.isInlined { isHolderResolved = outcome.resolved != nil }
            for (index, row) in self.rows(frame, outcome).enumerated() {
                let count = index == 0 && !frame.isInlined ? frame.samples.map(String.init) ?? "" : ""
                rows.append("  " + String(repeating: " ", count: countWidth - count.count) + count + "  " + row)
            }
        }
        return rows
    }

    /// Deeper rows are indented no further.
    private static let deepestIndentation = 256

    private func rows(_ frame: Frame, _ outcome: FrameOutcome) -> [String] {
        switch frame.kind {
        case .omitted(let count): return ["...   \(grouped(count)) frames left out"]
        case .truncated: return ["...   (truncated in the log)"]
        default: break
        }
        let image = Self.imageName(frame, outcome, report)
        var start = hasImages ? pad(PlainText.line(image), nameWidth + 2) : ""
        if hasAddresses { start += (frame.address.map { padded($0) } ?? "-") + "  " }
        if let depth = frame.depth {
            start += String(repeating: "  ", count: min(depth, Self.deepestIndentation))
        } else {
            start = pad(String(frame.index), 5) + start
        }
        switch outcome.result {
        case .resolved(let result, _):
            let mark = outcome.isForced ? theme.faint(" [other build]") : ""
            // The reason is given once for all frames, in the report's notes; here a mark follows
            // the row of the function that holds the code.
            let note = outcome.note == nil ? "" : theme.faint(result.lacksLine ? " [no line, see the notes]" : " [see the notes]")
            return (frame.depth == nil ? result.functions : result.functions.reversed()).map { function in
                let row = start + doubt(frame) + functionText(function) + mark + (function.isInlined ? "" : note + trust(frame))
                return ownCode.isOwn(function.location, outcome, report) ? theme.own(row) : row
            }
        case .partOfNextFrame, .notLookedUp: return [start + printed(frame)]
        case .unresolved(let reason):
            let text = printed(frame)
            if !text.isEmpty { return [start + text] }
            let trust = trust(frame)
            // A fact about a whole image is printed once, with the image.
            let image = outcome.image.flatMap { report.images.indices.contains($0) ? report.images[$0] : nil }
            return [
                start + theme.faint(image?.status == .missing ? "? no symbols, see the image below" : "? " + PlainText.line(reason)) + trust
            ]
        }
    }

    private func functionText(_ function: FrameResult.Function) -> String {
        var text = PlainText.line(function.name.isEmpty ? "?" : function.name)
        if function.isInlined { text += " [inlined]" }
        if let offset = function.offset { text += " + \(offset)" }
        return text + locationText(function.location)
    }

    /// Code that the compiler made has a file and no line.
    private func locationText(_ location: SourceLocation?) -> String {
        guard let location else { return "" }
        return " (\(PlainText.line(location.file))\(location.line > 0 ? ":\(location.line)" : ""))"
    }

    /// Linux' mark of rows that may be left over from an earlier call.
    private func doubt(_ frame: Frame) -> String { frame.isUnreliable ? "? " : "" }

    /// How a frame was found, where that is less sure than by its registers or rules.
    private func trust(_ frame: Frame) -> String {
        switch frame.trust {
        case .prologue: theme.faint(" [by prologue]")
        case .framePointer: theme.faint(" [by frame pointer]")
        case .scan: theme.faint(" [found on the stack]")
        case .context, .cfi, nil: ""
        }
    }

    /// Symbol and location that the log itself has for the frame.
    private func printed(_ frame: Frame) -> String {
        guard let symbol = frame.printed, let name = symbol.name else { return "" }
        var text = doubt(frame) + PlainText.line(name)
        if let offset = symbol.offset { text += " + \(offset)" }
        return text + locationText(symbol.location)
    }

    private static func imageName(_ frame: Frame, _ outcome: FrameOutcome, _ report: SymbolicatedReport) -> String {
        if let image = outcome.image, report.images.indices.contains(image) { return report.images[image].image.name }
        if let name = frame.imageName { return name }
        return frame.image.flatMap { report.report.images.indices.contains($0) ? report.report.images[$0].name : nil } ?? unknownImage
    }

    /// As Apple's reports have it.
    private static let unknownImage = "???"

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(text.hasSuffix(" ") ? 0 : 1, width - text.count))
    }
}

extension FrameResult {
    fileprivate var lacksLine: Bool { functions.allSatisfy { ($0.location?.line ?? 0) == 0 } }
}

/// An address of a process with as many digits as its processes use: 8 for what fits 32 bits, else
/// 16.
private func padded(_ address: RuntimeAddress) -> String {
    let digits = String(address.value, radix: 16)
    let width = address.value >> 32 == 0 ? 8 : 16
    return "0x" + String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// A number with a comma before each three digits.
private func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() { text = String(digit) + (index > 0 && index % 3 == 0 ? "," : "") + text }
    return text
}
