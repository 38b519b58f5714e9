internal import BinaryPrimitives

/// PowerPC (Power ISA, version 3.1, book I, section 2.4): branches whose `LK` bit is set.
struct PowerPC: InstructionSet {
    static var unit: Int { 4 }
    static var longest: Int { 4 }

    let order: ByteOrder
    let is64Bit: Bool

    func instruction(at position: Int, after previous: Int, in code: RawSpan, at address: UInt64) -> Instruction {
        guard let word = code.word(UInt32.self, at: position, order) else { return .unknown }
        guard word & 1 != 0 else { return Instruction(length: 4) }
        // The second word of a prefixed instruction (opcode 1) may look like anything.
        if is64Bit, previous >= 0, let before = code.word(UInt32.self, at: previous, order), before >> 26 == 1 {
            return Instruction(length: 4)
        }
        let isAbsolute = word & 2 != 0
        switch word >> 26 {
        case 18: return call((word & 0x03ff_fffc).displacement(bits: 26), isAbsolute, address)
        case 16:
            // bcl 20,31,$+4 reads the program counter.
            guard word != 0x429f_0005 else { return Instruction(length: 4) }
            return call((word & 0xfffc).displacement(bits: 16), isAbsolute, address)
        case 19:
            let form = word >> 1 & 0x3ff
            // bclrl, bcctrl, bctarl.
            return form == 16 || form == 528 || form == 560 ? Instruction(length: 4, calling: nil) : Instruction(length: 4)
        default: return Instruction(length: 4)
        }
    }

    private func call(_ distance: UInt64, _ isAbsolute: Bool, _ address: UInt64) -> Instruction {
        let target = isAbsolute ? distance : address &+ distance
        return Instruction(length: 4, calling: is64Bit ? target : target & 0xffff_ffff)
    }
}
