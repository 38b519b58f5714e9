internal import BinaryPrimitives
package import CrashLogModel
package import Symbolication

extension SymbolicatedReport {
    /// The stack of the first error of a chain (`CrashReport.rootCause`), with the callers that only the stacks of later
    /// errors have: an error's own ends where it was caught. `nil` if the report has no chain, or only one of its errors
    /// has a stack.
    package var rootCauseStack: (thread: ThreadTrace, outcomes: [FrameOutcome])? {
        guard let root = report.rootCause else { return nil }
        let others = Array(zip(report.additionalBacktraces, additionalBacktraces))
        let chain = root.stacks.prefix(64).filter(others.indices.contains).map { others[$0] }
        guard let first = chain.first else { return nil }
        // Each stack has all of its callers.
        if root.isWhole { return first }
        var stacks: [(ThreadTrace, [FrameOutcome])] = chain
        if let backtrace = report.exceptionBacktrace {
            stacks.append((backtrace, exceptionBacktrace))
        } else if let last = zip(report.threads, threads).first(where: \.0.crashed) {
            stacks.append(last)
        }
        // From the last error on, because each stack may lack what the next one has.
        guard var (trace, outcomes) = stacks.popLast() else { return nil }
        for (earlier, results) in stacks.reversed() {
            var joined = earlier
            var own = results
            var start = 0
            if case .omitted(let count)? = earlier.frames.last?.kind {
                // `... 2 more`: the last two rows of the stack that it is the cause of.
                joined.frames.removeLast()
                start = max(0, trace.frames.count - max(0, count))
            } else if let caught = earlier.frames.last?.printed,
                let index = trace.frames.firstIndex(where: { $0.printed?.isSameFunction(as: caught) == true })
            {
                start = index + 1
            }
            own = Array(own.prefix(joined.frames.count))
            guard own.count == joined.frames.count, outcomes.count == trace.frames.count else { return nil }
            joined.frames += trace.frames[start...]
            own += outcomes[start...]
            (trace, outcomes) = (joined, own)
        }
        return (trace, outcomes)
    }
}

extension PrintedSymbol {
    /// Whether two rows are of one function: in one line or another of it.
    fileprivate func isSameFunction(as other: PrintedSymbol) -> Bool { name == other.name && location?.file == other.location?.file }
}
