internal import BinaryPrimitives

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
