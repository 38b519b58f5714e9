internal import BinaryPrimitives
internal import CrashLogModel
internal import Reporting
internal import SymbolSources
internal import Symbolication
internal import TestReports

/// The stack of a report that its signature is made of, as functions, innermost first, without
/// those that say nothing about a bug.
struct SignatureStack: Sendable {
    /// Why the stack is not usable.
    enum Absence: String, Sendable {
        case noCrashingThread
        case noFrames
        case onlyNoise
    }

    private(set) var frames: [SignatureFrame] = []
    private(set) var absence: Absence?

    /// - Parameters:
    ///   - rule: The user's rule for own code, beside the built-in knowledge of systems and
    ///     languages.
    ///   - memory: Cache of functions for these lists and this rule.
    init(_ report: SymbolicatedReport, kind: CrashKind, lists: FrameLists, rule: OwnCodeRule, memory: FrameCache, limits: SignatureLimits) {
        guard let (thread, outcomes) = Self.chosen(report, kind) else {
            absence = report.report.stacks.allSatisfy(\.frames.isEmpty) ? .noFrames : .noCrashingThread
            return
        }
        let all = Self.expanded(thread, outcomes, report, lists, rule, memory, limits)
        frames = Self.withoutNoise(all)
        if frames.isEmpty {
            absence = all.isEmpty ? .noFrames : .onlyNoise
            frames = Self.withoutRecursion(all.map(\.frame))
        } else if frames.allSatisfy({ $0.name.isEmpty && $0.offset == nil }) {
            // Which libraries were called says not enough.
            absence = .onlyNoise
        }
    }

    // MARK: Which stack

    /// Chooses the exception's stack, which is where it was raised; else the crashed thread's; for
    /// a hang the first thread's (the main one's); for a leak the first that says where the memory
    /// was allocated; or the only stack.
    private static func chosen(_ report: SymbolicatedReport, _ kind: CrashKind) -> (ThreadTrace, [FrameOutcome])? {
        if let backtrace = report.report.exceptionBacktrace, !backtrace.frames.isEmpty { return (backtrace, report.exceptionBacktrace) }
        let threads = Array(zip(report.report.threads, report.threads)).filter { !$0.0.frames.isEmpty }
        if let crashed = threads.first(where: \.0.crashed) { return crashed }
        if let first = threads.first, threads.count == 1 || kind.family == .hang || kind.family == .resource || kind.family == .race {
            return first
        }
        let additional = zip(report.report.additionalBacktraces, report.additionalBacktraces).first { !$0.0.frames.isEmpty }
        return threads.isEmpty ? additional.map { ($0.0, $0.1) } : nil
    }

    // MARK: Functions

    private static func expanded(
        _ thread: ThreadTrace, _ outcomes: [FrameOutcome], _ report: SymbolicatedReport, _ lists: FrameLists, _ rule: OwnCodeRule,
        _ memory: FrameCache, _ limits: SignatureLimits
    ) -> [(frame: SignatureFrame, roles: FrameLists.Roles)] {
        // The signal handler that printed the stack is the same for all crashes.
        var order = Array(thread.frames.indices.dropFirst(thread.interruptedIndex))
        if thread.isCallTree { order = HeaviestBranch(thread.frames).rows.reversed() }
        var result: [(frame: SignatureFrame, roles: FrameLists.Roles)] = []
        for index in order where thread.frames.indices.contains(index) && outcomes.indices.contains(index) {
            guard result.count < limits.frames else { break }
            let frame = thread.frames[index]
            let outcome = outcomes[index]
            switch frame.kind {
            case .omitted, .truncated: continue
            default: break
            }
            // Left over from an earlier call, the log says; and what the result of the frame that
            // holds it says again.
            if frame.isUnreliable { continue }
            if frame.isInlined, case .partOfNextFrame = outcome.result, isHolderResolved(index, thread, outcomes) { continue }
            result += functions(frame, outcome, row: index, report, lists, rule, memory, limits)
        }
        return Array(result.prefix(limits.frames))
    }

    /// Whether the frame that contains an inlined call is resolved, and its result has the call.
    /// Symbol tables, and the line table of a stripped Go program, have no inlined calls, and then
    /// only the log's own row shows it.
    private static func isHolderResolved(_ index: Int, _ thread: ThreadTrace, _ outcomes: [FrameOutcome]) -> Bool {
        guard !thread.isCallTree else { return true }
        // A run of inlined calls is short; the limit is there for hostile logs.
        for holder in thread.frames.indices[index...].prefix(512) where !thread.frames[holder].isInlined {
            return outcomes.indices.contains(holder) && (outcomes[holder].resolved?.functions.count ?? 0) > 1
        }
        return false
    }

