internal import BinaryPrimitives
internal import CrashLogModel
internal import Reporting
internal import Symbolication

/// Makes a failure of a symbolicated report: what happened, where it first met the user's own code,
/// and why there or nowhere.
struct ReportFailure {
    let judge: FrameJudge

    /// Bytes of a message that are kept.
    static let messageLimit = 8192
    /// Threads of a hang, and other stacks of a report, that are kept.
    private static let stackLimit = 64

    func failure(_ report: SymbolicatedReport, _ rule: FailureRule, announced: String?) -> Failure {
        let stacks = stacks(of: report, rule.kind)
        var failure = Failure(
            kind: rule.kind, rule: rule.id, title: Headline.text(report, rule, announced: announced),
            message: message(report.report.cause, announced))
        if rule.kind == .exception, FailureRule.mayBeCaught(report.report) { failure.level = .warning }
        failure.stacks = stacks.primary + stacks.others
        if rule.kind == .noFailure {
            failure.title = "No failure: " + rule.label
            failure.message = "A log of this format (\(rule.label)) is not a failure."
            return failure
        }
        chooseLocation(&failure, stacks.primary, stacks.others)
        return failure
    }

    private func message(_ cause: CrashCause?, _ announced: String?) -> String {
        var parts: [String] = []
        if let announced { parts.append(announced) }
        if let cause {
            let signal = cause.signal.flatMap { cause.type == nil ? $0 : cause.type == $0 ? nil : "(\($0))" }
            var text = [cause.type, signal].compactMap { $0 }.joined(separator: " ")
            if let address = cause.address { text += (text.isEmpty ? "" : " ") + "at \(address)" }
            if let message = cause.message, message != announced { text += (text.isEmpty ? "" : ": ") + message }
            if !text.isEmpty { parts.append(text) }
        }
        return PlainText.lines(parts.joined(separator: "\n"), limit: Self.messageLimit, staysInLine: true)
    }

    /// The stacks that the failure is about, the most informative first, and those that are shown
    /// beside it.
    private func stacks(of report: SymbolicatedReport, _ kind: Failure.Kind) -> (primary: [Failure.Stack], others: [Failure.Stack]) {
        var primary: [Failure.Stack] = []
        var others: [Failure.Stack] = []
        func stack(_ thread: ThreadTrace, _ outcomes: [FrameOutcome], _ title: String) -> Failure.Stack {
            var (thread, outcomes, title) = (thread, outcomes, title)
            // Callers come first in a tree, and it has many ends: the branch with the most samples
            // is shown.
            if thread.isCallTree {
                let rows = HeaviestBranch(thread.frames).rows.reversed().filter(outcomes.indices.contains)
                (thread.frames, outcomes) = (rows.map { thread.frames[$0] }, rows.map { outcomes[$0] })
                title += ", the branch with the most samples"
            }
            // The handler that printed the stack is not what failed.
            let first = thread.interruptedIndex
            if first > 0, outcomes.count == thread.frames.count {
                (thread.frames, outcomes) = (Array(thread.frames[first...]), Array(outcomes[first...]))
            }
            return Failure.Stack(title: PlainText.line(title, limit: 200), frames: judge.frames(thread, outcomes, report))
        }
        if let backtrace = report.report.exceptionBacktrace {
            primary.append(stack(backtrace, report.exceptionBacktrace, "Exception backtrace"))
        }
        let threads = Array(zip(report.report.threads, report.threads))
        let hasCrashed = threads.contains { $0.0.crashed }
        for (index, (thread, outcomes)) in threads.enumerated() {
            let isPrimary = hasCrashed ? thread.crashed : index == 0
            // Every thread may hold what the others wait for, and of a profile none is about more
            // than the others; of a crash, only its own thread is shown.
            guard isPrimary || kind == .hang || kind == .noFailure, primary.count + others.count < Self.stackLimit else { continue }
            let title =
                "Thread \(thread.index)" + (thread.name.map { " (\($0))" } ?? "")
                + (thread.crashed && kind != .hang && kind != .noFailure ? " crashed" : "")
            let made = stack(thread, outcomes, title)
            if isPrimary { primary.append(made) } else { others.append(made) }
        }
        for (backtrace, outcomes) in zip(report.report.additionalBacktraces, report.additionalBacktraces) {
            guard primary.count + others.count < Self.stackLimit else { break }
            // A heading of a sanitizer's has its colon: `allocated by thread T0 here:`.
            let name = backtrace.name ?? "Another backtrace"
            let made = stack(backtrace, outcomes, name.hasSuffix(":") ? String(name.dropLast()) : name)
            // Reports of leaks have no threads' stacks, only the stacks of the allocations.
            if kind == .sanitizer, threads.isEmpty { primary.append(made) } else { others.append(made) }
        }
        return (primary, others)
    }

