internal import BinaryPrimitives

/// The operand in an instruction of x86 (Intel's manual, volume 2, chapter 2).
extension MemoryOperand {
    private static let registers = [
        "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
    ]
    private static let narrowRegisters = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"]

    /// Whether ModR/M follows an opcode of one byte.
    private static func hasModRM(_ opcode: UInt8) -> Bool {
        switch opcode {
        case 0x00..<0x40: opcode & 7 < 4
        case 0x63, 0x69, 0x6b, 0x80...0x8c, 0x8e, 0x8f, 0xc0, 0xc1, 0xc6, 0xc7, 0xd0...0xd3, 0xd8...0xdf, 0xf6, 0xf7, 0xfe, 0xff: true
        // 0x8d, LEA, accesses nothing.
        default: false
        }
    }

    /// Whether ModR/M follows an opcode after 0x0f.
    private static func hasModRMAfterEscape(_ opcode: UInt8) -> Bool {
        switch opcode {
        // System calls, MSRs, EMMS, near jumps, CPUID, pushed segments, BSWAP; 0x18 to 0x1f are
        // hints.
        case 0x04...0x0b, 0x18...0x1f, 0x30...0x37, 0x77, 0x80...0x8f, 0xa0...0xa2, 0xa8...0xaa, 0xc8...0xcf: false
        default: true
        }
    }

    /// - Parameter code: the instruction's bytes, and perhaps more.
    /// - Returns: `nil` if it has no memory operand, or one without a register.
    package init?(x86 code: [UInt8], is64Bit: Bool) {
        var rest = code[...]
        var rex: UInt8 = 0
        prefixes: while let byte = rest.first {
            switch byte {
            case 0x26, 0x2e, 0x36, 0x3e, 0x66, 0xf0, 0xf2, 0xf3: rest.removeFirst()
            // FS and GS, whose bases are unknown; addresses of another width.
            case 0x64, 0x65, 0x67: return nil
            case 0x40...0x4f where is64Bit:
                rex = byte
                rest.removeFirst()
                break prefixes
            default: break prefixes
            }
        }
        guard let opcode = rest.popFirst() else { return nil }
        switch opcode {
        case 0x0f:
            guard let second = rest.popFirst() else { return nil }
            if second == 0x38 || second == 0x3a {
                rest = rest.dropFirst()
            } else {
                guard Self.hasModRMAfterEscape(second) else { return nil }
            }
        // VEX; on i386 with the two upper bits set, where LES and LDS have none.
        case 0xc4 where is64Bit || rest.first ?? 0 >= 0xc0:
            guard rest.count > 3, let first = rest.first else { return nil }
            rex = ~first >> 5 & 7
            rest = rest.dropFirst(3)
        case 0xc5 where is64Bit || rest.first ?? 0 >= 0xc0:
            guard rest.count > 2 else { return nil }
            rex = 0
            rest = rest.dropFirst(2)
        default: guard Self.hasModRM(opcode) else { return nil }
        }
        self.init(modRM: rest, rex: rex, is64Bit: is64Bit)
    }

    private init?(modRM code: ArraySlice<UInt8>, rex: UInt8, is64Bit: Bool) {
        var rest = code
        guard let byte = rest.popFirst() else { return nil }
        let (mode, low) = (byte >> 6, byte & 7)
        guard mode != 3 else { return nil }
        let names = is64Bit ? Self.registers : Self.narrowRegisters
        func name(_ low: UInt8, _ bit: UInt8) -> String { names[Int(low) + (is64Bit && rex & bit != 0 ? 8 : 0)] }
        self.init()
        if low == 4 {
            guard let scaled = rest.popFirst() else { return nil }
            let (own, other) = (scaled & 7, scaled >> 3 & 7)
            scale = 1 << UInt64(scaled >> 6)
            if other != 4 || is64Bit && rex & 2 != 0 { index = name(other, 2) }
            if own == 5, mode == 0 { return nil }
            base = name(own, 1)
        } else if low == 5, mode == 0 {
            // An address relative to the program counter, or to nothing.
            return nil
        } else {
            base = name(low, 1)
        }
        switch mode {
        case 1:
            guard let byte = rest.first else { return nil }
            displacement = Int64(Int8(bitPattern: byte))
        case 2:
            guard rest.count >= 4 else { return nil }
            let value = rest.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            displacement = Int64(Int32(bitPattern: value))
        default: break
        }
    }
}
