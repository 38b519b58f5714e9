package import BinaryPrimitives

/// How many bytes an instruction has.
package enum InstructionLength {
    /// - Parameter code: from the instruction's first byte on; it may end after the instruction.
    /// - Returns: `nil` if the instruction is not known, or its machine is not.
    package static func first(in code: RawSpan, _ architecture: Architecture) -> Int? {
        switch architecture.family {
        case "x86_64", "i386":
            let length = X86(is64Bit: architecture.family == "x86_64").instruction(at: 0, after: -1, in: code, at: 0).length
            return length == 0 ? nil : Int(length)
        case "arm64": return code.byteCount >= 4 ? 4 : nil
        default: return nil
        }
    }
}
