/// Goes from a frame to its caller by an encoding of `__unwind_info`.
///
/// An encoding describes the body of a function, not its first and last instructions.
struct CompactStep {
    let registers: Registers
    let memory: Memory

    private var word: UInt64 { UInt64(registers.processor.registerSize) }

    /// Follows a chain of frame pointers.
    func frame(below: Int, _ saved: [Int?]) -> CallerStep {
        guard let frame = registers.framePointer else { return .failed }
        var caller = registers
        let start = frame &- UInt64(below)
        for (index, register) in saved.enumerated() {
            guard let register else { continue }
            caller[register] = memory.read(start &+ UInt64(index) &* word, size: Int(word))
        }
        guard let next = memory.read(frame, size: Int(word)) else { return .missingMemory(frame) }
        guard let counter = memory.read(frame &+ word, size: Int(word)) else { return .missingMemory(frame &+ word) }
        caller[registers.processor.framePointer] = next
        caller.programCounter = counter
        caller.stackPointer = frame &+ 2 &* word
        return .caller(caller, isExact: false)
    }

    /// Uses the size of the frame.
    func frameless(size: Int, _ saved: [Int]) -> CallerStep {
        var caller = registers
        let end = registers.stackPointer &+ UInt64(size)
        // If calls push it, the return address is the last word.
        let isPushed = registers.processor.link == nil
        let start = end &- (isPushed ? word : 0) &- UInt64(saved.count) &* word
        for (index, register) in saved.enumerated() {
            caller[register] = memory.read(start &+ UInt64(index) &* word, size: Int(word))
        }
        if isPushed {
            guard let counter = memory.read(end &- word, size: Int(word)) else { return .missingMemory(end &- word) }
            caller.programCounter = counter
        } else {
            guard let link = registers.link else { return .failed }
            caller.programCounter = link
        }
        caller.stackPointer = end
        return .caller(caller, isExact: false)
    }
}
