internal import CLibelf

/// Effect of one type of relocation on a field of a debug section.
///
/// In the ABIs' letters: S is the symbol's address, A the addend, P the field's own address, V the
/// value in the field. Only the types that assemblers write into debug and unwind sections are
/// known; instructions are never patched.
struct ELFRelocationRule: Equatable {
    enum Operation {
        case nothing
        /// S + A.
        case absolute
        /// S + A - P.
        case relative
        /// V + S + A: the first half of a difference that the linker may still change (RISC-V,
        /// LoongArch).
        case add
        /// V - (S + A): its second half.
        case subtract
    }

    enum Field: Equatable {
        case bytes(Int)
        /// The low six bits of a byte, as in `DW_CFA_advance_loc`.
        case lowSixBits
        /// A ULEB128 number, which keeps the number of bytes that it has.
        case uleb128
    }

    var operation: Operation
    var field: Field

    private init(_ operation: Operation, _ size: Int) {
        self.operation = operation
        field = .bytes(size)
    }

    private init(_ operation: Operation, field: Field) {
        self.operation = operation
        self.field = field
    }

    private static let nothing = ELFRelocationRule(.nothing, 0)

    /// - Returns: `nil` for a type that is not known.
    static func rule(machine: Int32, type: UInt32) -> ELFRelocationRule? {
        switch machine {
        case EM_X86_64: x86_64(type)
        case EM_386, EM_IAMCU: i386(type)
        case EM_AARCH64: arm64(type)
        case EM_ARM: arm(type)
        case EM_RISCV: riscv(type)
        case EM_PPC: power32(type)
        case EM_PPC64: power64(type)
        case EM_S390: s390(type)
        case EM_MIPS: mips(type)
        case EM_LOONGARCH: loongArch(type)
        case EM_BPF: bpf(type)
        case EM_SPARC, EM_SPARC32PLUS, EM_SPARCV9: sparc(type)
        case EM_68K: m68k(type)
        case EM_AVR: avr(type)
        case EM_MSP430: msp430(type)
        case EM_QDSP6: hexagon(type)
        case EM_ALPHA: alpha(type)
        case EM_PARISC: parisc(type)
        case EM_SH: superH(type)
        case EM_XTENSA: xtensa(type)
        case 244: lanai(type)
        case 251: vectorEngine(type)
        default: nil
        }
    }

