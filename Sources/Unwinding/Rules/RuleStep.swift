internal import BinaryPrimitives
internal import CallFrames

/// Goes from a frame to its caller by the rules of `.eh_frame` and `.debug_frame` (DWARF 5, section
/// 6.4.4).
struct RuleStep {
    let rules: FrameRules
    let registers: Registers
    let memory: Memory
    let order: ByteOrder
    let addressSize: Int
    /// On Darwin the stack pointer and the frame pointer of i386 have each other's numbers in
    /// `__eh_frame` (LLVM, `X86RegisterInfo.td`, `DwarfFlavour::X86_32_DarwinEH`).
    let swapsFrameRegisters: Bool

    private var processor: Processor { registers.processor }

    func caller() -> CallerStep {
        let frame: UInt64
        switch rules.frame {
        case .register(let register, let offset, nil):
            guard let value = registers[number(register)] else { return .failed }
            frame = processor.cut(value &+ UInt64(bitPattern: offset))
        case .expression(let range, _):
            guard let value = expression.value(of: rules.expression(range), frame: nil) else { return .failed }
            frame = value
        default: return .failed
        }

        var caller = registers
        if processor.frameIsStackPointer { caller.stackPointer = frame }
        var returnAddress: UInt64?
        let column = number(rules.returnRegister)
        for (register, rule) in rules.registers {
            let register = number(register)
            // AArch64's column of the signature's state: a flag, and no register.
            if processor == .arm64, register == 34 { continue }
            switch value(of: rule, register, frame) {
            case .value(let value):
                if register == column { returnAddress = value }
                if register != processor.programCounter { caller[register] = value }
            case .unknown:
                if register == column { return .outermost }
                caller[register] = nil
            case .unread(let address):
                // A register that cannot be read matters only where a rule needs it.
                if register == column || register == processor.stackPointer { return .missingMemory(address) }
                caller[register] = nil
            case .unchanged:
                if register == column { returnAddress = registers[column] }
            case .missing:
                // The only registers that are lost from frame to frame are those of a window that was not saved.
                if register == column { return processor.hasWindows ? .missingMemory(registers.windowAddress(of: 31)) : .failed }
                caller[register] = nil
            }
        }
        if rules.registers[rules.returnRegister] == nil { returnAddress = registers[column] }
        guard let returnAddress, caller[processor.stackPointer] != nil else { return .failed }
        caller.programCounter = processor.cut(processor.returnAddress(saved: returnAddress))
        return .caller(caller, isExact: rules.isSignalFrame)
    }

    private enum Value {
        case value(UInt64), unknown, unread(UInt64), unchanged
        /// Its rule is another register, which is not known.
        case missing
    }

    private func value(of rule: FrameRule, _ register: Int, _ frame: UInt64) -> Value {
        switch rule {
        case .unspecified, .same: return .unchanged
        case .undefined: return .unknown
        case .constant(let value): return .value(UInt64(bitPattern: value))
        case .frame(let offset, let isDereferenced): return saved(frame &+ UInt64(bitPattern: offset), isDereferenced)
        case .register(let other, let offset, nil):
            return registers[number(other)].map { .value($0 &+ UInt64(bitPattern: offset)) } ?? .missing
        case .register: return .unknown
        case .expression(let range, let isDereferenced):
            guard let value = expression.value(of: rules.expression(range), frame: frame) else { return .unknown }
            return saved(value, isDereferenced)
        }
    }

    private func saved(_ address: UInt64, _ isDereferenced: Bool) -> Value {
        let address = processor.cut(address)
        guard isDereferenced else { return .value(address) }
        return memory.read(address, size: processor.registerSize).map { .value($0) } ?? .unread(address)
    }

    private var expression: FrameExpression {
        FrameExpression(registers: registers, memory: memory, order: order, addressSize: addressSize)
    }

    private func number(_ register: UInt64) -> Int {
        let number = Int(clamping: register)
        guard swapsFrameRegisters else { return number }
        return number == 4 ? 5 : number == 5 ? 4 : number
    }
}