    private func chooseLocation(_ failure: inout Failure, _ primary: [Failure.Stack], _ others: [Failure.Stack]) {
        let title = failure.title
        if let (frame, index, stack) = firstOwn(primary) {
            failure.location = frame.location
            failure.title = Self.title(title, frame)
            failure.locationRemark = about(index, stack.frames, failure.kind)
            return
        }
        // A hang may be any thread's doing; elsewhere another thread's line has nothing to do with
        // it.
        let threads = failure.kind == .hang ? others.filter { $0.title.hasPrefix("Thread ") } : []
        if let (frame, _, stack) = firstOwn(threads) {
            failure.location = frame.location
            // The stack that the location is of comes first.
            failure.stacks = [stack] + failure.stacks.filter { $0 != stack }
            failure.title = Self.title(title, frame)
            let count = threads.count { firstOwn([$0]) != nil }
            failure.locationRemark =
                "This is the current line of \(stack.title.prefix(1).lowercased() + stack.title.dropFirst())"
                + (count > 1 ? "; \(count - 1) more have frames of your code." : ", the only one with a frame of your code.")
            return
        }
        let first = primary.first.flatMap { stack in stack.frames.first { !$0.isMachinery } ?? stack.frames.first }
        if let function = first?.function, failure.kind != .hang {
            failure.title = title + " in " + PlainText.line(function, limit: 120)
        }
        failure.missingLocationReason = failure.kind == .hang ? Self.idle(primary + threads) : Self.noOwn(primary)
    }

    private static func title(_ text: String, _ frame: Failure.Frame) -> String {
        guard let function = frame.function else { return text }
        // A message may be a sentence: `Assertion `n > 0' failed.`
        return (text.hasSuffix(".") ? String(text.dropLast()) : text) + " in " + PlainText.line(function, limit: 120)
    }

    private func firstOwn(_ stacks: [Failure.Stack]) -> (frame: Failure.Frame, index: Int, stack: Failure.Stack)? {
        for skipsMachinery in [true, false] {
            for stack in stacks {
                let index = stack.frames.firstIndex { $0.isOwn && $0.location != nil && !(skipsMachinery && $0.isMachinery) }
                if let index { return (stack.frames[index], index, stack) }
            }
        }
        return nil
    }

    /// Sentence about the frames between the location and the failure.
    private func about(_ index: Int, _ frames: [Failure.Frame], _ kind: Failure.Kind) -> String? {
        let inner = frames[..<index].filter { !$0.isMachinery }
        // Frames of which nothing is known may be own code as well; then this is a caller and not
        // the first line.
        let unknown = inner.filter { $0.owner == .unknown }
        let doubt = unknown.first.map {
            "\(unknown.count == 1 ? "one frame" : "\(unknown.count) frames") before it may be your code, too: \($0.reason)"
        }
        guard let innermost = inner.first else { return nil }
        let name =
            innermost.function.map { PlainText.line(Self.written($0), limit: 120) } ?? innermost.image ?? "a function without a name"
        let event = kind == .hang ? "waiting" : kind == .crash ? "crashed" : "failed"
        return "Called from this line; \(event) in \(name)\(doubt.map { "; " + $0 } ?? "")."
    }

    /// The name that a person wrote: `Array.subscript.getter` of
    /// `specialized Array.subscript.getter`, `f()` of `closure #1 in closure #2 in f()`.
    private static func written(_ function: String) -> String {
        var name = function[...]
        while true {
            if let beginning = ["specialized ", "partial apply for ", "thunk for ", "merged "].first(where: name.hasPrefix) {
                name = name.dropFirst(beginning.count)
            } else if name.hasPrefix("closure #") || name.hasPrefix("implicit closure #"), let mark = name.firstRange(of: " in ") {
                name = name[mark.upperBound...]
            } else {
                return String(name)
            }
        }
    }

    /// No thread has a frame of the user's own code: what to look for then.
    private static func idle(_ threads: [Failure.Stack]) -> String {
        let count = threads.count
        let unknown = threads.joinedFrames.first { $0.owner == .unknown }
        if let unknown {
            return
                "No thread has a frame with a line of your code (\(count) examined); some may be your code: \(PlainText.line(unknown.reason, limit: 300))."
        }
        return
            "No thread has a frame of your code (\(count == 1 ? "one thread" : "\(count) threads") examined). A task that waits for a continuation which is never resumed has no frame on any "
            + "thread; nor has code that waits below a library whose frames could not be walked."
    }

    private static func noOwn(_ stacks: [Failure.Stack]) -> String {
        let frames = stacks.joinedFrames
        guard !frames.isEmpty else { return "The report has no frames." }
        guard let nearest = frames.first(where: { $0.owner == .unknown }) ?? frames.first(where: { !$0.isMachinery }) ?? frames.first
        else { return "" }
        let name =
            nearest.function.map { PlainText.line($0, limit: 120) } ?? nearest.image.map { "a frame of " + PlainText.line($0, limit: 120) }
            ?? "a frame without a name"
        return
            "None of the \(frames.count) frames is in your code. Closest: “\(name)” (\(PlainText.line(nearest.reason, limit: 300)))."
    }
}

extension [Failure.Stack] {
    fileprivate var joinedFrames: [Failure.Frame] { flatMap(\.frames) }
}
