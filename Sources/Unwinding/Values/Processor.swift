package import BinaryPrimitives

/// Properties of a family of processors that unwinding needs: the width of registers, and DWARF's numbers of
/// the stack pointer, the frame pointer and the return address.
///
/// For example, `rsp` of x86-64 has the number 7, `rbp` 6, and 16 is the return address.
package enum Processor: String, Sendable, Hashable, CaseIterable {
    case x86_64, i386, arm64, arm, riscv64, riscv32, powerPC64, powerPC, s390x, s390, mips64, mips, loongArch64, m68k, sparc64, sparc

    /// - Returns: `nil` for an architecture whose stacks cannot be unwound here.
    package init?(_ architecture: Architecture) {
        switch architecture.family {
        case "x86_64": self = .x86_64
        case "i386": self = .i386
        case "arm64", "arm64_32": self = .arm64
        case "arm": self = .arm
        case "riscv64": self = .riscv64
        case "riscv32": self = .riscv32
        case "ppc64": self = .powerPC64
        case "ppc": self = .powerPC
        case "s390x": self = .s390x
        case "s390": self = .s390
        case "m68k": self = .m68k
        case "sparcv9": self = .sparc64
        case "sparc": self = .sparc
        case "mips64": self = .mips64
        case "mips": self = .mips
        case "loongarch64": self = .loongArch64
        default: return nil
        }
    }

    /// Size of a register in bytes, as it is saved in memory: on x32 and arm64_32 larger than an address.
    package var registerSize: Int {
        switch self {
        case .i386, .arm, .riscv32, .powerPC, .mips, .s390, .m68k, .sparc: 4
        default: 8
        }
    }

    package var stackPointer: Int {
        switch self {
        case .x86_64: 7
        case .i386: 4
        case .arm64: 31
        case .arm: 13
        case .riscv64, .riscv32: 2
        case .powerPC64, .powerPC: 1
        case .s390x, .s390, .m68k: 15
        case .mips64, .mips: 29
        case .loongArch64: 3
        // %o6
        case .sparc64, .sparc: 14
        }
    }

    /// The register that holds a frame's address, if the compiler keeps one. On 32-bit ARM that is `r11`, and
    /// `r7` in Thumb code.
    package var framePointer: Int {
        switch self {
        case .x86_64: 6
        case .i386: 5
        case .arm64: 29
        case .arm: 11
        case .riscv64, .riscv32: 8
        case .powerPC64, .powerPC: 31
        case .s390x, .s390: 11
        case .m68k: 14
        case .mips64, .mips, .sparc64, .sparc: 30
        case .loongArch64: 22
        }
    }

    /// The register that a call stores the return address in; `nil` if calls push it.
    package var link: Int? {
        switch self {
        case .x86_64, .i386, .m68k: nil
        case .arm64: 30
        case .arm: 14
        case .riscv64, .riscv32, .loongArch64: 1
        case .powerPC64, .powerPC: 65
        case .s390x, .s390: 14
        case .mips64, .mips: 31
        // %o7
        case .sparc64, .sparc: 15
        }
    }

    /// DWARF's number of the program counter; `nil` if it has none.
    package var programCounter: Int? {
        switch self {
        case .x86_64: 16
        case .i386: 8
        case .arm64: 32
        case .arm: 15
        case .s390x, .s390: 65
        case .m68k: 24
        default: nil
        }
    }

    /// Whether the caller's stack pointer is the frame's address (CFA), where no rule says
    /// otherwise.
    ///
    /// On s390x the CFA is 160 bytes above the stack pointer at the call (on s390 96 bytes), and a function that does
    /// not move the stack pointer has no rule for it (zSeries ELF ABI, section 1.2.2; elfutils,
    /// `backends/s390_cfi.c`).
    var frameIsStackPointer: Bool { self != .s390x && self != .s390 }

    /// Size in bytes of the shortest instruction; all instructions begin at multiples of it.
    var instructionAlignment: UInt64 {
        switch self {
        case .x86_64, .i386: 1
        case .arm, .riscv64, .riscv32, .s390x, .s390, .m68k: 2
        case .arm64, .powerPC64, .powerPC, .mips64, .mips, .loongArch64, .sparc64, .sparc: 4
        }
    }

    /// Whether a function has a window of registers: its caller's `%o0` to `%o7` are its `%i0` to `%i7`, and the memory at the stack
    /// pointer has room for its `%l0` to `%l7` and `%i0` to `%i7` (System V ABI, SPARC supplement, chapter 3).
    var hasWindows: Bool { self == .sparc64 || self == .sparc }

    /// Difference of the address of a frame from the register of the stack pointer (SPARC Compliance Definition 2.4,
    /// "Stack Pointer Alignment": a bias of 2047 bytes, which makes the register odd).
    var stackBias: UInt64 { self == .sparc64 ? 2047 : 0 }

    /// Returns the return address of a call, by the value that the call saved: on SPARC, `CALL` saves its own address, and the
    /// function returns to the instruction after its delay slot.
    func returnAddress(saved value: UInt64) -> UInt64 { hasWindows && value != 0 ? cut(value &+ 8) : value }

    /// The lowest bit of a code address marks Thumb code.
    var hasThumbBit: Bool { self == .arm }
}
