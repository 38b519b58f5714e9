/// Searches the stack for a number that may be a return address.
///
/// It must follow a call, in a function of a module. It may still be left over from a call that has returned,
/// and a frame may be missing before it. The target of that call is further evidence: a call of the current
/// function is best.
struct StackScan {
    let registers: Registers
    let lookup: CodeLookup
    /// A return address to ignore.
    let skipped: UInt64?

    /// Maximum distance in bytes of a caller's frame from the return address.
    private static let maxDistance: UInt64 = 8 << 20

    private enum Worth: Int {
        /// Another function is called: of another module, or the current address is in no known function; a
        /// function that may have jumped here, or an unknown one; the current function.
        case another, unknown, this
    }

    /// - Parameters:
    ///   - wordCount: number of words to read.
    ///   - onlyDirect: only direct calls of this function count.
    ///   - onlyFunctions: only what follows a call in a function of a file counts, and the first is taken.
    ///   - takesNearest: the first is the best, because the current function is not known.
    func caller(wordCount: Int, onlyDirect: Bool = false, onlyFunctions: Bool = false, takesNearest: Bool = false) -> Registers? {
        let start = lookup.functionStart(registers.programCounter)
        let here = lookup.plain(registers.programCounter)
        let isCode = lookup.modules.module(holding: here) != nil
        var best: (worth: Worth, value: UInt64, address: UInt64)?
        forEachReturn(wordCount: wordCount) { value, address in
            if onlyFunctions, !lookup.followsCall(value) { return true }
            let worth: Worth =
                switch lookup.called(beforeReturningTo: value) {
                // Few functions jump out of their module. For example, the call of `main` is through a
                // register, and nearer on the stack there may still be the return address of the loader's
                // call of a function of its own, `__tunable_get_val`.
                case let target?: target == start ? .this : isCode && lookup.areInOneImage(target, here) ? .unknown : .another
                case nil: .unknown
                }
            if onlyDirect, worth != .this { return true }
            if best.map({ worth.rawValue > $0.worth.rawValue }) ?? true { best = (worth, value, address) }
            return worth != .this && !onlyFunctions && !takesNearest
        }
        return best.map { caller(returningTo: $0.value, savedAt: $0.address) }
    }

    /// Returns the caller that a chain of frame pointers leaves out: `next` is the frame that the chain leads
    /// to, if the call there is not known to be one of this function.
    ///
    /// For example, `strlen` keeps no frame pointer, so the register holds its caller's, which leads to the
    /// caller of that one.
    func caller(leftOutBefore next: Registers) -> Registers? {
        // Each function that makes calls has its window.
        guard !registers.processor.hasWindows else { return nil }
        let here = lookup.functionStart(registers.programCounter)
        let missing = lookup.called(beforeReturningTo: next.programCounter)
        guard missing != here else { return nil }
        let size = UInt64(registers.processor.registerSize)
        // The record has two words.
        let wordCount = (next.stackPointer &- registers.stackPointer) / size
        guard next.stackPointer > registers.stackPointer, wordCount > 2, wordCount < 1 << 12 else { return nil }
        var found: Registers?
        forEachReturn(wordCount: Int(wordCount) - 2) { value, address in
            let target = lookup.called(beforeReturningTo: value)
            // If the called function is not known, only a call of this function is sure.
            let isCaller =
                if let missing {
                    lookup.functionStart(lookup.plain(value) - 1) == missing && (target == nil || target == here)
                } else {
                    target == here
                }
            guard isCaller else { return true }
            found = registers
            found?.programCounter = value
            found?.stackPointer = address &+ size
            return false
        }
        return found
    }

    /// Calls `body` with each number that may be a return address, and its address on the stack, as long as
    /// it returns `true`.
    private func forEachReturn(wordCount: Int, _ body: (_ value: UInt64, _ address: UInt64) -> Bool) {
        let size = registers.processor.registerSize
        let word = UInt64(size)
        let start = (registers.stackPointer &+ word &- 1) & ~(word &- 1)
        guard start >= registers.stackPointer else { return }
        for index in 0..<UInt64(max(0, wordCount)) {
            let (address, overflow) = start.addingReportingOverflow(index * word)
            // A stack ends where the processor's addresses do.
            let above = address &+ word
            guard !overflow, above > address, lookup.linked(above) == above, let saved = lookup.memory.read(address, size: size) else {
                return
            }
            let value = registers.processor.returnAddress(saved: saved)
            if value == skipped { continue }
            guard value != lookup.entry, lookup.mayReturn(to: value, onlyModules: true) else { continue }
            guard body(value, address) else { return }
        }
    }

    private func caller(returningTo value: UInt64, savedAt address: UInt64) -> Registers {
        let word = UInt64(registers.processor.registerSize)
        var caller = registers
        caller.programCounter = value
        caller.stackPointer = address &+ word
        // Compilers save the caller's frame pointer just below the return address, if at all; otherwise they
        // leave it in its register.
        let below = address >= word ? lookup.memory.read(address - word, size: Int(word)) : nil
        if registers.processor.hasWindows {
            // Saved below it is the caller's stack pointer.
            if let below, case let frame = lookup.linked(below &+ registers.processor.stackBias), frame > address,
                lookup.memory.holds(frame)
            {
                caller.stackPointer = frame
            }
            caller.loadWindow(lookup.memory)
        } else if let below, below > address, below - address < Self.maxDistance, lookup.memory.holds(below) {
            caller[registers.processor.framePointer] = below
        } else if let frame = registers.framePointer, frame < caller.stackPointer {
            caller[registers.processor.framePointer] = nil
        }
        return caller
    }
}
