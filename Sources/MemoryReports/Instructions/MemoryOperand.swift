/// The memory that an instruction accesses: a register, plus a scaled register, plus a number.
///
/// For example `mov eax, [rdi + 8*rcx + 0x10]`.
package struct MemoryOperand: Hashable {
    /// By their assembler names; `nil` for none.
    package var base: String?
    package var index: String?
    package var scale: UInt64 = 1
    package var displacement: Int64 = 0

    /// Returns the address, if all registers are known.
    /// - Parameter register: the value of a register.
    package func address(is32Bit: Bool, _ register: (String) -> UInt64?) -> UInt64? {
        var address = UInt64(bitPattern: displacement)
        if let base {
            guard let value = register(base) else { return nil }
            address &+= value
        }
        if let index {
            guard let value = register(index) else { return nil }
            address &+= value &* scale
        }
        return is32Bit ? address & 0xffff_ffff : address
    }

    /// `rdi + 8*rcx + 0x10`
    package var text: String {
        var parts = [base, index.map { scale == 1 ? $0 : "\(scale)*\($0)" }].compactMap { $0 }
        if displacement != 0, displacement > 0 || parts.isEmpty { parts.append("0x" + String(displacement, radix: 16)) }
        let sum = parts.joined(separator: " + ")
        return displacement < 0 && !parts.isEmpty ? sum + " - 0x" + String(displacement.magnitude, radix: 16) : sum
    }
}
