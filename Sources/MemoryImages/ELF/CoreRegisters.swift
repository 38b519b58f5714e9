internal import BinaryPrimitives
internal import Unwinding

/// Layout of a thread's registers in a core's `NT_PRSTATUS` (Linux, `arch/*/include/asm/elf.h` and `user.h`):
/// `elf_prstatus` begins with the signal, then the process's number and times.
struct CoreRegisters {
    private(set) var processor: Processor
    /// The file's class; x32 has narrow headers and wide registers.
    let isWide: Bool
    let order: ByteOrder

    init?(machine: UInt16, isWide: Bool, _ order: ByteOrder) {
        switch (machine, isWide) {
        case (62, _): processor = .x86_64
        case (3, _): processor = .i386
        case (183, _): processor = .arm64
        case (40, _): processor = .arm
        case (243, true): processor = .riscv64
        case (243, false): processor = .riscv32
        case (21, _): processor = .powerPC64
        case (20, _): processor = .powerPC
        case (22, true): processor = .s390x
        case (22, false): processor = .s390
        case (4, _): processor = .m68k
        case (8, true): processor = .mips64
        case (8, false): processor = .mips
        case (258, true): processor = .loongArch64
        case (43, true): processor = .sparc64
        case (2, false), (18, false): processor = .sparc
        default: return nil
        }
        self.isWide = isWide
        self.order = order
    }

    /// MIPS n32 has 64-bit registers in a file of 32 bits. The flags of its header are not always there, the size of a thread's
    /// status is (Linux, `arch/mips/kernel/binfmt_elfn32.c`).
    mutating func adapt(toStatusOf size: Int) { if processor == .mips, size == 440 { processor = .mips64 } }

    /// DWARF's number for each word of the register set; -1 is the program counter, `nil` none of these.
    private var layout: [Int?] {
        switch processor {
        // r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp
        case .x86_64: [15, 14, 13, 12, 6, 3, 11, 10, 9, 8, 0, 2, 1, 4, 5, nil, -1, nil, nil, 7]
        // ebx ecx edx esi edi ebp eax ds es fs gs orig_eax eip cs eflags esp
        case .i386: [3, 1, 2, 6, 7, 5, 0, nil, nil, nil, nil, nil, -1, nil, nil, 4]
        case .arm64: Array(0...31) + [-1]
        case .arm: Array(0...14) + [-1]
        case .riscv64, .riscv32: [-1] + Array(1...31)
        // gpr0-31 nip msr orig_gpr3 ctr link
        case .powerPC64, .powerPC: Array(0...31) + [-1, nil, nil, 66, 65]
        // psw: mask, address
        case .s390x, .s390: [64, -1] + Array(0...15)
        // d1-d7 a0-a6 d0 usp orig_d0 sr pc
        case .m68k: Array(1...7) + Array(8...14) + [0, 15, nil, nil, -1]
        // lo hi epc
        case .mips64: Array(0...31) + [nil, nil, -1]
        // Six words of arguments first.
        case .mips: [Int?](repeating: nil, count: 6) + Array(0...31) + [nil, nil, -1]
        // orig_a0 era
        case .loongArch64: Array(0...31) + [nil, -1]
        // %g0-%g7 %o0-%o7 %l0-%l7 %i0-%i7, the state, pc
        case .sparc64, .sparc: Array(0...31) + [nil, -1]
        }
    }

    /// Reads a register set.
    /// - Parameter layout: DWARF's number for each of its values; -1 is the program counter, `nil` none of these.
    /// - Returns: `nil` if it is cut short.
    func registers(_ layout: [Int?], in content: RawSpan, at start: Int) -> Registers? {
        let size = processor.registerSize
        var registers = Registers(processor, programCounter: 0, stackPointer: 0)
        for (index, register) in layout.enumerated() {
            guard let register else { continue }
            guard let value = try? content.unsigned(size: size, at: start + index * size, order) else { return nil }
            if register == -1 { registers.programCounter = value } else { registers[register] = value }
        }
        return registers
    }

    /// A thread of `NT_PRSTATUS`.
    func thread(_ status: RawSpan) -> MemoryImage.Thread? {
        // m68k aligns to two bytes, and its field of the signal has no filling.
        let start = isWide ? 112 : processor == .m68k ? 70 : 72
        let size = processor.registerSize
        guard var registers = registers(layout, in: status, at: start) else { return nil }
        if processor == .s390 { registers.programCounter &= 0x7fff_ffff }
        // cpsr: T, Thumb.
        if processor == .arm, let state = try? status.value(UInt32.self, at: start + 16 * 4, order), state >> 5 & 1 == 1 {
            registers.programCounter |= 1
        }
        guard let id = try? status.value(UInt32.self, at: isWide ? 32 : processor == .m68k ? 22 : 24, order) else { return nil }
        var thread = MemoryImage.Thread(id: UInt64(id), registers: registers)
        // After ss: fs_base.
        if processor == .x86_64 { thread.threadPointer = try? status.value(UInt64.self, at: start + 21 * size, order) }
        if let number = try? status.value(Int16.self, at: 12, order), number > 0 { thread.signal = MemoryImage.Signal(number: Int(number)) }
        return thread
    }
}
