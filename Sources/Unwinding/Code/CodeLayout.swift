internal import BinaryPrimitives
internal import CallSites

/// How to go from a frame to its caller as the instructions of its function say: the bytes that they push and
/// subtract from the stack pointer, and the registers that they save.
///
/// For code without unwind rules, such as musl's and most assembly.
struct CodeLayout: Sendable {
    private let state: CodeState

    init(_ state: CodeState) { self.state = state }

    /// Reads a function's instructions.
    /// - Parameters:
    ///   - code: from the function's first byte on, up to its end if that is known.
    ///   - offset: from that byte to the instruction, or to where a call returns.
    ///   - address: of the first byte.
    ///   - isThumb: whether a function of 32-bit ARM has Thumb's instructions.
    init?(_ code: RawSpan, at offset: Int, isReturn: Bool, address: UInt64, _ processor: Processor, isThumb: Bool) {
        guard let convention = CallingConvention(processor) else { return nil }
        func state(_ machine: some CodeMachine) -> CodeState? {
            CodeWalk(machine, convention, in: code)?.state(at: offset, isReturn: isReturn, in: code)
        }
        let found: CodeState? =
            switch processor {
            case .x86_64, .i386: state(X86Code(is64Bit: processor == .x86_64))
            case .arm64: state(ARM64Code())
            case .arm: isThumb ? state(ThumbCode(address: address)) : state(ARMCode())
            case .riscv64, .riscv32: state(RISCVCode(is64Bit: processor == .riscv64))
            default: nil
            }
        guard let found else { return nil }
        self.state = found
    }

    /// - Returns: `nil` if the instructions do not say where the frame or the return address is, or memory is missing.
    func caller(of registers: Registers, _ memory: Memory) -> Registers? {
        guard let frame = frame(registers, memory) else { return nil }
        let convention = state.convention
        var caller = registers
        caller.stackPointer = frame
        for register in convention.preservedRegisters {
            caller[register] = value(state.origin(of: register), registers, memory, frame)
        }
        let address =
            if let link = convention.link {
                value(state.origin(of: link), registers, memory, frame)
            } else {
                memory.read(registers.processor.cut(frame &- UInt64(convention.word)), size: convention.word)
            }
        guard let address else { return nil }
        caller.programCounter = address
        return caller
    }

    /// The CFA by each register that is known to point to the stack.
    /// - Returns: `nil` if there is none, or they disagree.
    private func frame(_ registers: Registers, _ memory: Memory) -> UInt64? {
        var found: UInt64?
        for register in [state.convention.stackPointer] + state.convention.preservedRegisters {
            guard let value = registers[register], let frame = frame(by: state[register], value, registers.processor, memory) else {
                continue
            }
            guard found == nil || found == frame else { return nil }
            found = frame
        }
        return found
    }

    private func frame(by known: CodeState.Value, _ value: UInt64, _ processor: Processor, _ memory: Memory) -> UInt64? {
        switch known {
        case .frame(let offset): return processor.cut(value &- UInt64(bitPattern: offset))
        case .aligned(let position, let offset):
            // A function that aligns its stack saves an address of before.
            for slot in state.slots {
                guard case .aligned(position, let saved) = slot.address, case .frame(let distance) = slot.value else { continue }
                let address = processor.cut(value &- UInt64(bitPattern: offset) &+ UInt64(bitPattern: saved))
                return memory.read(address, size: state.convention.word).map { processor.cut($0 &- UInt64(bitPattern: distance)) }
            }
            return nil
        case .entry, .constant, .unknown: return nil
        }
    }

    private func value(_ origin: CodeState.Origin, _ registers: Registers, _ memory: Memory, _ frame: UInt64) -> UInt64? {
        switch origin {
        case .register(let register): return registers[register]
        case .memory(.frame(let offset)):
            return memory.read(registers.processor.cut(frame &+ UInt64(bitPattern: offset)), size: state.convention.word)
        case .memory(.aligned(let position, let saved)):
            for register in [state.convention.stackPointer] + state.convention.preservedRegisters {
                guard case .aligned(position, let offset) = state[register], let value = registers[register] else { continue }
                let address = registers.processor.cut(value &- UInt64(bitPattern: offset) &+ UInt64(bitPattern: saved))
                return memory.read(address, size: state.convention.word)
            }
            return nil
        case .memory, .lost: return nil
        }
    }
}
