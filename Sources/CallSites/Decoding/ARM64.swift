internal import BinaryPrimitives

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
