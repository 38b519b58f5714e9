package import BinaryPrimitives

/// Walks stacks: registers and memory in, frames out.
///
/// A caller is found by a rule for the address, else by the frame pointer, else by scanning the stack; each
/// result is checked.
package struct Unwinder {
    let places: CodePlaces
    let memory: Memory
    private let usesFramePointers: Bool
    private let limits: Limits

    /// - Parameters:
    ///   - usesFramePointers: `false` if frame pointers form no chain, as on 64-bit Windows.
    ///     Windows.
    ///   - codeMask: the bits that a signature of a return address may be in (`NT_ARM_PAC_MASK`); `nil` if
    ///     that is not known.
    ///     `nil` where that is not known.
    ///   - entry: the program's entry point, which is on the main thread's stack among the values that the
    ///     kernel passes to a program, and may follow a call.
    ///     kernel hands to a program, and may follow a call.
    package init(
        _ modules: ModuleMap, _ memory: Memory, _ processor: Processor, codeMask: UInt64? = nil, entry: UInt64? = nil,
        usesFramePointers: Bool = true, limits: Limits = .standard
    ) {
        places = CodePlaces(modules, memory, processor, codeMask: codeMask, entry: entry)
        self.memory = memory
        self.usesFramePointers = usesFramePointers
        self.limits = limits
    }

    /// A frame while its caller is looked for.
    struct Place {
        var registers: Registers
        var trust: FrameTrust
        /// The frame was interrupted by a signal, or is the innermost.
        var isInterrupted: Bool
        /// Its frame pointer is part of the chain that led here.
        var isOfChain = false
        /// It is the code that a signal handler returns to.
        var isTrampoline = false
        /// A program made the frame, from which nothing was called.
        var isMade = false
        /// Bytes of parameters that it pushed for the frame that it called (32-bit Windows).
        var calleeParameters: UInt64 = 0
    }

    /// Unwinds the stack whose innermost frame has the given registers.
    /// - Parameter maxFrames: maximum number of frames; `Limits` may allow fewer.
    package func stack(from registers: Registers, maxFrames: Int = .max) -> UnwoundStack {
        let maxFrames = min(maxFrames, limits.framesPerThread)
        var place = Place(registers: registers, trust: .context, isInterrupted: true)
        var stack = UnwoundStack(frames: [place.frame], end: .nothingFound)
        var signals = 0
        var words = limits.scannedWordsPerStack
        while true {
            guard stack.frames.count < maxFrames else {
                stack.end = .tooManyFrames
                return stack
            }
            switch caller(of: place, &words) {
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
                place = next
                // A handler returns to the first byte of a trampoline, which follows no call. The rules of
                // most C libraries, not all, begin one byte before it.
                place.isTrampoline = !next.isInterrupted && places.isTrampoline(next.registers.programCounter)
                if !next.isInterrupted, !place.isTrampoline, next.trust == .cfi {
                    place.isMade = places.rule(returningTo: places.plain(next.registers.programCounter)).isMade
                }
                stack.frames.append(place.frame)
            case .end(let end):
                stack.end = end
                return stack
            }
        }
    }

    private enum Outcome {
        case found(Place)
        case end(StackEnd)
    }

    private func caller(of place: Place, _ words: inout Int) -> Outcome {
        var end = StackEnd.nothingFound
        switch byRules(place) {
        case .found(let next): return .found(next)
        case .end(.outermost): return byDirectCall(place, &words).map { .found($0) } ?? .end(.outermost)
        case .end(let reason): end = reason
        }
        if place.isOfChain, FramePointers(registers: place.registers, memory: memory).isEnd { return .end(.outermost) }
        if let next = byUnknownTrampoline(place) ?? byFramePointer(place) { return .found(next) }
        let isSure = place.trust == .context || place.trust == .cfi
        let count = min(words, isSure ? limits.scannedWords : limits.scannedWordsAgain)
        words -= count
        // If calls store the return address in a register, a function saves the value that it was called
        // with. That value led to this frame, unless the frame was found by a scan.
        let skipped = place.trust != .scan && places.processor.link != nil ? place.registers.programCounter : nil
        if let registers = StackScan(registers: place.registers, places: places, skipped: skipped).caller(words: count) {
            return .found(Place(registers: registers, trust: .scan, isInterrupted: false))
        }
        return .end(end)
    }

    // MARK: Rules

    private func byRules(_ place: Place) -> Outcome {
        let counter = places.plain(place.registers.programCounter)
        var found: CallerStep?
        var trust = FrameTrust.cfi
        var parameters: UInt64 = 0
        if place.isTrampoline {
            (found, trust) = interrupted(place, at: counter) ?? (nil, .cfi)
        } else {
            guard place.isInterrupted || counter > 0 else { return .end(.nothingFound) }
            let rule = place.isInterrupted ? places.rule(at: counter) : places.rule(returningTo: counter).rule
            // A hand-written function without calls has the same mark as the outermost.
            if place.isInterrupted, case .cannotUnwind? = rule { return .end(.nothingFound) }
            found = rule?.caller(of: place.registers, memory, calleeParameters: place.calleeParameters)
            // Compact unwind information describes neither the first nor the last instructions of a
            // function.
            if place.isInterrupted, rule?.isOfBody == true, case .caller(let caller, _)? = found,
                !places.mayReturn(to: places.stripped(caller.programCounter))
            {
                found = nil
            }
            parameters = rule?.parameters ?? 0
        }
        switch found {
        case nil, .failed?: return .end(.nothingFound)
        case .outermost?: return .end(.outermost)
        case .missingMemory(let address)?: return .end(.missingMemory(address))
        case .caller(var caller, let isExact)?:
            caller.programCounter = places.stripped(caller.programCounter)
            // The interrupted code may have called a null pointer.
            guard caller.programCounter != 0 || isExact && memory.holds(caller.stackPointer) else { return .end(.outermost) }
            // The rules of its function apply only after a call, and the frame pointer may be any function's.
            if place.isMade, !isExact, !places.mayReturn(to: caller.programCounter) { return .end(.outermost) }
            guard isExact || rises(from: place, to: caller) else { return .end(.stackDoesNotRise) }
            guard isExact || places.isCode(caller.programCounter) else { return .end(.leadsNowhere(caller.programCounter)) }
            return .found(Place(registers: caller, trust: trust, isInterrupted: isExact, calleeParameters: parameters))
        }
    }

    /// Returns the frame that a signal interrupted, if the code that led here is not known: after a handler,
    /// the stack pointer points to the signal's context, even if that code itself crashed.
    private func byUnknownTrampoline(_ place: Place) -> Place? {
        guard !place.isTrampoline, place.trust != .scan, SignalContext.isRecognized(places.processor) else {
            return nil
        }
        let saved = SignalContext(registers: place.registers, memory: memory).interrupted()
        guard isPlausible(saved), case .caller(let caller, _) = saved else { return nil }
        return Place(registers: caller, trust: .scan, isInterrupted: true)
    }

    /// Returns the frame that a signal interrupted, and how reliable it is.
    ///
    /// The rules of arm64's vDSO are for the record of `x29` and `x30` that the kernel pushes: they
    /// lead to the caller of the frame that was interrupted (Linux,
    /// `arch/arm64/kernel/vdso/sigreturn.S`).
    private func interrupted(_ place: Place, at counter: UInt64) -> (CallerStep, FrameTrust)? {
        let saved = SignalContext(registers: place.registers, memory: memory).interrupted()
        if places.processor == .arm64, isPlausible(saved) { return (saved, .cfi) }
        let found = places.rule(at: counter)?.caller(of: place.registers, memory, calleeParameters: 0)
        if let found, case .caller(_, isExact: true) = found { return (found, .cfi) }
        if isPlausible(saved) { return (saved, .cfi) }
        // If a handler has no rules, the size of its own frame is not known.
        guard place.trust == .framePointer || place.trust == .scan else { return nil }
        var registers = place.registers
        for _ in 0..<limits.scannedWords {
            registers.stackPointer &+= UInt64(places.processor.registerSize)
            let saved = SignalContext(registers: registers, memory: memory).interrupted()
            if isPlausible(saved) { return (saved, .scan) }
        }
        return nil
    }

    /// Whether registers that seem to be saved belong to code, with a stack. There is no other evidence that
    /// the address is right.
    private func isPlausible(_ saved: CallerStep) -> Bool {
        guard case .caller(let registers, _) = saved else { return false }
        return places.isCode(registers.programCounter) && memory.holds(registers.stackPointer)
            && places.plain(registers.programCounter) & (places.processor.instructionAlignment - 1) == 0
            && registers.stackPointer & UInt64(places.processor.registerSize - 1) == 0
    }

    /// Whether the stack pointer rises. A function that saves nothing leaves it unchanged; a function that
    /// called another one has at least saved its return address.
    private func rises(from place: Place, to caller: Registers) -> Bool {
        let (before, after) = (place.registers.stackPointer, caller.stackPointer)
        if after > before { return true }
        return after == before && place.isInterrupted && places.processor.link != nil
            && caller.programCounter != place.registers.programCounter
    }

    // MARK: Without rules

    /// Returns the caller of a function of 32-bit ARM that no exception passes through, which the index marks
    /// like the outermost function: a function that calls it directly.
    ///
    /// For example, `exit`, which has callers, and `_start`, which has none.
    private func byDirectCall(_ place: Place, _ words: inout Int) -> Place? {
        guard !place.isInterrupted, !place.isTrampoline, places.processor == .arm,
            case .cannotUnwind? = places.rule(returningTo: places.plain(place.registers.programCounter)).rule
        else { return nil }
        let count = min(words, limits.scannedWords)
        words -= count
        let scan = StackScan(registers: place.registers, places: places, skipped: nil)
        return scan.caller(words: count, onlyDirect: true).map { Place(registers: $0, trust: .scan, isInterrupted: false) }
    }

    private func byFramePointer(_ place: Place) -> Place? {
        if place.isInterrupted, let caller = entered(place), isPlausible(caller, after: place) {
            return Place(registers: caller, trust: .framePointer, isInterrupted: false)
        }
        guard usesFramePointers else { return nil }
        for var caller in FramePointers(registers: place.registers, memory: memory).callers {
            caller.programCounter = places.stripped(caller.programCounter)
            guard isPlausible(caller, after: place) else { continue }
            if let caller = StackScan(registers: place.registers, places: places, skipped: nil).caller(leftOutBefore: caller) {
                return Place(registers: caller, trust: .scan, isInterrupted: false)
            }
            return Place(registers: caller, trust: .framePointer, isInterrupted: false, isOfChain: true)
        }
        return nil
    }

    private func isPlausible(_ caller: Registers, after place: Place) -> Bool {
        rises(from: place, to: caller) && places.mayReturn(to: caller.programCounter)
            && !memory.areTogether(caller.programCounter, caller.stackPointer)
    }

    /// Returns the caller of a function that has not saved a frame yet: it was just called, or makes no
    /// calls. Also for an address without code, as after a call of a null pointer.
    private func entered(_ place: Place) -> Registers? {
        var caller = place.registers
        let counter = places.plain(caller.programCounter)
        let start = places.functionStart(counter)
        if let link = caller.link.map(places.stripped), link != 0 {
            // A return address in the same function is left over from a call that has returned. An address in
            // another image is not: a call leaves an address in its own image. For example `memset` of a
            // library without files, called by the program.
            let isElsewhere = start != nil ? start != places.functionStart(link) : !places.areInOneImage(counter, link)
            guard !places.isCode(counter) || isElsewhere else { return nil }
            // Already saved: the frame pointer leads to it.
            let saved = FramePointers(registers: caller, memory: memory).callers.first
            if let saved, places.stripped(saved.programCounter) == link { return nil }
            caller.programCounter = link
            return caller
        }
        guard caller.processor.link == nil, start == counter || !places.isCode(counter),
            let address = memory.read(caller.stackPointer, size: caller.processor.registerSize)
        else { return nil }
        caller.stackPointer &+= UInt64(caller.processor.registerSize)
        caller.programCounter = address
        return caller
    }
}

extension Unwinder.Place {
    fileprivate var frame: UnwoundFrame {
        UnwoundFrame(
            programCounter: registers.programCounter, stackPointer: registers.stackPointer, trust: trust,
            isExact: isInterrupted || isTrampoline || isMade)
    }
}
