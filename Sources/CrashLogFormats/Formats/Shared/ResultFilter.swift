internal import BinaryPrimitives
public import CrashLogModel

/// Which results are worth writing into a log.
struct ResultFilter {
    /// Positions of the frames whose inlined calls the log already lists above them.
    private var hasInlinedRows: Set<Int> = []

    init(_ report: CrashReport) {
        for stack in report.stacks {
            // In a stack, inlined calls are above the frame that holds them; in a call tree, whose
            // callers come first, below it.
            if stack.isCallTree { note(stack.frames.reversed()) } else { note(stack.frames) }
        }
    }

    private mutating func note(_ frames: some Sequence<Frame>) {
        // If the function itself is left out (Swift's preset `medium` shows no thunks), the next
        // frame has another address.
        for (frame, next) in zip(frames, frames.dropFirst()) where frame.isInlined && !next.isInlined && frame.address == next.address {
            hasInlinedRows.insert(next.range.lowerBound)
        }
    }

    /// The edits of a format that symbolicates each frame by itself.
    /// - Parameter edit: as `CrashLogFormat.edit`.
    static func edits(
        of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>,
        by edit: (_ frame: Frame, _ result: FrameResult, _ log: Span<UInt8>) -> TextEdit?
    ) -> [TextEdit] {
        let filter = ResultFilter(report)
        var edits: [TextEdit] = []
        for (frame, result) in results where filter.isImprovement(result, for: frame) {
            if let edit = edit(frame, result, log) { edits.add(edit) }
        }
        return edits
    }

    /// Whether the result adds something to the log: the log has no name for the frame, or a name
    /// without file and line, and the result has them.
    ///
    /// An inlined call that the log lists is symbolicated with the frame that it belongs to, and a
    /// frame whose inlined calls are listed has been symbolicated before: both stay as they are, so
    /// that symbolicating a log twice changes nothing.
    func isImprovement(_ result: FrameResult, for frame: Frame) -> Bool {
        guard !result.functions.isEmpty, !frame.isInlined, !hasInlinedRows.contains(frame.range.lowerBound) else { return false }
        guard let printed = frame.printed, printed.name != nil else { return true }
        return printed.location == nil && result.functions.contains { $0.location != nil }
    }
}

extension CrashLogFormat {
    public static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        ResultFilter.edits(of: report, results: results, in: log, by: edit)
    }
}

/// The line of a log that a frame's row is in.
struct LogLine {
    /// From the line's first byte, a date or another prefix included, to the end of its last,
    /// without its ending.
    var range: Range<Int>
    /// `\n` or `\r\n`, as the line has it.
    var ending: [UInt8]

    init(around lineRange: Range<Int>, in log: Span<UInt8>) {
        let start = log.lastIndex(of: UInt8(ascii: "\n"), before: lineRange.lowerBound).map { $0 + 1 } ?? 0
        var end = log.firstIndex(of: UInt8(ascii: "\n"), from: lineRange.upperBound) ?? log.count
        ending = [UInt8(ascii: "\n")]
        if end > lineRange.upperBound, log.at(end - 1) == UInt8(ascii: "\r") {
            end -= 1
            ending = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        }
        range = start..<max(start, end)
    }
}

extension TextEdit {
    /// Puts rows above one, which begin as its line does, and text after its own.
    /// - Parameter own: the part of the row that stays, from the byte at which the rows above
    ///   differ.
    static func rows(above rows: [String], _ own: Range<Int>, followedBy text: String, in log: Span<UInt8>) -> TextEdit {
        let line = LogLine(around: own, in: log)
        let head = log.clamped(to: line.range.lowerBound..<own.lowerBound).copied()
        let above = rows.flatMap { Array($0.utf8) + line.ending + head }
        return TextEdit(range: own, replacement: above + log.clamped(to: own).copied() + Array(text.utf8))
    }

    /// Makes a row of each function of a result: what is in the line before and after the result's
    /// range is in all of them.
    static func rows(_ result: RowResult, in rowRange: Range<Int>, of log: Span<UInt8>) -> TextEdit {
        // In the journal's JSON a message is one string, whose lines end with an escape.
        let isEscaped = log.at(rowRange.lowerBound - 2) == UInt8(ascii: "\\") && log.at(rowRange.lowerBound - 1) == UInt8(ascii: "n")
        let line = LogLine(around: rowRange, in: log)
        let ending = isEscaped ? Array("\\n".utf8) : line.ending
        let range = rowRange.lowerBound + result.range.lowerBound..<rowRange.lowerBound + result.range.upperBound
        let head = log.clamped(to: (isEscaped ? rowRange.lowerBound : line.range.lowerBound)..<range.lowerBound).copied()
        let kept = log.clamped(to: rowRange).clamped(to: result.kept).copied()
        let tail = log.clamped(to: range.upperBound..<rowRange.upperBound).copied()
        func bytes(_ text: String) -> [UInt8] { Array((isEscaped ? String(JSONString.quoted(text).dropFirst().dropLast()) : text).utf8) }
        var replacement: [UInt8] = []
        for (index, function) in result.functions.enumerated() {
            if index > 0 { replacement += tail + ending + head }
            replacement += bytes(function.name) + kept + bytes(function.location)
        }
        return TextEdit(range: range, replacement: replacement)
    }
}
