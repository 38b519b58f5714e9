package import BinaryPrimitives
internal import ObjectFiles

/// The processor that an image's code is for.
enum Machine: Sendable {
    case x86(X86)
    case arm64(ARM64)
    case arm(ARM, Thumb)
    case riscv(RISCV)
    case powerPC(PowerPC)
    case s390(S390)
    case mips(MIPS)
    case loongArch(LoongArch)
    case sparc(SPARC)

    /// - Returns: `nil` for a processor whose instructions are not known.
    init?(_ object: ObjectFile) {
        let description = object.description
        let is64Bit = description.addressSize == 8
        switch description.architecture {
        case .x86_64, .x86_64h: self = .x86(X86(is64Bit: true))
        case .i386: self = .x86(X86(is64Bit: false))
        case .arm64, .arm64e, .arm64_32: self = .arm64(ARM64())
        case .riscv32: self = .riscv(RISCV(is64Bit: false))
        case .riscv64: self = .riscv(RISCV(is64Bit: true))
        case .ppc, .ppc64: self = .powerPC(PowerPC(order: description.byteOrder, is64Bit: is64Bit))
        case .s390x: self = .s390(S390())
        case .loongarch64: self = .loongArch(LoongArch())
        case .mips, .mips64:
            let flags = description.elfFlags
            // EF_MIPS_MICROMIPS and EF_MIPS_ARCH_ASE_M16: other instructions, among those of MIPS.
            guard flags & 0x0600_0000 == 0 else { return nil }
            // EF_MIPS_ARCH_32R6 and _64R6.
            let isRelease6 = flags >> 28 == 0x9 || flags >> 28 == 0xa
            self = .mips(MIPS(order: description.byteOrder, is64Bit: is64Bit, isRelease6: isRelease6))
        default:
            if description.architecture.hasThumbBit {
                // EF_ARM_BE8: the linker has made the instructions of a big-endian program
                // little-endian.
                let isBE8 = description.byteOrder == .bigEndian && description.elfFlags & 0x0080_0000 != 0
                let order = isBE8 ? .littleEndian : description.byteOrder
                self = .arm(ARM(order: order), Thumb(order: order))
            } else if ["sparc", "sparcv9"].contains(description.architecture.name) {
                self = .sparc(SPARC(is64Bit: is64Bit))
            } else {
                return nil
            }
        }
    }

    /// The address without the bit that selects the instruction set.
    func cleared(_ address: UInt64) -> UInt64 {
        if case .arm = self { address & ~1 } else { address }
    }

    /// Whether marks say what is code.
    var hasMarks: Bool {
        switch self {
        case .arm64, .arm, .riscv: true
        default: false
        }
    }

    /// Whether instructions have several lengths, so that the start of an instruction can only be found from
    /// the function's first byte.
    var isVariable: Bool {
        switch self {
        case .x86, .riscv, .s390, .arm: true
        default: false
        }
    }
}

/// How many bytes an instruction has.
package enum InstructionLength {
    /// - Parameter code: from the instruction's first byte on; it may end after the instruction.
    /// - Returns: `nil` if the instruction is not known, or its machine is not.
    package static func first(in code: RawSpan, _ architecture: Architecture) -> Int? {
        switch architecture.family {
        case "x86_64", "i386":
            let length = X86(is64Bit: architecture.family == "x86_64").instruction(at: 0, after: -1, in: code, at: 0).length
            return length == 0 ? nil : Int(length)
        case "arm64": return code.byteCount >= 4 ? 4 : nil
        default: return nil
        }
    }
}

/// How many bytes each of x86's instructions has.
package struct X86Lengths: Sendable {
    private let set: X86

    package init(is64Bit: Bool) { set = X86(is64Bit: is64Bit) }

    /// - Returns: `nil` if there is no such instruction, or the code ends before it does.
    package func length(at position: Int, in code: RawSpan) -> Int? {
        let length = set.instruction(at: position, after: -1, in: code, at: 0).length
        return length == 0 ? nil : Int(length)
    }
}
