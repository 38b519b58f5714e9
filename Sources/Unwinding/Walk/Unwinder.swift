package import BinaryPrimitives

/// Walks stacks: registers and memory in, frames out.
///
/// A caller is found by a rule for the address, else by the function's instructions, else by the frame pointer, else by
/// scanning the stack; each result is checked.
package struct Unwinder {
    let lookup: CodeLookup
    let memory: Memory
    private let usesFramePointers: Bool
    private let limits: Limits

    /// - Parameters:
    ///   - usesFramePointers: `false` if frame pointers form no chain, as on 64-bit Windows.
    ///     Windows.
    ///   - codeMask: the bits that a signature of a return address may be in (`NT_ARM_PAC_MASK`); `nil` if
    ///     that is not known.
    ///     `nil` where that is not known.
    ///   - knowsMappings: whether the memory has every range that was mapped, saved or not.
    ///   - entry: the program's entry point, which is on the main thread's stack among the values that the
    ///     kernel passes to a program, and may follow a call.
    ///     kernel hands to a program, and may follow a call.
    package init(
        _ modules: ModuleMap, _ memory: Memory, _ processor: Processor, codeMask: UInt64? = nil, entry: UInt64? = nil,
        knowsMappings: Bool = false, usesFramePointers: Bool = true, limits: Limits = .standard
    ) {
        lookup = CodeLookup(modules, memory, processor, codeMask: codeMask, entry: entry, knowsMappings: knowsMappings)
        self.memory = memory
        self.usesFramePointers = usesFramePointers
        self.limits = limits
    }

    /// A frame while its caller is looked for.
    struct FrameState {
        var registers: Registers
        var trust: FrameTrust
        /// The frame was interrupted by a signal, or is the innermost.
        var isInterrupted: Bool
        /// Its frame pointer is part of the chain that led here.
        var isOfChain = false
        /// It is the code that a signal handler returns to.
        var isTrampoline = false
        /// A program made the frame, from which nothing was called.
        var isSynthetic = false
        /// Its address was overwritten on the stack: nothing is mapped there.
        var isOverwritten = false
        /// Bytes of parameters that it pushed for the frame that it called (32-bit Windows).
        var calleeParameters: UInt64 = 0
    }

    /// A walk ends after this many times the frames that are kept: a stack of 8 MB, as Linux allows by default, has at most
    /// 524,288 frames of 16 bytes.
    private static let walkedPerKept = 16

    /// Unwinds the stack whose innermost frame has the given registers. Of a stack with more frames than are kept, frames in
    /// the middle are left out.
    /// - Parameter maxFrames: maximum number of frames that are kept; `Limits` may allow fewer.
    package func stack(from registers: Registers, maxFrames: Int = .max) -> UnwoundStack {
        let maxFrames = min(maxFrames, limits.framesPerThread)
        var state = FrameState(registers: registers, trust: .context, isInterrupted: true)
        var stack = UnwoundStack(frames: [state.frame], end: .nothingFound)
        var signals = 0
        var remainingWords = limits.scannedWordsPerStack
        while true {
            if stack.frames.count >= maxFrames {
                guard maxFrames >= 4, (stack.frames.count + stack.omittedCount) / Self.walkedPerKept < maxFrames else {
                    stack.end = .tooManyFrames
                    return stack
                }
                stack.removeMiddle()
            }
            switch caller(of: state, &remainingWords) {
            case .found(let next):
                if next.isInterrupted {
                    // After a signal the stack may be another one, so it need not rise.
                    signals += 1
                    guard signals <= limits.signalFrames else {
                        stack.end = .tooManyFrames
                        return stack
                    }
                    let (counter, pointer) = (next.registers.programCounter, next.registers.stackPointer)
                    guard !stack.frames.contains(where: { $0.programCounter == counter && $0.stackPointer == pointer }) else {
                        stack.end = .repeated
                        return stack
                    }
                }
                state = next
                // A handler returns to the first byte of a trampoline, which follows no call. The rules of
                // most C libraries, not all, begin one byte before it.
                state.isTrampoline = !next.isInterrupted && lookup.isTrampoline(next.registers.programCounter)
                if !next.isInterrupted, !state.isTrampoline, next.trust == .cfi {
                    state.isSynthetic = lookup.rule(returningTo: lookup.plain(next.registers.programCounter)).isSynthetic
                }
                stack.frames.append(state.frame)
            case .end(let end):
                stack.end = end
                return stack
            }
        }
    }

    private enum Outcome {
        case found(FrameState)
        case end(StackEnd)
    }

    private func caller(of state: FrameState, _ remainingWords: inout Int) -> Outcome {
        var end = StackEnd.nothingFound
        if state.isOverwritten { return byScan(state, &remainingWords).map { .found($0) } ?? .end(end) }
        let goFunction = state.isInterrupted ? nil : lookup.goRuntimeFunction(returningTo: state.registers.programCounter)
        if let goFunction, goFunction.switchesStacks, let next = byGoroutine(state) { return .found(next) }
        let isInjected = goFunction.map { !$0.switchesStacks } ?? false
        switch byRules(state) {
        case .found(var next):
            if isInjected { next.isInterrupted = true }
            return .found(next)
        case .end(.outermost): return beyondMark(state, &remainingWords).map { .found($0) } ?? .end(.outermost)
        case .end(let reason): end = reason
        }
        // Windows are a chain of their own.
        if state.isOfChain || lookup.processor.hasWindows && state.trust == .cfi,
            FramePointers(registers: state.registers, memory: memory).isEnd
        {
            return .end(.outermost)
        }
        if end == .nothingFound, lookup.isInEntryFunction(state.registers.programCounter) { return .end(.outermost) }
        let found = isInjected ? nil : byCode(state)
        if let next = found ?? byUnknownTrampoline(state) ?? byFramePointer(state, isInjected: isInjected) { return .found(next) }
        return byScan(state, &remainingWords).map { .found($0) } ?? .end(end)
    }

    private func byScan(_ state: FrameState, _ remainingWords: inout Int) -> FrameState? {
        let isSure = state.trust == .context || state.trust == .cfi || state.trust == .prologue
        let count = min(remainingWords, isSure ? limits.scannedWords : limits.scannedWordsAgain)
        remainingWords -= count
        // If calls store the return address in a register, a function saves the value that it was called
        // with. That value led to this frame, unless the frame was found by a scan.
        let skipped = state.trust != .scan && lookup.processor.link != nil ? state.registers.programCounter : nil
        let scan = StackScan(registers: state.registers, lookup: lookup, skipped: skipped)
        let registers = scan.caller(wordCount: count, takesNearest: state.isOverwritten) ?? scanFar(scan, after: count, &remainingWords)
        return registers.map { FrameState(registers: $0, trust: .scan, isInterrupted: false) }
    }

    // MARK: Rules

    private func byRules(_ state: FrameState) -> Outcome {
        let counter = lookup.plain(state.registers.programCounter)
        var found: CallerStep?
        var trust = FrameTrust.cfi
        var parameters: UInt64 = 0
        // Compilers' rules are right at every instruction.
        var isSure = false
        if state.isTrampoline {
            (found, trust) = interrupted(state, at: counter) ?? (nil, .cfi)
        } else {
            guard state.isInterrupted || counter > 0 else { return .end(.nothingFound) }
            let rule = state.isInterrupted ? lookup.rule(at: counter) : lookup.rule(returningTo: counter).rule
            // A hand-written function without calls has the same mark as the outermost.
            if state.isInterrupted, case .cannotUnwind? = rule { return .end(.nothingFound) }
            found = rule?.caller(of: state.registers, memory, calleeParameters: state.calleeParameters)
            // Compact unwind information describes neither the first nor the last instructions of a
            // function.
            if state.isInterrupted, rule?.isOfBody == true, case .caller(let caller, _)? = found,
                !lookup.mayReturn(to: lookup.stripped(caller.programCounter))
            {
                found = nil
            }
            parameters = rule?.parameters ?? 0
            switch rule {
            case .rules?, .windows?: isSure = true
            default: break
            }
        }
        switch found {
        case nil, .failed?: return .end(.nothingFound)
        case .outermost?: return .end(.outermost)
        case .missingMemory(let address)?: return .end(.missingMemory(address))
        case .caller(var caller, let isExact)?:
            caller.programCounter = lookup.stripped(caller.programCounter)
            // The interrupted code may have called a null pointer.
            guard caller.programCounter != 0 || isExact && memory.holds(caller.stackPointer) else { return .end(.outermost) }
            // The rules of its function apply only after a call, and the frame pointer may be any function's.
            if state.isSynthetic, !isExact, !lookup.mayReturn(to: caller.programCounter) { return .end(.outermost) }
            guard isExact || rises(from: state, to: caller) else { return .end(.stackDoesNotRise) }
            guard isExact || lookup.isCode(caller.programCounter) || isUnlistedCode(caller) else {
                guard isSure, state.trust == .context || state.trust == .cfi, lookup.isNowhere(caller.programCounter) else {
                    return .end(.leadsNowhere(caller.programCounter))
                }
                return .found(FrameState(registers: caller, trust: trust, isInterrupted: false, isOverwritten: true))
            }
            return .found(FrameState(registers: caller, trust: trust, isInterrupted: isExact, calleeParameters: parameters))
        }
    }

    /// Returns the frame that a signal interrupted, if the code that led here is not known: after a handler,
    /// the stack pointer points to the signal's context, even if that code itself crashed.
    private func byUnknownTrampoline(_ state: FrameState) -> FrameState? {
        guard !state.isTrampoline, state.trust != .scan, SignalContext.isRecognized(lookup.processor) else {
            return nil
        }
        let saved = SignalContext(registers: state.registers, memory: memory).interrupted()
        guard isPlausible(saved), case .caller(let caller, _) = saved else { return nil }
        return FrameState(registers: caller, trust: .scan, isInterrupted: true)
    }

    /// Returns the frame that a signal interrupted, and how reliable it is.
    ///
    /// The rules of arm64's vDSO are for the record of `x29` and `x30` that the kernel pushes: they
    /// lead to the caller of the frame that was interrupted (Linux,
    /// `arch/arm64/kernel/vdso/sigreturn.S`).
    private func interrupted(_ state: FrameState, at counter: UInt64) -> (CallerStep, FrameTrust)? {
        let saved = SignalContext(registers: state.registers, memory: memory).interrupted()
        if lookup.processor == .arm64, isPlausible(saved, ofTrampoline: true) { return (saved, .cfi) }
        let found = lookup.rule(at: counter)?.caller(of: state.registers, memory, calleeParameters: 0)
        if let found, case .caller(_, isExact: true) = found { return (found, .cfi) }
        if isPlausible(saved, ofTrampoline: true) { return (saved, .cfi) }
        // If a handler has no rules, the size of its own frame is not known.
        guard state.trust == .framePointer || state.trust == .scan || state.trust == .prologue else { return nil }
        var registers = state.registers
        for _ in 0..<limits.scannedWords {
            registers.stackPointer &+= UInt64(lookup.processor.registerSize)
            let saved = SignalContext(registers: registers, memory: memory).interrupted()
            if isPlausible(saved) { return (saved, .scan) }
        }
        return nil
    }

    /// Whether registers that seem to be saved belong to code, with a stack. There is no other evidence that
    /// the address is right.
    /// - Parameter ofTrampoline: the handler returns to a known trampoline: the interrupted code may have called a null pointer,
    ///   or another address without code, and has left the return address.
    private func isPlausible(_ saved: CallerStep, ofTrampoline: Bool = false) -> Bool {
        guard case .caller(let registers, _) = saved else { return false }
        let isCode = lookup.isCode(registers.programCounter) || ofTrampoline && hasReturnAddress(registers)
        return isCode && memory.holds(registers.stackPointer)
            && lookup.plain(registers.programCounter) & (lookup.processor.instructionAlignment - 1) == 0
            && registers.stackPointer & UInt64(lookup.processor.registerSize - 1) == 0
    }

    /// Whether a call has just left its return address: in the link register, or on the stack.
    private func hasReturnAddress(_ registers: Registers) -> Bool {
        let saved =
            registers.processor.link == nil
            ? memory.read(registers.stackPointer, size: registers.processor.registerSize) : registers.link
        return saved.map { lookup.mayReturn(to: lookup.stripped($0), onlyModules: true) } ?? false
    }

    /// Whether the stack pointer rises. A function that saves nothing leaves it unchanged; a function that
    /// called another one has at least saved its return address.
    private func rises(from state: FrameState, to caller: Registers) -> Bool {
        let (before, after) = (state.registers.stackPointer, caller.stackPointer)
        if after > before { return true }
        return after == before && state.isInterrupted && lookup.processor.link != nil
            && caller.programCounter != state.registers.programCounter
    }

    /// Whether code that was compiled at run time may be at an address outside of all modules: where it is not known what was
    /// mapped, as in some minidumps, its frame pointers must lead back into a module.
    private func isUnlistedCode(_ caller: Registers) -> Bool {
        func isOutside(_ registers: Registers) -> Bool {
            let address = lookup.plain(registers.programCounter)
            return address >= 1 << 16 && !lookup.isNowhere(address) && lookup.modules.module(holding: address) == nil
                && !memory.areTogether(address, registers.stackPointer)
        }
        guard !lookup.knowsMappings, usesFramePointers, isOutside(caller) else { return false }
        var frame = caller
        for _ in 0..<Self.maxUnlisted {
            guard var next = FramePointers(registers: frame, memory: memory).callers.first, next.stackPointer > frame.stackPointer else {
                return false
            }
            next.programCounter = lookup.stripped(next.programCounter)
            if lookup.mayReturn(to: next.programCounter, onlyModules: true) { return true }
            guard isOutside(next) else { return false }
            frame = next
        }
        return false
    }

    /// Frames of compiled code between two of modules.
    private static let maxUnlisted = 64

    // MARK: Without rules

    /// Returns the caller of a function of 32-bit ARM that no exception passes through, which the index marks
    /// like the outermost function (EXIDX_CANTUNWIND): a function that calls it directly, else what a scan finds.
    ///
    /// For example, `exit` and `__aeabi_ldiv0`, which have callers, and `_start`, which has none.
    private func beyondMark(_ state: FrameState, _ remainingWords: inout Int) -> FrameState? {
        guard !state.isInterrupted, !state.isTrampoline, lookup.processor == .arm,
            case .cannotUnwind? = lookup.rule(returningTo: lookup.plain(state.registers.programCounter)).rule
        else { return nil }
        if lookup.isInEntryFunction(state.registers.programCounter) { return nil }
        if let caller = byCode(state) { return caller }
        let count = min(remainingWords, limits.scannedWords)
        remainingWords -= count
        let scan = StackScan(registers: state.registers, lookup: lookup, skipped: nil)
        let found =
            scan.caller(wordCount: count, onlyDirect: true) ?? scan.caller(wordCount: count)
            ?? scanFar(scan, after: count, &remainingWords)
        return found.map { FrameState(registers: $0, trust: .scan, isInterrupted: false) }
    }

    /// Returns the frame on a goroutine's stack that a function of Go's runtime left for the thread's own stack.
    ///
    /// Neither changes the frame pointer. So the record of the function that it called has its return address, and leads to the record of its
    /// caller; the caller's own address is not saved there, and that frame is left out.
    private func byGoroutine(_ state: FrameState) -> FrameState? {
        guard lookup.processor == .x86_64, var record = state.registers.framePointer else { return nil }
        for _ in 0..<Self.maxRecords {
            guard let next = memory.read(record, size: 8), let address = memory.read(record &+ 8, size: 8) else { return nil }
            if address == state.registers.programCounter {
                guard let outer = memory.read(next, size: 8), let caller = memory.read(next &+ 8, size: 8), lookup.mayReturn(to: caller)
                else {
                    return nil
                }
                var registers = state.registers
                registers[lookup.processor.framePointer] = outer
                registers.stackPointer = next &+ 16
                registers.programCounter = caller
                return FrameState(registers: registers, trust: .framePointer, isInterrupted: false)
            }
            guard next > record else { return nil }
            record = next
        }
        return nil
    }

    /// Frames of the runtime between the end of the process and the goroutine: about ten.
    private static let maxRecords = 256

    /// Returns the caller as the instructions of the frame's function say. If the frame pointer leads there as well, the frame is part
    /// of its chain.
    private func byCode(_ state: FrameState) -> FrameState? {
        let isReturn = !state.isInterrupted && !state.isSynthetic
        guard !state.isTrampoline, let layout = lookup.layout(at: state.registers.programCounter, isReturn: isReturn),
            var caller = layout.caller(of: state.registers, memory)
        else { return nil }
        caller.programCounter = lookup.stripped(caller.programCounter)
        guard isPlausible(caller, after: state) else { return nil }
        let next = FrameState(registers: caller, trust: .prologue, isInterrupted: false)
        guard var chained = byFramePointer(state, isInjected: false), chained.trust == .framePointer,
            chained.registers.programCounter == caller.programCounter, chained.registers.stackPointer == caller.stackPointer
        else { return next }
        chained.registers = caller
        return chained
    }

    /// Scans farther if the nearest part of the stack has nothing, as below a large buffer.
    private func scanFar(_ scan: StackScan, after count: Int, _ remainingWords: inout Int) -> Registers? {
        let far = min(remainingWords, limits.scannedFarBytes / lookup.processor.registerSize - count)
        guard far > 0 else { return nil }
        remainingWords -= far
        return scan.caller(wordCount: count + far, onlyFunctions: true)
    }

    /// - Parameter isInjected: a signal's handler made the call, so that no call instruction is before the return address.
    private func byFramePointer(_ state: FrameState, isInjected: Bool) -> FrameState? {
        if state.isInterrupted, let caller = entered(state), isPlausible(caller, after: state) {
            return FrameState(registers: caller, trust: .framePointer, isInterrupted: false)
        }
        guard usesFramePointers else { return nil }
        for var caller in FramePointers(registers: state.registers, memory: memory).callers {
            caller.programCounter = lookup.stripped(caller.programCounter)
            if isInjected, rises(from: state, to: caller), lookup.isCode(caller.programCounter) {
                return FrameState(registers: caller, trust: .framePointer, isInterrupted: true, isOfChain: true)
            }
            guard isPlausible(caller, after: state) else { continue }
            if let caller = StackScan(registers: state.registers, lookup: lookup, skipped: nil).caller(leftOutBefore: caller) {
                return FrameState(registers: caller, trust: .scan, isInterrupted: false)
            }
            return FrameState(registers: caller, trust: .framePointer, isInterrupted: false, isOfChain: true)
        }
        return nil
    }

    private func isPlausible(_ caller: Registers, after state: FrameState) -> Bool {
        rises(from: state, to: caller) && (lookup.mayReturn(to: caller.programCounter) || isUnlistedCode(caller))
            && !memory.areTogether(caller.programCounter, caller.stackPointer)
    }

    /// Returns the caller of a function that has not saved a frame yet: it was just called, or makes no
    /// calls. Also for an address without code, as after a call of a null pointer.
    private func entered(_ state: FrameState) -> Registers? {
        var caller = state.registers
        let counter = lookup.plain(caller.programCounter)
        let start = lookup.functionStart(counter)
        if let link = caller.link.map(lookup.stripped), link != 0 {
            // A return address in the same function is left over from a call that has returned. An address in
            // another image is not: a call leaves an address in its own image. For example `memset` of a
            // library without files, called by the program.
            let isElsewhere = start != nil ? start != lookup.functionStart(link) : !lookup.areInOneImage(counter, link)
            guard !lookup.isCode(counter) || isElsewhere else { return nil }
            // Already saved: the frame pointer leads to it.
            let saved = FramePointers(registers: caller, memory: memory).callers.first
            if let saved, lookup.stripped(saved.programCounter) == link { return nil }
            // The window's %o7 may be left over from any call. One of this function is in %i7 if it has a window of its own.
            if let saved, caller.processor.hasWindows, let start, lookup.called(beforeReturningTo: saved.programCounter) == start {
                return nil
            }
            caller.programCounter = link
            return caller
        }
        guard caller.processor.link == nil, start == counter || !lookup.isCode(counter),
            let address = memory.read(caller.stackPointer, size: caller.processor.registerSize)
        else { return nil }
        caller.stackPointer &+= UInt64(caller.processor.registerSize)
        caller.programCounter = address
        return caller
    }
}

extension Unwinder.FrameState {
    fileprivate var frame: UnwoundFrame {
        UnwoundFrame(
            programCounter: registers.programCounter, stackPointer: registers.stackPointer, trust: trust,
            isExact: isInterrupted || isTrampoline || isSynthetic, isOverwritten: isOverwritten)
    }
}
