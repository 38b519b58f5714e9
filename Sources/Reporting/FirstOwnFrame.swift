internal import BinaryPrimitives
package import CrashLogModel
package import Symbolication

extension OwnCodeRule {
    /// The function in which the cause is most likely: the first one of the user's own code with a line, of the
    /// exception's stack if there is one, then of the crashed threads, or of the first thread if none crashed.
    /// If no function has a line, the first with a name.
    package func firstFrame(of report: SymbolicatedReport) -> (function: FrameResult.Function, image: String)? {
        let threads = Array(zip(report.report.threads, report.threads))
        var stacks = report.report.exceptionBacktrace.map { [($0, report.exceptionBacktrace)] } ?? []
        stacks += threads.filter(\.0.crashed)
        if !threads.contains(where: \.0.crashed) { stacks += threads.prefix(1) }
        var named: (function: FrameResult.Function, image: String)?
        for (frame, outcome) in stacks.lazy.flatMap(Self.innermostFirst) where !frame.isUnreliable {
            guard let answer = outcome.answer else { continue }
            for function in answer.functions where isOwn(function.location, outcome, report) {
                if let location = function.location, unwritten(location) == nil { return (function, answer.imageName) }
                if named == nil { named = (function, answer.imageName) }
            }
        }
        return named
    }

    /// Whether a function of a result is the user's own.
    func isOwn(_ location: SourceLocation?, _ outcome: FrameOutcome, _ report: SymbolicatedReport) -> Bool {
        guard let image = outcome.image, report.images.indices.contains(image) else { return false }
        return isOwn(location, report.images[image].image)
    }

    /// A stack as it is, from the call on that a signal interrupted; of a call tree the heaviest
    /// branch, from its end.
    private static func innermostFirst(_ thread: ThreadTrace, _ outcomes: [FrameOutcome]) -> [(Frame, FrameOutcome)] {
        let rows = Array(zip(thread.frames, outcomes))
        guard thread.isCallTree else { return Array(rows.dropFirst(thread.interruptedIndex)) }
        return HeaviestBranch(thread.frames).rows.reversed().filter(rows.indices.contains).map { rows[$0] }
    }
}
