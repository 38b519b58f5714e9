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
    /// The second of the two stacks of a data race; empty otherwise.
    private(set) var otherFrames: [SignatureFrame] = []
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
        let isOverflow = Self.isOverflow(report.report.cause)
        frames = Self.withoutNoise(all, Self.mayHaveTrampoline(thread, kind, report.report.format), isOverflow)
        if kind.family == .race, let (other, outcomes) = Self.earlierAccess(report) {
            addEarlierAccess(Self.withoutNoise(Self.expanded(other, outcomes, report, lists, rule, memory, limits), false, isOverflow))
        }
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
        if let root = report.rootCauseStack { return root }
        if let backtrace = report.report.exceptionBacktrace, !backtrace.frames.isEmpty { return (backtrace, report.exceptionBacktrace) }
        let threads = Array(zip(report.report.threads, report.threads)).filter { !$0.0.frames.isEmpty }
        if let crashed = threads.first(where: \.0.crashed) { return crashed }
        if let first = threads.first, threads.count == 1 || kind.family == .hang || kind.family == .resource || kind.family == .race {
            return first
        }
        let additional = zip(report.report.additionalBacktraces, report.additionalBacktraces).first { !$0.0.frames.isEmpty }
        return threads.isEmpty ? additional.map { ($0.0, $0.1) } : nil
    }

    /// The stack of the first of the two accesses of a data race, which sanitizers print second:
    /// `Previous write of size 4 at 0x7b2561b2480c by main thread:`.
    private static func earlierAccess(_ report: SymbolicatedReport) -> (ThreadTrace, [FrameOutcome])? {
        zip(report.report.additionalBacktraces, report.additionalBacktraces).first { trace, _ in
            trace.name?.hasPrefix("Previous ") == true && !trace.frames.isEmpty
        }
    }

    /// Which access came first differs from run to run: the two stacks are put into an order of
    /// their names.
    private mutating func addEarlierAccess(_ other: [SignatureFrame]) {
        guard !frames.isEmpty, !other.isEmpty else { return }
        // Rows distinguish frames: those of the second stack follow those of the first.
        let shift = Self.maxRow
        let shifted = { (stack: [SignatureFrame]) in
            stack.map { frame in
                var frame = frame
                frame.row += shift
                return frame
            }
        }
        func text(_ stack: [SignatureFrame]) -> String { FrameLabels(stack).labels(stack).joined(separator: "\n") }
        let (left, right) = text(frames) <= text(other) ? (frames, other) : (other, frames)
        frames = left
        otherFrames = shifted(right)
    }

    /// More rows than one stack has (`Limits.framesPerThread`).
    private static let maxRow = 1 << 24

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
            // And code that was compiled while the program ran is at another address in each run.
            let isAnonymous = image.map(Self.isAnonymous) ?? false
            if name.isEmpty, normal.isClosure || image == nil || isAnonymous { roles.isIrrelevant = true }
            // Every program has a `main`. If its module is not known, the source file distinguishes the programs.
            let program = module.isEmpty && name == "main" ? location.map { Path.name(of: $0.file) } ?? "" : module
            let made = SignatureFrame(
                name: name, language: normal.language, module: program, build: image?.id, offset: outcome.moduleOffset(of: frame),
                row: row, isInlined: isInlined,
                showsInlinedCalls: shows, isClosure: normal.isClosure, closure: normal.closure, parameters: normal.parameters,
                isHidden: normal.isHidden,
                isOwn: !roles.isLibrary && !isAnonymous && known.isOwn, isPrefix: roles.isPrefix)
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
    private static func withoutNoise(
        _ all: [(frame: SignatureFrame, roles: FrameLists.Roles)], _ mayHaveTrampoline: Bool, _ isOverflow: Bool
    ) -> [SignatureFrame] {
        var roles = all.map(\.roles)
        if mayHaveTrampoline, !roles.contains(where: \.isSentinel), let index = trampoline(all.map(\.frame)) {
            roles[index].isSentinel = true
        }
        let beginning = FrameLists.beginning(of: roles)
        let rest = zip(all, roles).dropFirst(beginning).filter { !$0.1.isMachinery }.map { $0.0.frame }
        return withoutRecursion(withNormalCycle(rest, isOverflow))
    }

    /// Whether the program itself may have printed the stack in a signal's handler: all of its rows
    /// are return addresses, as of `backtrace(3)`. Debuggers name the trampoline, and sanitizers begin with what crashed.
    private static func mayHaveTrampoline(_ thread: ThreadTrace, _ kind: CrashKind, _ format: String) -> Bool {
        guard kind.family == .crash, !format.hasPrefix("sanitizer-"), !thread.isCallTree, let first = thread.frames.first else {
            return false
        }
        return first.kind != .programCounter && !thread.frames.contains { $0.kind == .programCounter }
    }

    /// The row of the signal's trampoline, where it has no name: a function of the C library
    /// without a symbol, called by what crashed and calling the program's handler. It has not been
    /// called, so that its return address is its beginning, at a multiple of 16 (x86-64, glibc).
    ///
    ///     shop(onCrash+0x20)            the handler
    ///     libc.so.6(+0x3c050)           the result
    ///     shop(Audit::write+0x1a)       what crashed
    private static func trampoline(_ frames: [SignatureFrame]) -> Int? {
        // A handler calls few functions until it prints.
        for index in frames.indices.prefix(9).dropFirst() {
            let frame = frames[index]
            guard frame.name.isEmpty, let offset = frame.offset?.value, index + 1 < frames.count else { continue }
            if frame.module.hasPrefix("linux-vdso") || frame.module == "[vdso]" { return index }
            // Sanitizers print the address before a return address.
            guard isCLibrary(frame.module), offset & 0xF == 0 || offset & 0xF == 0xF else { continue }
            if !frames[..<index].allSatisfy({ isCLibrary($0.module) }) { return index }
        }
        return nil
    }

    private static func isCLibrary(_ module: String) -> Bool {
        ["libc.so", "libc-2.", "libpthread.so", "libpthread-2."].contains(where: module.hasPrefix)
    }

    /// Memory that no file is mapped to: `<anonymous:7b0a5d2000>`, `[anon:dalvik-jit-code-cache]`,
    /// `/memfd:jit-cache (deleted)`, `[heap]`, `//anon`, `perf-4711.map`.
    private static func isAnonymous(_ image: BinaryImage) -> Bool {
        let prefixes = [
            "<anonymous", "[anon", "/memfd:", "memfd:", "//anon", "[heap]", "[stack", "jit-cache", "dalvik-jit-code-cache", "perf-",
        ]
        return [image.name, image.path ?? ""].contains { name in
            prefixes.contains { name.hasPrefix($0) && ($0 != "perf-" || name.hasSuffix(".map")) }
        }
    }

    // MARK: Recursion

    /// Whether the log says that a stack was too long.
    private static func isOverflow(_ cause: CrashCause?) -> Bool {
        let marks = ["stack-overflow", "stack overflow", "stackoverflow", "recursion", "goroutine stack exceeds"]
        return [cause?.type, cause?.message, cause?.subtype, cause?.detail, cause?.codes].contains { text in
            guard let text = text?.prefix(1024).lowercased() else { return false }
            return marks.contains { text.contains($0) }
        }
    }

    /// A stack that a recursion was too deep for ends in any function of the cycle, and in any that
    /// these call: one turn is kept, which begins with the function whose name is the first in the
    /// alphabet.
    ///
    ///     eval_expr eval_call eval_expr … eval_call run      →  eval_call eval_expr run
    ///     eval_call eval_expr … eval_call run                →  eval_call eval_expr run
    ///
    /// A shorter recursion, without a word about the stack, is a way to the bug, and ends in it.
    private static func withNormalCycle(_ frames: [SignatureFrame], _ isOverflow: Bool) -> [SignatureFrame] {
        for start in 0...(isOverflow ? 4 : 0) {
            for length in 1...longestCycle where start + 2 * length <= frames.count {
                var end = start + length
                while end < frames.count, isSame(frames[end], frames[end - length]) { end += 1 }
                guard end - start >= max(3 * length, isOverflow ? 0 : deepRecursion) else { continue }
                let turns = (0..<length).map { shift in (0..<length).map { frames[start + (shift + $0) % length] } }
                let turn = turns.min { $0.map(\.name).lexicographicallyPrecedes($1.map(\.name)) } ?? []
                return turn + frames[end...]
            }
        }
        return frames
    }

    /// Functions of a cycle that are looked for.
    private static let longestCycle = 4
    /// Rows of a recursion from which on it is taken for the reason of a crash.
    private static let deepRecursion = 32

    private static func isSame(_ left: SignatureFrame, _ right: SignatureFrame) -> Bool {
        // Frames without a name are different functions of one module: only the same offset is a
        // repeat. GDB's first row has no address, and so no module.
        left.name == right.name && (left.module == right.module || !left.name.isEmpty && (left.module.isEmpty || right.module.isEmpty))
            && (!left.name.isEmpty || left.offset == right.offset)
    }

    /// Runs of one to four functions that repeat are left in once: how deep a recursion got differs
    /// from crash to crash.
    private static func withoutRecursion(_ frames: [SignatureFrame]) -> [SignatureFrame] {
        var result: [SignatureFrame] = []
        for frame in frames {
            result.append(frame)
            for length in 1...4 where result.count >= 2 * length {
                let end = result.count
                let repeats = (0..<length).allSatisfy { isSame(result[end - 1 - $0], result[end - 1 - length - $0]) }
                if repeats {
                    result.removeLast(length)
                    break
                }
            }
        }
        return result
    }
}

extension FrameOutcome {
    /// The frame's offset in its image. Without symbols a log's own offset counts that is a
    /// distance from the load bias, as sanitizers', glibc's and Android's rows have it: in
    /// position-independent programs and libraries it is the same.
    func moduleOffset(of frame: Frame) -> ImageOffset? {
        if let offset = imageOffset ?? frame.imageOffset { return offset }
        guard case .linkAddress(let address)? = frame.imageLocation else { return nil }
        // An address of the process, where the log shows no more, is as linked in programs that are
        // not position-independent, which are in the first 4 GB.
        return address.value == frame.address?.value && address.value >> 32 != 0 ? nil : ImageOffset(address.value)
    }
}
