internal import BinaryPrimitives
internal import CrashLogModel

/// The registers of a crashed thread as a minidump's processor context holds them
/// (`MDRawContextARM` and its like in Breakpad's `google_breakpad/common/minidump_cpu_*.h`):
/// little-endian on every processor that is read here.
struct MicrodumpRegisters {
    private(set) var values: [(name: String, value: UInt64)] = []
    private(set) var programCounter: UInt64?

    private struct Layout {
        var size: Int
        /// Bytes of a register.
        var width: Int
        /// Name and place in bytes of each.
        var registers: [(name: String, offset: Int)]
        var programCounter: String
    }

    /// - Parameters:
    ///   - architecture: as the microdump names it.
    ///   - context: its bytes in hexadecimal.
    init(architecture: String, context: Span<UInt8>) {
        guard let layout = MicrodumpRegisters.layout(architecture), context.count >= layout.size * 2 else { return }
        for register in layout.registers {
            guard let value = MicrodumpRegisters.number(context, at: register.offset, width: layout.width) else { return }
            values.append((register.name, value))
            if register.name == layout.programCounter { programCounter = value }
        }
    }

    private static func layout(_ architecture: String) -> Layout? {
        switch architecture {
        case "arm":
            // context_flags, then r0 to r15, cpsr.
            let names = (0..<11).map { "r\($0)" } + ["fp", "ip", "sp", "lr", "pc", "cpsr"]
            return Layout(size: 368, width: 4, registers: names.enumerated().map { ($1, 4 + 4 * $0) }, programCounter: "pc")
        case "arm64":
            // Flags and cpsr in eight bytes (the older layout has eight of flags, followed by
            // cpsr), then x0 to x28, fp, lr, sp, pc.
            let names = (0..<29).map { "x\($0)" } + ["fp", "lr", "sp", "pc"]
            return Layout(size: 272, width: 8, registers: names.enumerated().map { ($1, 8 + 8 * $0) }, programCounter: "pc")
        case "x86":
            // Flags, six debug registers, 112 bytes of the FPU, segments; then these.
            let names = ["edi", "esi", "ebx", "edx", "ecx", "eax", "ebp", "eip", "cs", "eflags", "esp", "ss"]
            return Layout(size: 716, width: 4, registers: names.enumerated().map { ($1, 156 + 4 * $0) }, programCounter: "eip")
        case "x86_64":
            // Six home addresses, flags, segments, six debug registers; then these.
            let names = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"] + (8..<16).map { "r\($0)" } + ["rip"]
            return Layout(size: 1232, width: 8, registers: names.enumerated().map { ($1, 120 + 8 * $0) }, programCounter: "rip")
        case "mips", "mips64":
            // Flags and four bytes, 32 registers of eight bytes, hi and lo, six words and two of
            // the DSP's; then epc.
            let names = [
                "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "s0", "s1", "s2", "s3",
                "s4", "s5", "s6",
                "s7", "t8", "t9", "k0", "k1", "gp", "sp", "fp", "ra",
            ]
            return Layout(size: 328, width: 8, registers: names.enumerated().map { ($1, 8 + 8 * $0) } + [("pc", 312)], programCounter: "pc")
        default: return nil
        }
    }

    private static func number(_ text: Span<UInt8>, at offset: Int, width: Int) -> UInt64? {
        var value: UInt64 = 0
        for index in (0..<width).reversed() {
            guard let high = text.at((offset + index) * 2).flatMap(hexadecimalValue),
                let low = text.at((offset + index) * 2 + 1).flatMap(hexadecimalValue)
            else { return nil }
            value = value << 8 | UInt64(high << 4 | low)
        }
        return value
    }
}