    /// System V ABI, AMD64 supplement, table 4.9.
    private static func x86_64(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 1, 17: .init(.absolute, 8)  // R_X86_64_64, DTPOFF64
        case 10, 11, 21: .init(.absolute, 4)  // 32, 32S, DTPOFF32
        case 12: .init(.absolute, 2)  // 16
        case 14: .init(.absolute, 1)  // 8
        case 2: .init(.relative, 4)  // PC32
        case 24: .init(.relative, 8)  // PC64
        default: nil
        }
    }

    /// System V ABI, Intel386 supplement, table 2.9.
    private static func i386(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 1, 32: .init(.absolute, 4)  // R_386_32, TLS_LDO_32
        case 20: .init(.absolute, 2)  // 16
        case 22: .init(.absolute, 1)  // 8
        case 2: .init(.relative, 4)  // PC32
        default: nil
        }
    }

    /// ELF for the Arm 64-bit architecture, section 5.7.
    private static func arm64(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0, 256: nothing
        case 257, 1029: .init(.absolute, 8)  // R_AARCH64_ABS64, TLS_DTPREL64
        case 258: .init(.absolute, 4)  // ABS32
        case 259: .init(.absolute, 2)  // ABS16
        case 260: .init(.relative, 8)  // PREL64
        case 261: .init(.relative, 4)  // PREL32
        case 262: .init(.relative, 2)  // PREL16
        default: nil
        }
    }

    /// ELF for the Arm architecture, section 5.6.
    private static func arm(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 2, 106: .init(.absolute, 4)  // R_ARM_ABS32, TLS_LDO32
        case 5: .init(.absolute, 2)  // ABS16
        case 8: .init(.absolute, 1)  // ABS8
        case 3: .init(.relative, 4)  // REL32
        default: nil
        }
    }

    /// RISC-V ELF psABI, "Relocations".
    private static func riscv(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0, 43, 51: nothing  // NONE, ALIGN, RELAX
        case 1, 8, 56: .init(.absolute, 4)  // R_RISCV_32, TLS_DTPREL32, SET32
        case 2, 9: .init(.absolute, 8)  // 64, TLS_DTPREL64
        case 54: .init(.absolute, 1)  // SET8
        case 55: .init(.absolute, 2)  // SET16
        case 57: .init(.relative, 4)  // 32_PCREL
        case 33...36: .init(.add, 1 << Int(type - 33))  // ADD8, ADD16, ADD32, ADD64
        case 37...40: .init(.subtract, 1 << Int(type - 37))  // SUB8, SUB16, SUB32, SUB64
        case 52: .init(.subtract, field: .lowSixBits)  // SUB6
        case 53: .init(.absolute, field: .lowSixBits)  // SET6
        case 60: .init(.absolute, field: .uleb128)  // SET_ULEB128
        case 61: .init(.subtract, field: .uleb128)  // SUB_ULEB128
        default: nil
        }
    }

    /// Power Architecture 32-bit ABI supplement, section 4.13.
    private static func power32(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 1, 24, 78: .init(.absolute, 4)  // R_PPC_ADDR32, UADDR32, DTPREL32
        case 3: .init(.absolute, 2)  // ADDR16
        case 26: .init(.relative, 4)  // REL32
        default: nil
        }
    }

    /// 64-Bit ELF V2 ABI, section 3.5.3.
    private static func power64(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 38, 43, 78: .init(.absolute, 8)  // R_PPC64_ADDR64, UADDR64, DTPREL64
        case 44: .init(.relative, 8)  // REL64
        default: power32(type)
        }
    }

    /// ELF ABI s390x supplement, "Relocation Types".
    private static func s390(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 1: .init(.absolute, 1)  // R_390_8
        case 3: .init(.absolute, 2)  // 16
        case 4, 52: .init(.absolute, 4)  // 32, TLS_LDO32
        case 22, 53: .init(.absolute, 8)  // 64, TLS_LDO64
        case 5: .init(.relative, 4)  // PC32
        case 23: .init(.relative, 8)  // PC64
        default: nil
        }
    }

    /// System V ABI, MIPS supplement, and the 64-bit object file format.
    private static func mips(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 2, 39: .init(.absolute, 4)  // R_MIPS_32, TLS_DTPREL32
        case 18, 41: .init(.absolute, 8)  // 64, TLS_DTPREL64
        case 248: .init(.relative, 4)  // PC32
        default: nil
        }
    }

    /// LoongArch ELF psABI, "Relocations".
    private static func loongArch(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0, 100, 102: nothing  // NONE, RELAX, ALIGN
        case 1, 8: .init(.absolute, 4)  // R_LARCH_32, TLS_DTPREL32
        case 2, 9: .init(.absolute, 8)  // 64, TLS_DTPREL64
        case 47, 48: .init(.add, 1 << Int(type - 47))  // ADD8, ADD16
        case 50, 51: .init(.add, 4 << Int(type - 50))  // ADD32, ADD64
        case 52, 53: .init(.subtract, 1 << Int(type - 52))  // SUB8, SUB16
        case 55, 56: .init(.subtract, 4 << Int(type - 55))  // SUB32, SUB64
        case 99: .init(.relative, 4)  // 32_PCREL
        case 109: .init(.relative, 8)  // 64_PCREL
        case 105: .init(.add, field: .lowSixBits)  // ADD6
        case 106: .init(.subtract, field: .lowSixBits)  // SUB6
        case 107: .init(.add, field: .uleb128)  // ADD_ULEB128
        case 108: .init(.subtract, field: .uleb128)  // SUB_ULEB128
        default: nil
        }
    }

    /// SPARC Compliance Definition 2.4.1, table 4D-1, and System V ABI, SPARC supplement. Of the
    /// field of a 64-bit record the lowest byte is the type (`ELF64_R_TYPE_ID`).
    private static func sparc(_ type: UInt32) -> ELFRelocationRule? {
        switch type & 0xff {
        case 0: nothing
        case 1: .init(.absolute, 1)  // R_SPARC_8
        case 2, 55: .init(.absolute, 2)  // 16, UA16
        case 3, 23, 76: .init(.absolute, 4)  // 32, UA32, TLS_DTPOFF32
        case 32, 54, 77: .init(.absolute, 8)  // 64, UA64, TLS_DTPOFF64
        case 6: .init(.relative, 4)  // DISP32
        case 46: .init(.relative, 8)  // DISP64
        default: nil
        }
    }

    /// System V ABI, Motorola 68000 supplement, "Relocation Types".
    private static func m68k(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 1, 31: .init(.absolute, 4)  // R_68K_32, TLS_LDO32
        case 2: .init(.absolute, 2)  // 16
        case 3: .init(.absolute, 1)  // 8
        case 4: .init(.relative, 4)  // PC32
        default: nil
        }
    }

    /// GNU Binutils, `include/elf/avr.h`. Differences (`DIFF32`) are in their fields already; the
    /// records are there for linkers that shorten code.
    private static func avr(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0, 30...32: nothing  // NONE, DIFF8, DIFF16, DIFF32
        case 1: .init(.absolute, 4)  // R_AVR_32
        case 4: .init(.absolute, 2)  // 16
        case 26: .init(.absolute, 1)  // 8
        case 36: .init(.relative, 4)  // 32_PCREL
        default: nil
        }
    }

    /// GNU Binutils, `include/elf/msp430.h`: two numberings, of which each has others for
    /// instructions where the other has these.
    private static func msp430(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 1: .init(.absolute, 4)  // R_MSP430_32, R_MSP430_ABS32
        case 2, 5: .init(.absolute, 2)  // R_MSP430_ABS16, R_MSP430_16_BYTE
        default: nil
        }
    }

    /// Qualcomm Hexagon ABI, "Relocation types".
    private static func hexagon(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 6: .init(.absolute, 4)  // R_HEX_32
        case 7: .init(.absolute, 2)  // 16
        case 8: .init(.absolute, 1)  // 8
        case 31: .init(.relative, 4)  // 32_PCREL
        default: nil
        }
    }

    /// GNU Binutils, `include/elf/alpha.h`.
    private static func alpha(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 1: .init(.absolute, 4)  // R_ALPHA_REFLONG
        case 2, 32: .init(.absolute, 8)  // REFQUAD, DTPREL64
        case 9: .init(.relative, 2)  // SREL16
        case 10: .init(.relative, 4)  // SREL32
        case 11: .init(.relative, 8)  // SREL64
        default: nil
        }
    }

    /// Processor-Specific ELF Supplement for PA-RISC. Offsets into debug sections count from the section, which is at zero.
    private static func parisc(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 1, 65, 242: .init(.absolute, 4)  // R_PARISC_DIR32, SECREL32, TLS_DTPOFF32
        case 80, 243: .init(.absolute, 8)  // DIR64, TLS_DTPOFF64
        case 9: .init(.relative, 4)  // PCREL32
        case 72: .init(.relative, 8)  // PCREL64
        default: nil
        }
    }

    /// GNU Binutils, `include/elf/sh.h`.
    private static func superH(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 1, 150: .init(.absolute, 4)  // R_SH_DIR32, TLS_DTPOFF32
        case 2: .init(.relative, 4)  // REL32
        default: nil
        }
    }

    /// GNU Binutils, `include/elf/xtensa.h`. Differences are in their fields already; the records are there for linkers that shorten code.
    private static func xtensa(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0, 17...19, 57...62: nothing  // NONE, DIFF8 to 32, PDIFF8 to 32, NDIFF8 to 32
        case 1: .init(.absolute, 4)  // R_XTENSA_32
        case 14: .init(.relative, 4)  // 32_PCREL
        default: nil
        }
    }

    /// LLVM, `BinaryFormat/ELFRelocs/Lanai.def`.
    private static func lanai(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 4: .init(.absolute, 4)  // R_LANAI_32
        default: nil
        }
    }

    /// NEC, "System V ABI, VE Architecture Processor Supplement", "Relocation Types".
    private static func vectorEngine(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 1: .init(.absolute, 4)  // R_VE_REFLONG
        case 2: .init(.absolute, 8)  // REFQUAD
        case 3: .init(.relative, 4)  // SREL32
        default: nil
        }
    }

    /// Linux, "BPF LLVM Relocations".
    private static func bpf(_ type: UInt32) -> ELFRelocationRule? {
        switch type {
        case 0: nothing
        case 2: .init(.absolute, 8)  // R_BPF_64_ABS64
        case 3, 4: .init(.absolute, 4)  // ABS32, NODYLD32
        default: nil
        }
    }
}
