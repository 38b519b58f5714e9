internal import BinaryPrimitives

/// RISC-V (The RISC-V Instruction Set Manual, volume I, chapters 2 and 26 for compressed ones): arithmetic of the stack
/// pointer, saves, and which registers other instructions change.
struct RISCVCode: CodeMachine {
    let is64Bit: Bool

    private var size: UInt32 { is64Bit ? 8 : 4 }

    func execute(at position: Int, in code: RawSpan, _ state: inout CodeState) -> CodeStep? {
        guard let half = code.instruction(UInt16.self, at: position) else { return nil }
        if half & 3 != 3 { return compressed(UInt32(half), position, &state).map { CodeStep(length: 2, flow: $0) } }
        guard half & 0x1f != 0x1f, let word = code.instruction(UInt32.self, at: position) else { return nil }
        return full(word, position, &state).map { CodeStep(length: 4, flow: $0) }
    }

    /// Sets a register; the first is zero.
    private func set(_ register: Int, _ value: CodeState.Value, _ state: inout CodeState) {
        if register != 0 { state[register] = value }
    }

    private func value(_ register: Int, _ state: CodeState) -> CodeState.Value { register == 0 ? .constant(0) : state[register] }

    private func full(_ word: UInt32, _ position: Int, _ state: inout CodeState) -> CodeStep.Flow? {
        let (target, first, second) = (word.register(7), word.register(15), word.register(20))
        let form = word.bits(12, 3)
        switch word & 0x7f {
        case 0x13:
            let number = word.signed(20, 12)
            switch form {
            case 0: set(target, value(first, state).adding(number), &state)
            case 7: set(target, number < 0 && state[first].isStack ? .aligned(position, 0) : .unknown, &state)
            case 1:
                if case .constant(let old) = value(first, state) {
                    set(target, .constant(old << Int64(word.bits(20, 6))), &state)
                } else {
                    set(target, .unknown, &state)
                }
            default: set(target, .unknown, &state)
            }
        case 0x1b:
            // ADDIW: of constants only.
            let result = form == 0 ? value(first, state).adding(word.signed(20, 12)) : .unknown
            if case .constant = result { set(target, result, &state) } else { set(target, .unknown, &state) }
        case 0x37: set(target, .constant(word.signed(12, 20) << 12), &state)
        case 0x33:
            let result: CodeState.Value =
                switch (word.bits(25, 7), form) {
                case (0, 0): value(first, state).adding(value(second, state))
                case (0x20, 0): value(first, state).subtracting(value(second, state))
                default: .unknown
                }
            set(target, result, &state)
        case 0x23:
            let address = value(first, state).adding(word.signed(25, 7) << 5 | Int64(word.bits(7, 5)))
            state.store(form == (is64Bit ? 3 : 2) ? value(second, state) : .unknown, at: address)
        case 0x03: set(target, form == (is64Bit ? 3 : 2) ? state.load(value(first, state).adding(word.signed(20, 12))) : .unknown, &state)
        case 0x63:
            let distance = word.signed(31, 1) << 12 | Int64(word.bits(7, 1) << 11 | word.bits(25, 6) << 5 | word.bits(8, 4) << 1)
            return .branch(position + Int(distance))
        case 0x6f:
            let distance = word.signed(31, 1) << 20 | Int64(word & 0xff000 | word.bits(20, 1) << 11 | word.bits(21, 10) << 1)
            return jump(target, position + Int(distance), &state)
        case 0x67: return jump(target, through: first, &state)
        // Stores and arithmetic of floating point, and fences.
        case 0x27, 0x07, 0x43, 0x47, 0x4b, 0x4f, 0x0f: break
        case 0x53:
            if word.bits(25, 7) >> 2 == 0x14 || word.bits(25, 7) >> 2 == 0x18 || word.bits(25, 7) >> 2 == 0x1c {
                set(target, .unknown, &state)
            }
        case 0x73:
            if word == 0x0010_0073 { return .end }
            if word == 0x0000_0073 { state[10] = .unknown } else { set(target, .unknown, &state) }
        default: set(target, .unknown, &state)
        }
        return .next
    }

    /// A jump that leaves the return address in a register: a call, if it is one of the two link registers.
    private func jump(_ link: Int, _ target: Int, _ state: inout CodeState) -> CodeStep.Flow {
        if link == 0 { return .jump(target) }
        if link == 5 { callHelper(&state) } else { set(link, .unknown, &state) }
        return .call
    }

    private func jump(_ link: Int, through register: Int, _ state: inout CodeState) -> CodeStep.Flow {
        if link == 0 {
            return register == 1 || state[register] == .entry(1) ? .end : .computedJump(isConditional: false)
        }
        if link == 5 { callHelper(&state) } else { set(link, .unknown, &state) }
        return .call
    }

    /// `__riscv_save_12` and its kin, which are called through `t0`, save registers for their caller and move
    /// the stack pointer.
    private func callHelper(_ state: inout CodeState) {
        for register in 0..<32 { state[register] = .unknown }
    }

