internal import BinaryPrimitives

/// The ARM instructions of 32-bit ARM (Arm Architecture Reference Manual, ARMv7-A, A8.8): `BL`, `BLX`, and
/// their substitute before ARMv5: `MOV LR, PC` before a write to PC.
struct ARM: InstructionSet {
    static var unit: Int { 4 }
    static var longest: Int { 4 }

    let order: ByteOrder

    func instruction(at position: Int, after previous: Int, in code: RawSpan, at address: UInt64) -> Instruction {
        guard let word = code.word(UInt32.self, at: position, order) else { return .unknown }
        let isConditional = word >> 28 != 0xf
        if word & 0x0f00_0000 == 0x0b00_0000, isConditional {
            return Instruction(length: 4, calling: (address &+ 8 &+ word.displacement(bits: 24, scale: 4)) & 0xffff_ffff)
        }
        // BLX with a distance, whose bit 24 is half a word more.
        if word & 0xfe00_0000 == 0xfa00_0000 {
            let half = UInt64(word >> 23 & 2)
            return Instruction(length: 4, calling: (address &+ 8 &+ word.displacement(bits: 24, scale: 4) &+ half) & 0xffff_ffff)
        }
        if word & 0x0fff_fff0 == 0x012f_ff30, isConditional { return Instruction(length: 4, calling: nil) }
        if isConditional, Self.writesPC(word), previous >= 0, let before = code.word(UInt32.self, at: previous, order),
            before & 0x0fff_ffff == 0x01a0_e00f, before >> 28 == word >> 28
        {
            return Instruction(length: 4, calling: nil)
        }
        return Instruction(length: 4)
    }

    /// `BX`, `LDR PC` and `MOV PC` with a register.
    private static func writesPC(_ word: UInt32) -> Bool {
        word & 0x0fff_fff0 == 0x012f_ff10 || word & 0x0c50_f000 == 0x0410_f000 || word & 0x0fff_fff0 == 0x01a0_f000
    }
}

/// Thumb: two or four bytes, by the first five bits (ARMv7-A, A6.1).
struct Thumb: InstructionSet {
    static var unit: Int { 2 }
    static var longest: Int { 4 }

    let order: ByteOrder

    func instruction(at position: Int, after previous: Int, in code: RawSpan, at address: UInt64) -> Instruction {
        guard let first = code.word(UInt16.self, at: position, order) else { return .unknown }
        guard first >= 0xe800 else {
            // BLX and BLXNS with a register.
            return first & 0xff83 == 0x4780 ? Instruction(length: 2, calling: nil) : Instruction(length: 2)
        }
        guard let second = code.word(UInt16.self, at: position &+ 2, order) else { return .unknown }
        guard first & 0xf800 == 0xf000, second & 0xc000 == 0xc000 else { return Instruction(length: 4) }
        let isExchange = second & 0x1000 == 0
        guard !isExchange || second & 1 == 0 else { return Instruction(length: 4) }
        // S, I1, I2, and 21 bits more (A8.8.25).
        let sign = UInt32(first >> 10 & 1)
        let i1 = ~(UInt32(second >> 13) ^ sign) & 1
        let i2 = ~(UInt32(second >> 11) ^ sign) & 1
        let bits = sign << 24 | i1 << 23 | i2 << 22 | UInt32(first & 0x3ff) << 12 | UInt32(second & 0x7ff) << 1
        let from = isExchange ? (address &+ 4) & ~3 : address &+ 4
        return Instruction(length: 4, calling: (from &+ bits.displacement(bits: 25)) & 0xffff_ffff)
    }

    func mayEndCall(at position: Int, in code: RawSpan) -> Bool {
        guard let last = code.word(UInt16.self, at: position &- 2, order) else { return false }
        if last & 0xff83 == 0x4780 { return true }
        guard last & 0xc000 == 0xc000, let first = code.word(UInt16.self, at: position &- 4, order) else { return false }
        return first & 0xf800 == 0xf000
    }
}

/// AArch64 (Arm Architecture Reference Manual, C6.2): `BL`, `BLR`, and `BLRAA` and its kin.
/// Instructions are little-endian also where data are not.
struct ARM64: InstructionSet {
    static var unit: Int { 4 }
    static var longest: Int { 4 }

    func instruction(at position: Int, after previous: Int, in code: RawSpan, at address: UInt64) -> Instruction {
        guard let word = code.word(UInt32.self, at: position, .littleEndian) else { return .unknown }
        if word >> 26 == 0x25 { return Instruction(length: 4, calling: address &+ word.displacement(bits: 26, scale: 4)) }
        // BLR; BLRAAZ and BLRABZ; BLRAA and BLRAB.
        if word & 0xffff_fc1f == 0xd63f_0000 || word & 0xffff_f81f == 0xd63f_081f || word & 0xffff_f800 == 0xd73f_0800 {
            return Instruction(length: 4, calling: nil)
        }
        return Instruction(length: 4)
    }
}
