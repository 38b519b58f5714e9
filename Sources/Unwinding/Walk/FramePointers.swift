/// Goes from a frame to its caller by the frame pointer that compilers save.
///
/// For example, `push %rbp; mov %rsp, %rbp` on x86-64: at `rbp` is the caller's `rbp`, above it the
/// return address.
struct FramePointers {
    let registers: Registers
    let memory: Memory

    private var word: UInt64 { UInt64(registers.processor.registerSize) }

    /// The callers that the frame pointer may lead to, the most usual layout first; none of them is checked.
    var callers: [Registers] {
        switch registers.processor {
        case .x86_64, .i386, .arm64, .m68k:
            return [record(registers.processor.framePointer, next: 0, counter: 1, end: 2)].compactMap(\.self)
        case .arm:
            // The record of AAPCS: with `r7` in Thumb code, as clang writes it. gcc's `r11` points
            // to the second word of its record.
            let isThumb = registers.programCounter & 1 == 1
            return (isThumb ? [7, 11] : [11, 7]).compactMap { record($0, next: 0, counter: 1, end: 2) }
                + [record(11, next: -1, counter: 0, end: 1)].compactMap(\.self)
        // The frame pointer is the stack pointer before the call, the record below it (RISC-V
        // psABI, "Frame Pointer Convention"; LoongArch's is the same).
        case .riscv64, .riscv32, .loongArch64:
            return [record(registers.processor.framePointer, next: -2, counter: -1, end: 0)].compactMap(\.self)
        // Each frame begins with the address of the one before, where the return address is saved
        // in its third word (64-bit ELF ABI) or second (32-bit).
        case .powerPC64: return backChain(counter: 16)
        case .powerPC: return backChain(counter: 4)
        case .sparc64, .sparc: return [window()].compactMap(\.self)
        case .s390x, .s390, .mips64, .mips: return []
        }
    }

    /// The caller of a frame with a window of registers, `%i6` and `%i7` of which are the caller's stack pointer and the call's
    /// address. The caller's own window is in memory.
    private func window() -> Registers? {
        guard let pointer = registers.inWindow(30, memory), let call = registers.inWindow(31, memory), pointer != 0 else { return nil }
        var caller = registers
        caller[registers.processor.stackPointer] = pointer
        caller[15] = call
        caller.programCounter = registers.processor.returnAddress(saved: call)
        caller.loadWindow(memory)
        return caller
    }

    /// Whether the chain ends here: with zero (System V ABI for x86-64, section 3.4.1; the others
    /// have the same, but for 32-bit ARM, where few functions keep one), or with a record of zeros,
    /// as on Windows.
    var isEnd: Bool {
        switch registers.processor {
        case .arm: false
        case .powerPC64, .powerPC: memory.read(registers.stackPointer, size: Int(word)) == 0
        default: registers.framePointer == 0 || callers.first.map { $0.programCounter == 0 && $0.framePointer == 0 } ?? false
        }
    }

    /// A record of the caller's frame pointer and the return address.
    /// - Parameters: offsets in words from the frame pointer.
    private func record(_ register: Int, next: Int64, counter: Int64, end: Int64) -> Registers? {
        guard let frame = registers[register], frame >= registers.stackPointer, frame & (word - 1) == 0 else { return nil }
        func wordAddress(_ index: Int64) -> UInt64 { registers.processor.cut(frame &+ UInt64(bitPattern: index) &* word) }
        guard let pointer = memory.read(wordAddress(next), size: Int(word)),
            let address = memory.read(wordAddress(counter), size: Int(word))
        else {
            return nil
        }
        var caller = registers
        caller[register] = pointer
        caller.stackPointer = wordAddress(end)
        caller.programCounter = address
        return caller
    }

    private func backChain(counter: UInt64) -> [Registers] {
        let stackPointer = registers.stackPointer
        guard let next = memory.read(stackPointer, size: Int(word)), next > stackPointer,
            let address = memory.read(next &+ counter, size: Int(word))
        else { return [] }
        var caller = registers
        caller.stackPointer = next
        caller.programCounter = address
        return [caller]
    }
}
