internal import BinaryPrimitives
internal import CLibelf

extension Architecture {
    /// The architecture that ELF's `e_machine` names. A machine that is not listed keeps its number
    /// in the name.
    init(elfMachine machine: UInt16, is64Bit: Bool) {
        switch Int32(machine) {
        case EM_386, EM_IAMCU: self = .i386
        // The x32 ABI has 32-bit files of this machine; the code is the same.
        case EM_X86_64: self = .x86_64
        case EM_ARM: self = .arm
        case EM_AARCH64: self = .arm64
        case EM_PPC: self = .ppc
        case EM_PPC64: self = .ppc64
        case EM_RISCV: self = is64Bit ? .riscv64 : .riscv32
        case EM_S390: self = is64Bit ? .s390x : Architecture("s390")
        case EM_MIPS, EM_MIPS_RS3_LE: self = is64Bit ? .mips64 : .mips
        case EM_LOONGARCH: self = is64Bit ? .loongarch64 : Architecture("loongarch32")
        case EM_SPARC, EM_SPARC32PLUS: self = Architecture("sparc")
        case EM_SPARCV9: self = Architecture("sparcv9")
        case EM_68K: self = Architecture("m68k")
        case EM_IA_64: self = Architecture("ia64")
        case EM_ALPHA: self = Architecture("alpha")
        case EM_PARISC: self = Architecture("hppa")
        case EM_SH: self = Architecture("sh")
        case EM_CSKY: self = Architecture("csky")
        case EM_AVR: self = Architecture("avr")
        case EM_MSP430: self = Architecture("msp430")
        case EM_QDSP6: self = Architecture("hexagon")
        case EM_BPF: self = Architecture("bpf")
        default: self = Architecture("ELF machine \(machine)")
        }
    }
}
