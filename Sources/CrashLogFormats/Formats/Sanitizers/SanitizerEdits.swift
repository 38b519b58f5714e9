internal import BinaryPrimitives
internal import CrashLogModel

/// Writes results into a sanitizer's report as the runtime itself would have written it with its
/// symbolizer on.
///
/// Inlined calls become rows of their own above the frame that holds them, with its address; and as
/// the runtime counts rows, not frames, the rows below take higher numbers, the unresolved ones
/// too: a stack's numbers have no gaps, and no number is there twice. Symbolicating the log again
/// finds the calls listed, adds no rows, and so leaves the numbers as they are.
///
/// The location replaces the module, but ThreadSanitizer's rows keep both. The summary names the
/// address of a stack's first row and gets the same result.
enum SanitizerEdits {
    static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        guard !results.isEmpty else { return [] }
        let filter = ResultFilter(report)
        var resultsByPosition: [Int: FrameResult] = [:]
        for (frame, result) in results where filter.isImprovement(result, for: frame) { resultsByPosition[frame.range.lowerBound] = result }
        var edits: [TextEdit] = []
        for stack in report.stacks {
            var added = 0
            for frame in stack.frames {
                let result = resultsByPosition[frame.range.lowerBound]
                guard result != nil || added > 0, let row = RowPositions(frame, in: log) else { continue }
                guard let result else {
                    edits.append(TextEdit(range: row.number, replacement: Array(String(clamping: row.row.index, plus: added).utf8)))
                    continue
                }
                if let edit = row.edit(result, added: added, in: log) {
                    edits.append(edit)
                    added += result.functions.count - 1
                }
            }
        }
        if let edit = summary(of: report, resultsByPosition, in: log) { edits.append(edit) }
        // Each is in a row of its own.
        return edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// A frame's row in the log, without the colours that the runtime may have put before it.
    private struct RowPositions {
        var row: SanitizerRow
        /// The digits of the row's number.
        var number: Range<Int>
        /// Position after the address, or after the number if there is no address.
        var headEnd: Int
        /// Position of the module in the log.
        var moduleStart: Int?
        /// Position after the last byte that is not a blank.
        var end: Int

        init?(_ frame: Frame, in log: Span<UInt8>) {
            let plain = ANSIText(log.clamped(to: frame.range))
            let bytes = plain.bytes
            guard let row = SanitizerRow(bytes.span) else { return nil }
            self.row = row
            let start = frame.range.lowerBound
            number = start + plain.position(of: row.number.lowerBound)..<start + plain.positionAfter(row.number.upperBound)
            headEnd = start + plain.positionAfter(row.headEnd)
            end = start + plain.positionAfter(row.end)
            moduleStart = row.moduleStart.map { start + plain.position(of: $0) }
        }

        /// - Parameter added: how many rows the stack has grown by above this one.
        func edit(_ result: FrameResult, added: Int, in log: Span<UInt8>) -> TextEdit? {
            guard number.upperBound <= headEnd, headEnd <= end else { return nil }
            let line = LogLine(around: number, in: log)
            let before = log.clamped(to: line.range.lowerBound..<number.lowerBound).copied()
            let behindNumber = log.clamped(to: number.upperBound..<headEnd).copied()
            // The runtime gives the build ID to the innermost call only.
            var tail: [UInt8]?
            var shortTail: [UInt8]?
            if let moduleStart {
                let module = log.clamped(to: moduleStart..<end)
                tail = module.copied()
                shortTail = module.upTo(module.firstRange(of: " (BuildId: ")?.lowerBound ?? module.count).copied()
            }
            var replacement: [UInt8] = []
            for (index, function) in result.functions.enumerated() {
                if index > 0 { replacement += line.ending + before }
                replacement += Array(String(clamping: row.index, plus: added + index).utf8) + behindNumber
                let name = SanitizerEdits.name(function)
                let tail = index > 0 ? shortTail : tail
                if row.isThreadSanitizers {
                    replacement += Array((" " + name + " " + (SanitizerEdits.text(function.location) ?? "<null>")).utf8)
                    if let tail { replacement += Array(" ".utf8) + tail }
                } else {
                    replacement += Array((" in " + name).utf8)
                    if let location = SanitizerEdits.text(function.location) {
                        replacement += Array((" " + location).utf8)
                    } else if let tail {
                        replacement += Array(" ".utf8) + tail
                    }
                }
            }
            return TextEdit(range: number.lowerBound..<end, replacement: replacement)
        }
    }

