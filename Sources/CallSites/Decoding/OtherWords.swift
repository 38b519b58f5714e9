internal import BinaryPrimitives

/// LoongArch (Reference Manual, volume 1, section 2.2.7): `BL`, and `JIRL` into `ra`.
struct LoongArch: InstructionSet {
    static var unit: Int { 4 }
    static var longest: Int { 4 }

    func instruction(at position: Int, after previous: Int, in code: RawSpan, at address: UInt64) -> Instruction {
        guard let word = code.word(UInt32.self, at: position, .littleEndian) else { return .unknown }
        switch word >> 26 {
        case 0x15:
            let bits = (word & 0x3ff) << 16 | word >> 10 & 0xffff
            return Instruction(length: 4, calling: address &+ bits.displacement(bits: 26, scale: 4))
        case 0x13 where word & 0x1f == 1: return Instruction(length: 4, calling: pairTarget(word, previous, code, address))
        default: return Instruction(length: 4)
        }
    }

    /// PCADDU18I and JIRL together call distant functions.
    private func pairTarget(_ word: UInt32, _ previous: Int, _ code: RawSpan, _ address: UInt64) -> UInt64? {
        guard previous >= 0, let upper = code.word(UInt32.self, at: previous, .littleEndian), upper >> 25 == 0x0f,
            upper & 0x1f == word >> 5 & 0x1f
        else { return nil }
        let base = address &- 4 &+ (upper >> 5).displacement(bits: 20, scale: 1 << 18)
        return base &+ (word >> 10).displacement(bits: 16, scale: 4)
    }
}

/// SPARC (The SPARC Architecture Manual, version 9, A.8 and A.24): `CALL`, and `JMPL` into `%o7`.
struct SPARC: InstructionSet {
    static var unit: Int { 4 }
    static var longest: Int { 4 }
    static var hasDelaySlots: Bool { true }

    let is64Bit: Bool

    func instruction(at position: Int, after previous: Int, in code: RawSpan, at address: UInt64) -> Instruction {
        guard let word = code.word(UInt32.self, at: position, .bigEndian) else { return .unknown }
        if word >> 30 == 1 {
            let target = address &+ word.displacement(bits: 30, scale: 4)
            return Instruction(length: 4, calling: is64Bit ? target : target & 0xffff_ffff, delay: 4)
        }
        let isLinkingJump = word >> 30 == 2 && word >> 19 & 0x3f == 0x38 && word >> 25 & 0x1f == 15
        return isLinkingJump ? Instruction(length: 4, calling: nil, delay: 4) : Instruction(length: 4)
    }
}
