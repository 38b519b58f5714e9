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

/// s390x (z/Architecture Principles of Operation, chapters 5 and 7): the first two bits say how
/// long an instruction is.
struct S390: InstructionSet {
    static var unit: Int { 2 }
    static var longest: Int { 6 }

    func instruction(at position: Int, after previous: Int, in code: RawSpan, at address: UInt64) -> Instruction {
        guard let half = code.word(UInt16.self, at: position, .bigEndian) else { return .unknown }
        let length = half < 0x4000 ? 2 : half < 0xc000 ? 4 : 6
        guard length <= code.byteCount &- position else { return .unknown }
        guard Self.isCall(half) else { return Instruction(length: length) }
        var target: UInt64?
        if length == 6 {
            target = address &+ (code.word(UInt32.self, at: position &+ 2, .bigEndian) ?? 0).displacement(bits: 32, scale: 2)
        } else if half >> 8 == 0xa7 {
            target = address &+ UInt32(code.word(UInt16.self, at: position &+ 2, .bigEndian) ?? 0).displacement(bits: 16, scale: 2)
        }
        return Instruction(length: length, calling: target)
    }

    private static func isCall(_ half: UInt16) -> Bool {
        switch half >> 8 {
        case 0xc0: half & 0xf == 5  // BRASL
        // BRAS; with register 13 it reads the address of the literals that follow it.
        case 0xa7: half & 0xf == 5 && half >> 4 & 0xf != 13
        case 0x45, 0x4d: true  // BAL, BAS
        // BALR, BASSM, BASR: without a second register they do not branch.
        case 0x05, 0x0c, 0x0d: half & 0xf != 0
        default: false
        }
    }

    func mayEndCall(at position: Int, in code: RawSpan) -> Bool {
        for (distance, highest) in [(6, UInt16(0xffff)), (4, 0xbfff), (2, 0x3fff)] {
            if let half = code.word(UInt16.self, at: position &- distance, .bigEndian), half <= highest, Self.isCall(half) { return true }
        }
        return false
    }
}

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
