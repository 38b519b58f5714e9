public import CrashLogModel
internal import Reporting
public import Symbolication

extension SymbolicatedReport {
    /// The thread that crashed. The first thread where the log marks none; `nil` in a report
    /// without threads.
    public var crashedThread: ThreadTrace? { report.threads.first(where: \.crashed) ?? report.threads.first }

    /// The frames where the program crashed, with their outcomes, innermost first: those of the
    /// exception if the log has its stack, then those of the crashed thread.
    ///
    /// A sampled thread (`ThreadTrace.isCallTree`) has its callers first.
    /// Other stacks are not part of it, for example where the memory was allocated (`allFrames` has
    /// all).
    ///
    /// ```swift
    /// let functions = report.crashedFrames.flatMap { $0.outcome.functions }
    /// ```
    public var crashedFrames: [(frame: Frame, outcome: FrameOutcome)] {
        let crashed = report.threads.firstIndex(where: \.crashed) ?? (report.exceptionBacktrace == nil ? 0 : report.threads.count)
        var frames = zip(report.exceptionBacktrace?.frames ?? [], exceptionBacktrace).map { (frame: $0, outcome: $1) }
        if report.threads.indices.contains(crashed), threads.indices.contains(crashed) {
            frames += zip(report.threads[crashed].frames, threads[crashed]).map { (frame: $0, outcome: $1) }
        }
        return frames
    }

    /// The function in which the cause most likely is, which readable reports call “Your code”: the innermost one of the crash
    /// that is neither the system's nor a library's of a language, nor raises or reports the error; with a line if one has it.
    /// `nil` if there is none.
    public var ownFunction: FrameResult.Function? { OwnCodeRule().firstFrame(of: self)?.function }
}

extension FrameOutcome {
    /// The functions at the frame, innermost first: the inlined ones, then the one that has them.
    /// Empty if unresolved.
    public var functions: [FrameResult.Function] { resolved?.functions ?? [] }

    /// Why the frame is unresolved, in one sentence: `reason` in JSON; `nil` if it is resolved, or if
    /// there was nothing to look up.
    public var reason: String? {
        guard case .unresolved(let reason) = result else { return nil }
        return reason
    }
}
