internal import BinaryPrimitives

/// MIPS (MIPS Architecture for Programmers, volume II-A, releases 5 and 6): jumps and branches that
/// link, with a delay slot but for the compact ones of release 6.
struct MIPS: InstructionSet {
    static var unit: Int { 4 }
    static var longest: Int { 4 }
    static var hasDelaySlots: Bool { true }

    let order: ByteOrder
    let is64Bit: Bool
    let isRelease6: Bool

    func instruction(at position: Int, after previous: Int, in code: RawSpan, at address: UInt64) -> Instruction {
        guard let word = code.word(UInt32.self, at: position, order) else { return .unknown }
        let source = word >> 21 & 0x1f
        switch word >> 26 {
        case 0x00:
            // JALR; with register 0 it is JR.
            return word & 0x3f == 0x09 && word >> 11 & 0x1f != 0 ? Instruction(length: 4, calling: nil, delay: 4) : Instruction(length: 4)
        case 0x01:
            let form = word >> 16 & 0x1f
            // BLTZAL (with register 0 never taken), BGEZAL, and their likely forms, which release 6
            // took away.
            guard (form == 0x10 && source != 0) || form == 0x11 || (!isRelease6 && (form == 0x12 || form == 0x13)) else {
                return Instruction(length: 4)
            }
            return Instruction(length: 4, calling: masked(address &+ 4 &+ word.displacement(bits: 16, scale: 4)), delay: 4)
        case 0x03: return Instruction(length: 4, calling: region(word, address), delay: 4)
        case 0x1d: return isRelease6 ? Instruction(length: 4) : Instruction(length: 4, calling: region(word, address), delay: 4)
        case 0x3a:
            guard isRelease6 else { return Instruction(length: 4) }
            return Instruction(length: 4, calling: masked(address &+ 4 &+ word.displacement(bits: 26, scale: 4)))
        case 0x3e: return isRelease6 && source == 0 ? Instruction(length: 4, calling: nil) : Instruction(length: 4)
        default: return Instruction(length: 4)
        }
    }

    /// JAL and JALX go anywhere in the 256 MB around the delay slot.
    private func region(_ word: UInt32, _ address: UInt64) -> UInt64 {
        masked((address &+ 4) & ~0x0fff_ffff | UInt64(word & 0x03ff_ffff) << 2)
    }

    private func masked(_ address: UInt64) -> UInt64 { is64Bit ? address : address & 0xffff_ffff }
}
