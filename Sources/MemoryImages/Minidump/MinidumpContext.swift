internal import BinaryPrimitives
internal import Unwinding

/// Layout of a thread's registers in its context (Microsoft, `winnt.h`, `CONTEXT`; Breakpad,
/// `minidump_cpu_*.h` for processors that Windows does not run on).
///
/// The bytes after the registers, for example vectors, may be missing: LLDB writes 720 bytes for x86-64,
/// Windows 1,232.
struct MinidumpContext {
    let processor: Processor
    let order: ByteOrder

    private struct Layout {
        /// Position of the flags, and the bits of which at least one is set for this processor.
        var flags: (offset: Int, size: Int, any: UInt64)
        /// Registers by DWARF's numbers, and their offsets.
        var registers: [(number: Int, offset: Int)]
        var counter: Int
        var size: Int
    }

    private static func counted(_ numbers: ClosedRange<Int>, from offset: Int, size: Int) -> [(number: Int, offset: Int)] {
        numbers.map { ($0, offset + ($0 - numbers.lowerBound) * size) }
    }

    private var layout: Layout {
        switch processor {
        case .x86_64:
            // rax rcx rdx rbx rsp rbp rsi rdi r8 … r15 rip
            let registers = [0, 2, 1, 3, 7, 6, 4, 5].enumerated().map { (number: $1, offset: 120 + 8 * $0) }
            return Layout(
                flags: (48, 4, 0x10_0000), registers: registers + Self.counted(8...15, from: 184, size: 8), counter: 248, size: 8)
        case .i386:
            // edi esi ebx edx ecx eax ebp eip cs eflags esp
            let registers = [7, 6, 3, 2, 1, 0, 5].enumerated().map { (number: $1, offset: 156 + 4 * $0) }
            return Layout(flags: (0, 4, 0x1_0000), registers: registers + [(4, 196)], counter: 184, size: 4)
        case .arm:
            return Layout(flags: (0, 4, 0x4020_0000), registers: Self.counted(0...14, from: 4, size: 4), counter: 64, size: 4)
        case .arm64:
            // Breakpad's older layout has wider flags, and is the same up to here.
            return Layout(flags: (0, 4, 0x8040_0000), registers: Self.counted(0...31, from: 8, size: 8), counter: 264, size: 8)
        case .mips, .mips64:
            // Wide registers on both.
            return Layout(flags: (0, 4, 0xc_0000), registers: Self.counted(0...31, from: 8, size: 8), counter: 312, size: 8)
        case .powerPC64:
            return Layout(
                flags: (0, 8, 0x100_0000), registers: Self.counted(0...31, from: 24, size: 8) + [(65, 296), (66, 304)], counter: 8, size: 8)
        case .powerPC:
            return Layout(
                flags: (0, 4, 0x2000_0000), registers: Self.counted(0...31, from: 12, size: 4) + [(65, 148), (66, 152)], counter: 4, size: 4
            )
        case .riscv64:
            return Layout(flags: (0, 4, 0x800_0000), registers: Self.counted(1...31, from: 16, size: 8), counter: 8, size: 8)
        case .riscv32:
            return Layout(flags: (0, 4, 0x80_0000), registers: Self.counted(1...31, from: 12, size: 4), counter: 8, size: 4)
        case .loongArch64:
            return Layout(flags: (0, 4, 0x80_0000), registers: Self.counted(0...31, from: 8, size: 8), counter: 264, size: 8)
        case .s390x, .s390, .m68k, .sparc64, .sparc: return Layout(flags: (0, 4, 0), registers: [], counter: 0, size: 8)
        }
    }

    /// - Returns: `nil` if the context is cut short, or belongs to another processor.
    func registers(_ context: RawSpan) -> Registers? {
        let layout = layout
        guard let flags = try? context.unsigned(size: layout.flags.size, at: layout.flags.offset, order), flags & layout.flags.any != 0,
            let counter = try? context.unsigned(size: layout.size, at: layout.counter, order)
        else { return nil }
        var registers = Registers(processor, programCounter: counter, stackPointer: 0)
        for (number, offset) in layout.registers {
            guard let value = try? context.unsigned(size: layout.size, at: offset, order) else { return nil }
            registers[number] = value
        }
        // cpsr: T, Thumb.
        if processor == .arm, let state = try? context.value(UInt32.self, at: 68, order), state >> 5 & 1 == 1 {
            registers.programCounter |= 1
        }
        return registers
    }
}
