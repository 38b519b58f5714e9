internal import BinaryPrimitives
package import CrashLogModel
internal import Symbolication

/// A part of a stack that repeats the frames above it: recursion, directly or through other functions.
package struct RepeatedFrames: Hashable {
    /// Indices of the repetitions into the stack's frames, without the first of them.
    package var range: Range<Int>
    /// Frames of one repetition.
    package var period: Int
    /// Number of repetitions in `range`.
    package var times: Int { range.count / period }

    /// Frames of the longest cycle that is recognised.
    private static let maxPeriod = 8
    /// Fewer frames are shown as they are: a row that says so would be no shorter.
    private static let minFrames = 8
    private static let minTimes = 3

    /// All repetitions of a stack, from the top of the stack on; they do not overlap.
    ///
    /// Frames are equal if they have one address, or without addresses one printed name and location. The innermost frame of a recursion
    /// has mostly another address than the rest: the instruction that crashed.
    package static func find(_ frames: [Frame]) -> [RepeatedFrames] {
        var found: [RepeatedFrames] = []
        var first = 0
        while first < frames.count {
            let run = (1...maxPeriod).lazy.compactMap { period in longestRun(frames, from: first, period: period) }.first
            if let run {
                found.append(run)
                first = run.range.upperBound
            } else {
                first += 1
            }
        }
        return found
    }

    /// The repetitions of the cycle that begins at an index; `nil` if they are too few.
    private static func longestRun(_ frames: [Frame], from first: Int, period: Int) -> RepeatedFrames? {
        var end = first + period
        while end < frames.count, isRepetition(frames[end], of: frames[end - period]) { end += 1 }
        let start = first + period
        let run = RepeatedFrames(range: start..<max(start, start + (end - start) / period * period), period: period)
        return run.range.count >= minFrames && run.times >= minTimes ? run : nil
    }

    private static func isRepetition(_ frame: Frame, of other: Frame) -> Bool {
        guard frame.kind == other.kind, frame.depth == nil else { return false }
        switch frame.kind {
        case .omitted, .truncated: return false
        default: break
        }
        if let address = frame.address { return address == other.address && frame.isInlined == other.isInlined }
        return other.address == nil && frame.printed != nil && frame.printed == other.printed
    }
}

/// The rows of a stack, with each inlined call once, and with repetitions as one row.
enum FrameRows {
    /// - Parameters:
    ///   - rowsOfFrame: the rows of one frame, innermost function first.
    ///   - rowOfRepetition: the row that replaces repetitions; `nil`: they are shown as they are.
    static func collect(
        _ thread: ThreadTrace, _ outcomes: [FrameOutcome], _ rowsOfFrame: (Frame, FrameOutcome) -> [String],
        rowOfRepetition: ((RepeatedFrames) -> String)? = nil
    ) -> [String] {
        var repetitions = rowOfRepetition == nil ? [] : RepeatedFrames.find(thread.frames)
        // A row that the log itself gives to an inlined call comes again out of the result of the
        // frame that holds it.
        var isHolderResolved = false
        var rows: [[String]] = []
        for index in (0..<min(thread.frames.count, outcomes.count)).reversed() {
            let (frame, outcome) = (thread.frames[index], outcomes[index])
            if let last = repetitions.last, last.range.contains(index) {
                guard index == last.range.lowerBound else { continue }
                if let rowOfRepetition { rows.append([rowOfRepetition(last)]) }
                repetitions.removeLast()
                continue
            }
            if frame.isInlined, isHolderResolved, case .partOfNextFrame = outcome.result { continue }
            if !frame.isInlined { isHolderResolved = outcome.resolved != nil }
            rows.append(rowsOfFrame(frame, outcome))
        }
        return rows.reversed().flatMap { $0 }
    }
}
