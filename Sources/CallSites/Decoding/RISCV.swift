internal import BinaryPrimitives

/// RISC-V (The RISC-V Instruction Set Manual, volume I, sections 1.5 and 2.5, and chapter 16 for
/// compressed ones): jumps that put the return address into `ra` or `t0`, the two link registers.
struct RISCV: InstructionSet {
    static var unit: Int { 2 }
    static var longest: Int { 4 }

    let is64Bit: Bool

    func instruction(at position: Int, after previous: Int, in code: RawSpan, at address: UInt64) -> Instruction {
        guard let half = code.word(UInt16.self, at: position, .littleEndian) else { return .unknown }
        if half & 3 != 3 {
            if Self.isCompressedJALR(half) { return Instruction(length: 2, calling: nil) }
            return isCompressedJAL(half) ? Instruction(length: 2, calling: compressedTarget(half, address)) : Instruction(length: 2)
        }
        // Longer ones are used by no compiler.
        guard half & 0x1f != 0x1f, let word = code.word(UInt32.self, at: position, .littleEndian) else { return .unknown }
        guard Self.isLinking(word) else { return Instruction(length: 4) }
        if word & 0x7f == 0x6f {
            let bits = (word >> 31) << 20 | word & 0xff000 | (word >> 20 & 1) << 11 | word >> 20 & 0x7fe
            return Instruction(length: 4, calling: masked(address &+ bits.displacement(bits: 21)))
        }
        return Instruction(length: 4, calling: pairTarget(word, previous, position, code, address))
    }

    /// JAL, or JALR, with a link register.
    private static func isLinking(_ word: UInt32) -> Bool {
        let register = word >> 7 & 0x1f
        return (word & 0x7f == 0x6f || word & 0x707f == 0x67) && (register == 1 || register == 5)
    }

    private static func isCompressedJALR(_ half: UInt16) -> Bool { half & 0xf07f == 0x9002 && half & 0x0f80 != 0 }

    /// On 64-bit processors C.ADDIW has this encoding.
    private func isCompressedJAL(_ half: UInt16) -> Bool { !is64Bit && half & 0xe003 == 0x2001 }

    private func compressedTarget(_ half: UInt16, _ address: UInt64) -> UInt64 {
        let half = UInt32(half)
        // offset[11|4|9:8|10|6|7|3:1|5] in bits 12 to 2.
        let high = (half >> 12 & 1) << 11 | (half >> 11 & 1) << 4 | (half >> 9 & 3) << 8 | (half >> 8 & 1) << 10
        let low = (half >> 7 & 1) << 6 | (half >> 6 & 1) << 7 | (half >> 3 & 7) << 1 | (half >> 2 & 1) << 5
        return masked(address &+ (high | low).displacement(bits: 12))
    }

    /// AUIPC and JALR together call distant functions.
    private func pairTarget(_ word: UInt32, _ previous: Int, _ position: Int, _ code: RawSpan, _ address: UInt64) -> UInt64? {
        guard previous >= 0, previous == position &- 4, let upper = code.word(UInt32.self, at: previous, .littleEndian),
            upper & 0x7f == 0x17, upper >> 7 & 0x1f == word >> 15 & 0x1f
        else { return nil }
        let base = address &- 4 &+ (upper & 0xffff_f000).displacement(bits: 32)
        return masked(base &+ (word >> 20).displacement(bits: 12))
    }

    private func masked(_ address: UInt64) -> UInt64 { is64Bit ? address : address & 0xffff_ffff }

    func mayEndCall(at position: Int, in code: RawSpan) -> Bool {
        guard let half = code.word(UInt16.self, at: position &- 2, .littleEndian) else { return false }
        if Self.isCompressedJALR(half) || isCompressedJAL(half) { return true }
        return code.word(UInt32.self, at: position &- 4, .littleEndian).map { Self.isLinking($0) } ?? false
    }
}
