/// The operand in an instruction of arm64 (Arm's manual, C4.1.94, loads and stores).
extension MemoryOperand {
    /// - Returns: `nil` if it is not a load or store through a register.
    package init?(arm64 word: UInt32) {
        guard word & 0x0a00_0000 == 0x0800_0000 else { return nil }
        self.init()
        let register = word >> 5 & 31
        base = register == 31 ? "sp" : "x\(register)"
        let isVector = word >> 26 & 1 == 1
        let size = word >> 30
        if word & 0x3b00_0000 == 0x3900_0000 {
            // A number of elements.
            displacement = Int64(word >> 10 & 0xfff) << Int64(isVector && word >> 23 & 1 == 1 ? 4 : size)
        } else if word & 0x3b20_0c00 == 0x3820_0800 {
            let other = word >> 16 & 31
            guard other != 31, word >> 13 & 7 == 3 else { return nil }
            index = "x\(other)"
            if word >> 12 & 1 == 1 { scale = 1 << UInt64(isVector && word >> 23 & 1 == 1 ? 4 : size) }
        } else if word & 0x3b20_0000 == 0x3800_0000 {
            // Afterwards, where the bits 10 and 11 are 01.
            if word >> 10 & 3 != 1 { displacement = Int64(Int32(bitPattern: word << 11) >> 23) }
        } else if word & 0x3a00_0000 == 0x2800_0000 {
            let unit: UInt32 = isVector ? size + 2 : 2 + (size >> 1)
            // Afterwards, where the bits 23 and 24 are 01.
            if word >> 23 & 3 != 1 { displacement = Int64(Int32(bitPattern: word << 10) >> 25) << Int64(unit) }
        } else if word & 0x3b00_0000 == 0x1800_0000 {
            // From where the program counter is.
            return nil
        }
    }
}