    /// `store::use(store::Shelf*, int) /src/store.cpp:21:70`
    static func functionText(_ function: FrameResult.Function) -> String {
        name(function) + (text(function.location).map { " " + $0 } ?? "")
    }

    /// Symbol tables write a symbol's version after its name, `__libc_start_main@GLIBC_2.2.5`; the
    /// symbolizers that the runtime calls leave it out.
    private static func name(_ function: FrameResult.Function) -> String {
        let name = PlainText.line(function.name)
        let bytes = Array(name.utf8)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")), at > 0, !isBlank(bytes[at - 1]), at + 1 < bytes.count,
            bytes[(at + 1)...].allSatisfy({
                isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
            })
        else { return name }
        let end = bytes[at - 1] == UInt8(ascii: "@") ? at - 1 : at
        return end > 0 ? String(decoding: bytes[..<end], as: UTF8.self) : name
    }

    /// `/src/store.cpp:11:12`; without a column or a line that is not known
    /// (`RenderSourceLocation`), and without `./` before it (`StripPathPrefix`).
    private static func text(_ location: SourceLocation?) -> String? {
        guard let location else { return nil }
        var text = PlainText.line(location.file)
        if text.hasPrefix("./"), text.utf8.count > 2 { text = String(text.dropFirst(2)) }
        if location.line > 0 {
            text += ":\(location.line)"
            if location.column > 0 { text += ":\(location.column)" }
        }
        return text
    }

    // MARK: The summary

    /// Maximum distance of the summary from the last row, in bytes.
    private static let summaryDistance = 1 << 16

    /// `SUMMARY: AddressSanitizer: heap-use-after-free (/src/libstore.so+0x1294)` becomes `SUMMARY:
    /// AddressSanitizer: heap-use-after-free /src/store.cpp:9:95 in store::read(…)`
    /// (`ReportErrorSummary` of `sanitizer_symbolizer_report.cpp`: `%L %F` of the innermost call).
    private static func summary(of report: CrashReport, _ results: [Int: FrameResult], in log: Span<UInt8>) -> TextEdit? {
        guard let last = report.stacks.flatMap({ $0.frames.suffix(1) }).map(\.range.upperBound).max() else { return nil }
        let part = log.clamped(to: last..<last + summaryDistance)
        guard let mark = part.firstRange(of: "SUMMARY: ") else { return nil }
        let start = last + mark.upperBound
        let lineEnd = log.firstIndex(of: UInt8(ascii: "\n"), from: start) ?? log.count
        var line = log.clamped(to: start..<min(lineEnd, start + Limits.standard.lineLength))
        while let byte = line.at(line.count - 1), isBlank(byte) || byte == UInt8(ascii: "\r") { line = line.upTo(line.count - 1) }
        guard let module = SanitizerModule(endOf: line), line.contains("Sanitizer: ") || line.contains("libFuzzer: ") else { return nil }
        guard let function = function(at: module, of: report, results) else { return nil }
        let range = start + module.start..<start + line.count
        if let location = text(function.location) {
            // A blank follows the location of a frame without a name.
            let end = range.upperBound + (log.at(range.upperBound) == UInt8(ascii: " ") ? 1 : 0)
            return TextEdit(range: range.lowerBound..<end, replacement: Array((location + " in " + name(function)).utf8))
        }
        return TextEdit(range: range, replacement: log.clamped(to: range).copied() + Array((" in " + name(function)).utf8))
    }

    /// The call that the summary names: of the frame there and those that called it, the innermost
    /// that is not the runtime's own (`SkipInternalFrames`), which shows only in the names of
    /// files. `nil` where a frame on the way is unresolved.
    private static func function(
        at module: SanitizerModule, of report: CrashReport, _ results: [Int: FrameResult]
    ) -> FrameResult.Function? {
        for stack in report.stacks {
            guard
                let first = stack.frames.firstIndex(where: {
                    $0.imageLocation == module.imageLocation && $0.imageName == Path.foreignName(of: module.path)
                })
            else { continue }
            for frame in stack.frames[first...] {
                guard let result = results[frame.range.lowerBound] else { return nil }
                if let function = result.functions.first(where: { $0.location?.file.contains("/compiler-rt/lib/") != true }) {
                    return function
                }
            }
        }
        return nil
    }
}

extension String {
    /// The sum of two numbers; the first where it has no more room.
    fileprivate init(clamping number: Int, plus more: Int) {
        let (sum, overflow) = number.addingReportingOverflow(more)
        self = "\(overflow ? number : sum)"
    }
}
