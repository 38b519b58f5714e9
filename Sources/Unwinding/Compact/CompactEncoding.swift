/// The 32 bits of a function in `__unwind_info`, decoded.
///
/// For example, `0x04000001` on arm64: a frame with `x29` and `x30`, below which `x19` and `x20`
/// are saved. The meaning is LLVM's, `libunwind/src/CompactUnwinder.hpp`.
package enum CompactEncoding: Hashable, Sendable {
    /// A chain of frame pointers. Registers are saved from `below` bytes below the frame pointer upwards;
    /// `nil` stands for a word that holds none.
    case frame(below: Int, registers: [Int?])
    /// No frame pointer: `size` is the number of bytes between the stack pointer and the end of the return
    /// address (on arm64 the caller's stack pointer); registers are saved just below the return address,
    /// upwards.
    case frameless(size: Int, registers: [Int])
    /// As `frameless`, with the size in the instruction that subtracts it from the stack pointer, `offset`
    /// bytes into the function.
    case framelessIndirect(offset: Int, adjustment: Int, registers: [Int])
    /// A frame description, at this offset in `__eh_frame`.
    case description(Int)

    /// - Returns: `nil` if there is no information (0), or the encoding is not known.
    package init?(_ encoding: UInt32, _ processor: Processor) {
        let mode = encoding >> 24 & 0xf
        switch (processor, mode) {
        case (.x86_64, 4), (.i386, 4), (.arm64, 3): self = .description(Int(encoding & 0xff_ffff))
        case (.x86_64, 1), (.i386, 1):
            let numbers = Self.numbers(processor)
            let registers = (0..<5).map { numbers[Int(encoding >> UInt32($0 * 3) & 7)] }
            self = .frame(below: Int(encoding >> 16 & 0xff) * processor.registerSize, registers: registers)
        case (.x86_64, 2), (.i386, 2), (.x86_64, 3), (.i386, 3):
            let count = Int(encoding >> 10 & 7)
            guard let registers = Self.permuted(count, Int(encoding & 0x3ff), Self.numbers(processor)) else { return nil }
            let size = Int(encoding >> 16 & 0xff)
            let word = processor.registerSize
            self =
                mode == 2
                ? .frameless(size: size * word, registers: registers)
                : .framelessIndirect(offset: size, adjustment: Int(encoding >> 13 & 7) * word, registers: registers)
        case (.arm64, 4):
            // Pairs, from the frame pointer down: so from below, the last first.
            let saved = Self.pairs(encoding)
            self = .frame(below: saved.count * 8, registers: saved)
        case (.arm64, 2): self = .frameless(size: Int(encoding >> 12 & 0xfff) * 16, registers: Self.pairs(encoding).compactMap(\.self))
        default: return nil
        }
    }

    /// DWARF's numbers of `rbx r12 r13 r14 r15 rbp`, and of `ebx ecx edx edi esi ebp`.
    private static func numbers(_ processor: Processor) -> [Int?] {
        processor == .x86_64 ? [nil, 3, 12, 13, 14, 15, 6, nil] : [nil, 3, 1, 2, 7, 6, 5, nil]
    }

    /// The pairs of an arm64 function, upwards. The words of `d8` to `d15` are counted, and hold no
    /// register that unwinding needs.
    private static func pairs(_ encoding: UInt32) -> [Int?] {
        var downwards: [Int?] = []
        for pair in 0..<5 where encoding >> UInt32(pair) & 1 == 1 { downwards += [19 + pair * 2, 20 + pair * 2] }
        for pair in 0..<4 where encoding >> UInt32(pair + 8) & 1 == 1 { downwards += [nil, nil] }
        return downwards.reversed()
    }

    /// Decodes a permutation's number into registers: each digit is the index among those that are not used
    /// yet.
    private static func permuted(_ count: Int, _ permutation: Int, _ numbers: [Int?]) -> [Int]? {
        guard count <= 6 else { return nil }
        var rest = permutation
        var free = Array(1...6)
        var registers: [Int] = []
        for position in 0..<count {
            // Number of orders that the registers after this one can have.
            var orders = 1
            for later in position + 1..<max(count, position + 1) { orders *= 6 - later }
            let index = rest / orders
            rest -= index * orders
            guard index < free.count else { return nil }
            guard let register = numbers[free.remove(at: index)] else { return nil }
            registers.append(register)
        }
        return registers
    }
}

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
