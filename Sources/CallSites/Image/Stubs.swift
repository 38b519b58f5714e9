internal import BinaryPrimitives

/// Recognises functions that only jump to another one.
struct Stubs {
    let text: CodeText
    let machine: Machine

    /// Whether the function that begins at an address jumps to another one, after at most a few instructions
    /// that compute the target.
    func isJump(_ address: LinkAddress) -> Bool {
        guard let part = text.part(holding: address), let position = address.distance(from: part.addresses.lowerBound) else { return false }
        return text.withBytes(of: part) { code in
            guard let rest = try? code.from(position) else { return false }
            switch machine {
            case .x86: return isX86Jump(rest)
            case .arm64: return isARM64Jump(rest)
            case .powerPC(let set): return isPowerPCJump(rest, set.order)
            default: return false
            }
        }
    }

    /// `[endbr] [bnd] jmp`, with a distance or through memory.
    private func isX86Jump(_ code: RawSpan) -> Bool {
        var position = 0
        if let word = code.word(UInt32.self, at: 0, .littleEndian), word == 0xfa1e_0ff3 || word == 0xfb1e_0ff3 { position = 4 }
        if position < code.byteCount, code.byte(at: position) == 0xf2 { position += 1 }
        guard position + 1 < code.byteCount else { return false }
        let opcode = code.byte(at: position)
        return opcode == 0xe9 || opcode == 0xeb || (opcode == 0xff && code.byte(at: position + 1) & 0x38 == 0x20)
    }

    /// `b`, or up to three instructions that leave an address in x16 or x17, and `br` to it.
    private func isARM64Jump(_ code: RawSpan) -> Bool {
        for index in 0..<5 {
            guard let word = code.word(UInt32.self, at: index * 4, .littleEndian) else { return false }
            if word >> 26 == 0x05, index == 0 { return true }
            // BR, BRAA and its kin, through x16 or x17.
            let register = word >> 5 & 0x1f
            if word & 0xffff_fc1f == 0xd61f_0000 || word & 0xfeff_f000 == 0xd61f_0000 { return register == 16 || register == 17 }
            // BTI; else what writes x16 or x17: ADRP, ADD, LDR, MOVZ, MOVK.
            guard word & 0xffff_ff3f == 0xd503_241f || word & 0x1f == 16 || word & 0x1f == 17 else { return false }
        }
        return false
    }

    /// The linker's `plt_call` stubs: `[std r2]`, the address into r12, `mtctr r12`, `bctr`.
    private func isPowerPCJump(_ code: RawSpan, _ order: ByteOrder) -> Bool {
        for index in 0..<8 {
            guard let word = code.word(UInt32.self, at: index * 4, order) else { return false }
            if word == 0x4e80_0420 { return index > 0 }
            if word >> 26 == 18 { return index == 0 && word & 1 == 0 }
            let register = word >> 21 & 0x1f
            // std r2,24(r1); or r11 or r12 written; or mtctr of one of them.
            guard word == 0xf841_0018 || word == 0xf841_0028 || register == 11 || register == 12 else { return false }
        }
        return false
    }
}
