internal import BinaryPrimitives
internal import CallSites
internal import CrashLogModel
internal import Unwinding

/// Explains a refused access by the operand of the instruction, and the registers that led to it.
///
/// For example `8b 47 10 accesses memory at rdi + 0x10; rdi is 0x0`: a member of a null pointer.
struct FaultingInstruction {
    let registers: Registers
    /// Bytes from the program counter on, which begin with the instruction.
    let code: [UInt8]

    /// Maximum number of bytes of an instruction.
    static let longest = 15

    /// - Parameter cause: the system's cause of the crash.
    /// - Returns: `nil` if the operand does not lead to the address that was refused, or either is not known.
    func sentence(_ cause: CrashCause) -> String? {
        guard cause.signal == "SIGSEGV" || cause.signal == "SIGBUS" || cause.type == "EXCEPTION_ACCESS_VIOLATION", let operand,
            let address = operand.address(is32Bit: registers.processor.registerSize == 4, { registers[name: $0] })
        else { return nil }
        let text = shownBytes + "accesses memory at \(operand.text)"
        if let refused = cause.address {
            // An operand of several bytes may be refused from its second page on.
            guard refused.value &- address < 64 else { return nil }
            return text + values(operand)
        }
        // The system does not report an address that no processor has.
        guard registers.processor == .x86_64, address >> 47 != 0, address >> 47 != 0x1_ffff else { return nil }
        return text + " = \(RuntimeAddress(address)), which no pointer can be" + values(operand)
    }

    /// `8b 47 08 ` with its blank.
    private var shownBytes: String {
        guard let length = InstructionLength.first(in: code.span.rawBytes, registers.processor.architecture) else { return "" }
        return code.prefix(length).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) + " " }.joined()
    }

    private func values(_ operand: MemoryOperand) -> String {
        let named = [operand.base, operand.index].compactMap { $0 }
        let texts = named.compactMap { name in registers[name: name].map { "\(name) is \(RuntimeAddress($0))" } }
        return texts.isEmpty ? "" : "; " + texts.joined(separator: ", ")
    }

    private var operand: MemoryOperand? {
        switch registers.processor {
        case .x86_64, .i386: return MemoryOperand(x86: code, is64Bit: registers.processor == .x86_64)
        case .arm64:
            guard code.count >= 4 else { return nil }
            return MemoryOperand(arm64: code.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        default: return nil
        }
    }
}