    private static func functions(
        _ frame: Frame, _ outcome: FrameOutcome, row: Int, _ report: SymbolicatedReport, _ lists: FrameLists, _ rule: OwnCodeRule,
        _ memory: FrameCache, _ limits: SignatureLimits
    ) -> [(frame: SignatureFrame, roles: FrameLists.Roles)] {
        let found = outcome.image.flatMap { report.images.indices.contains($0) ? report.images[$0].image : nil }
        let listed = found ?? frame.image.flatMap { report.report.images.indices.contains($0) ? report.report.images[$0] : nil }
        let image = listed ?? frame.imageName.map { BinaryImage(name: Path.name(of: $0), path: $0.hasPrefix("/") ? $0 : nil) }
        func made(_ name: String, _ mangled: String, _ location: SourceLocation?, isInlined: Bool, shows: Bool) -> (
            SignatureFrame, FrameLists.Roles
        ) {
            let module = image?.name ?? ""
            let function = FrameCache.Function(
                name: name, mangled: mangled, file: location?.file, format: report.report.format, module: module, path: image?.path)
            let known = memory.known(function) {
                let normal = NormalizedName(name, mangled: mangled, file: location?.file, format: report.report.format)
                let isOwn = rule.isOwn(normal.isInvoker ? nil : location, image)
                // A shrunk name is looked up with its version, below.
                let roles = normal.isHidden ? FrameLists.Roles() : lists.roles(of: normal, module: module, format: report.report.format)
                return FrameCache.Known(name: normal, roles: roles, isOwn: isOwn)
            }
            let normal = known.name
            // A shrunk name is valid in its own build only, which the application's version
            // identifies.
            let name = normal.isHidden && !normal.text.isEmpty ? normal.text + "@" + (report.report.process.version ?? "?") : normal.text
            var roles =
                normal.isHidden
                ? lists.roles(function: name, module: module, language: normal.language, format: report.report.format) : known.roles
            // A lambda of an unknown function says nothing, nor does an address outside of all
            // images.
            if name.isEmpty, normal.isClosure || image == nil { roles.isIrrelevant = true }
            // Every program has a `main`. If its module is not known, the source file distinguishes the programs.
            let program = module.isEmpty && name == "main" ? location.map { Path.name(of: $0.file) } ?? "" : module
            let made = SignatureFrame(
                name: name, language: normal.language, module: program, build: image?.id, offset: outcome.imageOffset ?? frame.imageOffset,
                row: row, isInlined: isInlined,
                showsInlinedCalls: shows, isClosure: normal.isClosure, closure: normal.closure, isHidden: normal.isHidden,
                isOwn: !roles.isLibrary && known.isOwn, isPrefix: roles.isPrefix)
            return (made, roles)
        }
        guard case .resolved(let result, let origin) = outcome.result else {
            let printed = frame.printed
            return [made(printed?.name ?? "", "", printed?.location, isInlined: frame.isInlined, shows: printed?.location != nil)]
        }
        return result.functions.prefix(limits.frames).map { function in
            made(function.name, function.mangledName, function.location, isInlined: function.isInlined, shows: origin == .debugInformation)
        }
    }

    // MARK: Noise

    /// Removes everything up to the first sentinel, and all irrelevant frames. A function that
    /// calls itself, or two that call each other, are kept once.
    private static func withoutNoise(_ all: [(frame: SignatureFrame, roles: FrameLists.Roles)]) -> [SignatureFrame] {
        let rest = all[FrameLists.beginning(of: all.map(\.roles))...]
        return withoutRecursion(rest.filter { !$0.roles.isMachinery }.map(\.frame))
    }

    /// Runs of one to four functions that repeat are left in once: how deep a recursion got differs
    /// from crash to crash.
    private static func withoutRecursion(_ frames: [SignatureFrame]) -> [SignatureFrame] {
        func same(_ left: SignatureFrame, _ right: SignatureFrame) -> Bool {
            // Frames without a name are different functions of one module: only the same offset is
            // a repeat.
            left.name == right.name && left.module == right.module && (!left.name.isEmpty || left.offset == right.offset)
        }
        var result: [SignatureFrame] = []
        for frame in frames {
            result.append(frame)
            for length in 1...4 where result.count >= 2 * length {
                let end = result.count
                let repeats = (0..<length).allSatisfy { same(result[end - 1 - $0], result[end - 1 - length - $0]) }
                if repeats {
                    result.removeLast(length)
                    break
                }
            }
        }
        return result
    }
}
