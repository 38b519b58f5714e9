/// Operands of the opcodes of x86's first two maps: a byte for each opcode.
enum X86Shapes {
    /// The lowest three bits: the immediate operand.
    static let immediate: UInt8 = 0x07
    static let none: UInt8 = 0
    static let byte: UInt8 = 1
    static let word: UInt8 = 2
    /// Two or four bytes, by the operand size.
    static let sizeZ: UInt8 = 3
    /// Two, four or eight.
    static let sizeV: UInt8 = 4
    /// An address in full (`moffs`).
    static let offset: UInt8 = 5
    /// ENTER.
    static let wordAndByte: UInt8 = 6
    static let farPointer: UInt8 = 7

    static let modRM: UInt8 = 0x08
    static let prefix: UInt8 = 0x10
    /// The opcode alone does not say how long the instruction is, or it may be a call.
    static let special: UInt8 = 0x20
    /// There is no such instruction.
    static let invalid: UInt8 = 0xa0

    /// The one-byte map, then the map after 0F.
    static func table(is64Bit: Bool) -> [UInt8] {
        var table = [UInt8](repeating: 0, count: 512)
        func set(_ opcodes: ClosedRange<Int>, _ shape: UInt8) { for opcode in opcodes { table[opcode] = shape } }
        oneByte(set)
        if is64Bit {
            for opcode in [
                0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x82, 0x9a, 0xce, 0xd4, 0xd5, 0xd6, 0xea,
            ] {
                table[opcode] = invalid
            }
            set(0x40...0x4f, prefix)  // REX
        }
        func setSecond(_ opcodes: ClosedRange<Int>, _ shape: UInt8) { for opcode in opcodes { table[256 + opcode] = shape } }
        twoBytes(setSecond)
        return table
    }

    private static func oneByte(_ set: (ClosedRange<Int>, UInt8) -> Void) {
        // Arithmetic: four forms with ModRM, two with the accumulator, two of segment registers or
        // decimal adjustment.
        for row in stride(from: 0x00, through: 0x38, by: 8) {
            set(row...row + 3, modRM)
            set(row + 4...row + 4, byte)
            set(row + 5...row + 5, sizeZ)
        }
        set(0x0f...0x0f, special)
        for opcode in [0x26, 0x2e, 0x36, 0x3e] { set(opcode...opcode, prefix) }  // segments
        set(0x62...0x62, special)
        set(0x63...0x63, modRM)
        set(0x64...0x67, prefix)
        set(0x68...0x68, sizeZ)
        set(0x69...0x69, modRM | sizeZ)
        set(0x6a...0x6a, byte)
        set(0x6b...0x6b, modRM | byte)
        set(0x70...0x7f, byte)
        set(0x80...0x80, modRM | byte)
        set(0x81...0x81, modRM | sizeZ)
        set(0x82...0x83, modRM | byte)
        set(0x84...0x8e, modRM)
        set(0x8f...0x8f, special)
        set(0x9a...0x9a, special | farPointer)
        set(0xa0...0xa3, offset)
        set(0xa8...0xa8, byte)
        set(0xa9...0xa9, sizeZ)
        set(0xb0...0xb7, byte)
        set(0xb8...0xbf, sizeV)
        set(0xc0...0xc1, modRM | byte)
        set(0xc2...0xc2, word)
        set(0xc4...0xc7, special)
        set(0xc8...0xc8, wordAndByte)
        set(0xca...0xca, word)
        set(0xcd...0xcd, byte)
        set(0xd0...0xd3, modRM)
        set(0xd4...0xd5, byte)
        set(0xd8...0xdf, modRM)
        set(0xe0...0xe7, byte)
        set(0xe8...0xe8, special | sizeZ)
        set(0xe9...0xe9, sizeZ)
        set(0xea...0xea, farPointer)
        set(0xeb...0xeb, byte)
        set(0xf0...0xf0, prefix)
        set(0xf2...0xf3, prefix)
        set(0xf6...0xf7, special)
        set(0xfe...0xfe, special)
        set(0xff...0xff, special | modRM)
    }

    private static func twoBytes(_ set: (ClosedRange<Int>, UInt8) -> Void) {
        set(0x00...0xff, modRM)
        for opcode in [0x05, 0x06, 0x07, 0x08, 0x09, 0x0b, 0x0e, 0x77, 0xa0, 0xa1, 0xa2, 0xa8, 0xa9, 0xaa] { set(opcode...opcode, none) }
        set(0x0f...0x0f, modRM | byte)  // 3DNow!: its opcode comes last
        for opcode in [0x20, 0x21, 0x22, 0x23, 0x24, 0x26] { set(opcode...opcode, special) }
        set(0x30...0x37, none)
        set(0x38...0x38, special)
        set(0x3a...0x3a, special)
        for opcode in [0x04, 0x0a, 0x0c, 0x25, 0x27, 0x36, 0x39, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f] { set(opcode...opcode, invalid) }
        set(0x70...0x73, modRM | byte)
        set(0x78...0x78, special)
        set(0x80...0x8f, sizeZ)
        for opcode in [0xa4, 0xac, 0xba, 0xc2, 0xc4, 0xc5, 0xc6] { set(opcode...opcode, modRM | byte) }
        set(0xc8...0xcf, none)
    }
}
