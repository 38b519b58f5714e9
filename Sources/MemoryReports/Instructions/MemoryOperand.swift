internal import BinaryPrimitives

/// The memory that an instruction accesses: a register, plus a scaled register, plus a number.
///
/// For example `mov eax, [rdi + 8*rcx + 0x10]`.
package struct MemoryOperand: Hashable {
    /// By their assembler names; `nil` for none.
    package var base: String?
    package var index: String?
    package var scale: UInt64 = 1
    package var displacement: Int64 = 0

    /// Returns the address, if all registers are known.
    /// - Parameter register: the value of a register.
    package func address(is32Bit: Bool, _ register: (String) -> UInt64?) -> UInt64? {
        var address = UInt64(bitPattern: displacement)
        if let base {
            guard let value = register(base) else { return nil }
            address &+= value
        }
        if let index {
            guard let value = register(index) else { return nil }
            address &+= value &* scale
        }
        return is32Bit ? address & 0xffff_ffff : address
    }

    /// `rdi + 8*rcx + 0x10`
    package var text: String {
        var parts = [base, index.map { scale == 1 ? $0 : "\(scale)*\($0)" }].compactMap { $0 }
        if displacement != 0, displacement > 0 || parts.isEmpty { parts.append("0x" + String(displacement, radix: 16)) }
        let sum = parts.joined(separator: " + ")
        return displacement < 0 && !parts.isEmpty ? sum + " - 0x" + String(displacement.magnitude, radix: 16) : sum
    }
}

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

/// The operand in an instruction of arm64 (Arm's manual, C4.1.94, loads and stores).
extension MemoryOperand {
    /// - Returns: `nil` if it is not a load or store through a register.
    package init?(arm64 word: UInt32) {
        guard word & 0x0a00_0000 == 0x0800_0000 else { return nil }
        self.init()
        let register = word >> 5 & 31
        base = register == 31 ? "sp" : "x\(register)"
        let isVector = word >> 26 & 1 == 1
        let size = word >> 30
        if word & 0x3b00_0000 == 0x3900_0000 {
            // A number of elements.
            displacement = Int64(word >> 10 & 0xfff) << Int64(isVector && word >> 23 & 1 == 1 ? 4 : size)
        } else if word & 0x3b20_0c00 == 0x3820_0800 {
            let other = word >> 16 & 31
            guard other != 31, word >> 13 & 7 == 3 else { return nil }
            index = "x\(other)"
            if word >> 12 & 1 == 1 { scale = 1 << UInt64(isVector && word >> 23 & 1 == 1 ? 4 : size) }
        } else if word & 0x3b20_0000 == 0x3800_0000 {
            // Afterwards, where the bits 10 and 11 are 01.
            if word >> 10 & 3 != 1 { displacement = Int64(Int32(bitPattern: word << 11) >> 23) }
        } else if word & 0x3a00_0000 == 0x2800_0000 {
            let unit: UInt32 = isVector ? size + 2 : 2 + (size >> 1)
            // Afterwards, where the bits 23 and 24 are 01.
            if word >> 23 & 3 != 1 { displacement = Int64(Int32(bitPattern: word << 10) >> 25) << Int64(unit) }
        } else if word & 0x3b00_0000 == 0x1800_0000 {
            // From where the program counter is.
            return nil
        }
    }
}