    // MARK: Compressed

    private func compressed(_ half: UInt32, _ position: Int, _ state: inout CodeState) -> CodeStep.Flow? {
        switch half & 3 {
        case 0: return firstQuadrant(half, &state)
        case 1: return secondQuadrant(half, position, &state)
        default: return thirdQuadrant(half, &state)
        }
    }

    private func firstQuadrant(_ half: UInt32, _ state: inout CodeState) -> CodeStep.Flow? {
        let (base, register) = (half.register(7, 3) + 8, half.register(2, 3) + 8)
        let wide = half.bits(10, 3) << 3 | half.bits(5, 2) << 6
        let narrow = half.bits(10, 3) << 3 | half.bits(6, 1) << 2 | half.bits(5, 1) << 6
        switch half >> 13 {
        case 0:
            let number = half.bits(11, 2) << 4 | half.bits(7, 4) << 6 | half.bits(6, 1) << 2 | half.bits(5, 1) << 3
            guard number != 0 else { return nil }
            state[register] = state.stackPointer.adding(Int64(number))
        case 2: state[register] = is64Bit ? .unknown : state.load(state[base].adding(Int64(narrow)))
        case 3 where is64Bit: state[register] = state.load(state[base].adding(Int64(wide)))
        case 6: state.store(is64Bit ? .unknown : state[register], at: state[base].adding(Int64(narrow)))
        case 7 where is64Bit: state.store(state[register], at: state[base].adding(Int64(wide)))
        case 4:
            // Loads and stores of bytes and halves.
            if half.bits(10, 3) < 2 { state[register] = .unknown }
        default: break
        }
        return .next
    }

    private func secondQuadrant(_ half: UInt32, _ position: Int, _ state: inout CodeState) -> CodeStep.Flow? {
        let register = half.register(7)
        let number = half.signed(12, 1) << 5 | Int64(half.bits(2, 5))
        switch half >> 13 {
        case 0: set(register, value(register, state).adding(number), &state)
        case 1 where is64Bit:
            let result = value(register, state).adding(number)
            if case .constant = result { set(register, result, &state) } else { set(register, .unknown, &state) }
        case 1, 5:
            let high = half.signed(12, 1) << 11 | Int64(half.bits(11, 1) << 4 | half.bits(9, 2) << 8 | half.bits(8, 1) << 10)
            let low = half.bits(7, 1) << 6 | half.bits(6, 1) << 7 | half.bits(3, 3) << 1 | half.bits(2, 1) << 5
            return half >> 13 == 1 ? .call : .jump(position + Int(high | Int64(low)))
        case 2: set(register, .constant(number), &state)
        case 3 where register == 2:
            let low = half.bits(6, 1) << 4 | half.bits(5, 1) << 6 | half.bits(3, 2) << 7 | half.bits(2, 1) << 5
            state.stackPointer = state.stackPointer.adding(half.signed(12, 1) << 9 | Int64(low))
        case 3: set(register, .constant(number << 12), &state)
        case 4: state[half.register(7, 3) + 8] = .unknown
        default:
            let low = half.bits(10, 2) << 3 | half.bits(5, 2) << 6 | half.bits(3, 2) << 1 | half.bits(2, 1) << 5
            return .branch(position + Int(half.signed(12, 1) << 8 | Int64(low)))
        }
        return .next
    }

    private func thirdQuadrant(_ half: UInt32, _ state: inout CodeState) -> CodeStep.Flow? {
        let (register, other) = (half.register(7), half.register(2))
        switch half >> 13 {
        case 0: set(register, .unknown, &state)
        case 2:
            let offset = half.bits(12, 1) << 5 | half.bits(4, 3) << 2 | half.bits(2, 2) << 6
            set(register, is64Bit ? .unknown : state.load(state.stackPointer.adding(Int64(offset))), &state)
        case 3 where is64Bit:
            let offset = half.bits(12, 1) << 5 | half.bits(5, 2) << 3 | half.bits(2, 3) << 6
            set(register, state.load(state.stackPointer.adding(Int64(offset))), &state)
        case 4:
            switch (half.has(12), register, other) {
            case (true, 0, 0): return .end
            case (false, 0, _): return nil
            case (false, _, 0): return jump(0, through: register, &state)
            case (true, _, 0): return .call
            case (false, _, _): set(register, value(other, state), &state)
            case (true, _, _): set(register, value(register, state).adding(value(other, state)), &state)
            }
        case 6:
            state.store(
                is64Bit ? .unknown : value(other, state), at: state.stackPointer.adding(Int64(half.bits(9, 4) << 2 | half.bits(7, 2) << 6)))
        case 7 where is64Bit:
            state.store(value(other, state), at: state.stackPointer.adding(Int64(half.bits(10, 3) << 3 | half.bits(7, 3) << 6)))
        default: break
        }
        return .next
    }
}
