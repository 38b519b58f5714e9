internal import BinaryPrimitives

/// ARM instructions of 32-bit ARM (Arm Architecture Reference Manual, ARMv7-A, A5): arithmetic of the stack pointer,
/// saves, and which registers other instructions change.
struct ARMCode: CodeMachine {
    func execute(at position: Int, in code: RawSpan, _ state: inout CodeState) -> CodeStep? {
        guard let word = code.instruction(UInt32.self, at: position) else { return nil }
        guard word >> 28 != 15 else { return CodeStep(length: 4, flow: unconditional(word, &state)) }
        let before = state
        guard let flow = effect(word, position, code, &state) else { return nil }
        let step = CodeStep(length: 4, flow: flow)
        return word >> 28 == 14 ? step : step.conditional(before, &state)
    }

    private func unconditional(_ word: UInt32, _ state: inout CodeState) -> CodeStep.Flow {
        if word & 0xfe00_0000 == 0xfa00_0000 { return .call }
        if word & 0xff00_0000 == 0xf400_0000 { ARMOperands.advanceVector(word.register(16, 4), by: word.register(0, 4), &state) }
        return .next
    }

    private func effect(_ word: UInt32, _ position: Int, _ code: RawSpan, _ state: inout CodeState) -> CodeStep.Flow? {
        switch word.bits(25, 3) {
        case 0 where word.has(4) && word.has(7): return extra(word, &state)
        case 0, 1: return arithmetic(word, position, &state)
        case 3 where word.has(4):
            // Signed multiplications and divisions, else media instructions.
            state[word.register(word & 0x0f80_0000 == 0x0700_0000 ? 16 : 12, 4)] = .unknown
            return word & 0x0ff0_00f0 == 0x07f0_00f0 ? .end : .next
        case 2, 3: return single(word, position, code, &state)
        case 4: return multiple(word, &state)
        case 5: return word.has(24) ? .call : .jump(position + 8 + Int(word.signed(0, 24)) * 4)
        default:
            guard word.bits(24, 4) != 15 else {
                state[0] = .unknown
                return .next
            }
            ARMOperands.coprocessor(word, &state)
            return .next
        }
    }

    private func arithmetic(_ word: UInt32, _ position: Int, _ state: inout CodeState) -> CodeStep.Flow {
        let (first, target, second) = (word.register(16, 4), word.register(12, 4), word.register(0, 4))
        let operation = word.bits(21, 4)
        if operation >> 2 == 2, !word.has(20) {
            // Moves of 16 bits, and branches through a register, among others.
            switch word & 0x0ff0_00f0 {
            case 0x0120_0010: return jump(second, state)
            case 0x0120_0030: return .call
            case 0x0120_0070: return .end
            default: break
            }
            let number = Int64(word.bits(16, 4) << 12 | word.bits(0, 12))
            if word & 0x0ff0_0000 == 0x0300_0000 { state[target] = .constant(number) }
            if word & 0x0ff0_0000 == 0x0340_0000 { state[target] = ARMOperands.withUpperHalf(state[target], number) }
            // MRS, CLZ, and saturating and half multiplications.
            if !word.has(25) { for register in word.has(7) ? [first, target] : [target] { state[register] = .unknown } }
            return .next
        }
        guard operation >> 2 != 2 else { return .next }
        let operand: CodeState.Value =
            if word.has(25) {
                .constant(ARMOperands.rotated(word))
            } else {
                word.bits(4, 8) == 0 ? state[second] : .unknown
            }
        if target == 15 { return operation == 13 ? jump(second, state) : .computedJump(isConditional: false) }
        state[target] = ARMOperands.result(operation, state[first], operand, at: position)
        return .next
    }

    private func jump(_ register: Int, _ state: CodeState) -> CodeStep.Flow {
        register == 14 || state[register] == .entry(14) ? .end : .computedJump(isConditional: false)
    }

    /// Loads and stores of halves and pairs, and multiplications.
    private func extra(_ word: UInt32, _ state: inout CodeState) -> CodeStep.Flow {
        let (base, target) = (word.register(16, 4), word.register(12, 4))
        guard word.bits(5, 2) != 0 else {
            // Multiplications, and exclusive accesses.
            let isMultiplication = word.bits(24, 4) == 0
            if isMultiplication { state[base] = .unknown }
            if !isMultiplication || word.has(23) { state[target] = .unknown }
            return .next
        }
        let number = Int64(word.bits(8, 4) << 4 | word.bits(0, 4))
        let offset = word.has(22) ? CodeState.Value.constant(word.has(23) ? number : 0 - number) : .unknown
        let isPair = !word.has(20) && word.has(6)
        let isLoad = word.has(20) || isPair && !word.has(5)
        let address = word.has(24) ? state[base].adding(offset) : state[base]
        let moved = state[base].adding(offset)
        for (index, register) in (target...(isPair ? target + 1 : target)).enumerated() {
            let slot = address.adding(Int64(4 * index))
            if isLoad {
                state[register] = isPair ? state.load(slot) : .unknown
            } else {
                state.store(isPair ? state[register] : .unknown, at: slot)
            }
        }
        if !word.has(24) || word.has(21) { state[base] = moved }
        return .next
    }

    private func single(_ word: UInt32, _ position: Int, _ code: RawSpan, _ state: inout CodeState) -> CodeStep.Flow {
        let (base, target) = (word.register(16, 4), word.register(12, 4))
        let number = Int64(word.bits(0, 12))
        let distance = word.has(23) ? number : 0 - number
        let offset = word.has(25) ? CodeState.Value.unknown : .constant(distance)
        let address = word.has(24) ? state[base].adding(offset) : state[base]
        let isByte = word.has(22)
        guard word.has(20) else {
            state.store(isByte ? .unknown : state[target], at: address)
            if !word.has(24) || word.has(21) { state[base] = state[base].adding(offset) }
            return .next
        }
        var value = isByte ? CodeState.Value.unknown : state.load(address)
        if base == 15, !word.has(25), !isByte, let number = code.instruction(Int32.self, at: position + 8 + Int(distance)) {
            value = .constant(Int64(number))
        }
        if !word.has(24) || word.has(21) { state[base] = state[base].adding(offset) }
        if target == 15 { return value == .entry(14) || base == 13 ? .end : .computedJump(isConditional: false) }
        state[target] = value
        return .next
    }

    private func multiple(_ word: UInt32, _ state: inout CodeState) -> CodeStep.Flow {
        ARMOperands.multiple(
            word.register(16, 4), list: word & 0xffff, isUp: word.has(23), isBefore: word.has(24), writesBack: word.has(21),
            isLoad: word.has(20), &state)
    }
}

/// Common parts of the two instruction sets of 32-bit ARM.
enum ARMOperands {
    /// The result of one of the sixteen operations on data.
    static func result(_ operation: UInt32, _ first: CodeState.Value, _ second: CodeState.Value, at position: Int) -> CodeState.Value {
        switch operation {
        case 2: return first.subtracting(second)
        case 4: return first.adding(second)
        case 13: return second
        case 15:
            if case .constant(let number) = second { return .constant(~number) }
            return .unknown
        case 0, 14:
            if first.isStack, case .constant = second { return .aligned(position, 0) }
            return .unknown
        default: return .unknown
        }
    }

    /// A byte that is rotated right by twice a number of bits (A5.2.4).
    static func rotated(_ word: UInt32) -> Int64 {
        let (byte, count) = (word & 0xff, word.bits(8, 4) * 2)
        return Int64(count == 0 ? byte : byte >> count | byte << (32 - count))
    }

    static func withUpperHalf(_ value: CodeState.Value, _ number: Int64) -> CodeState.Value {
        guard case .constant(let low) = value else { return .unknown }
        return .constant(Int64(Int32(truncatingIfNeeded: low & 0xffff | number << 16)))
    }

    /// LDM and STM, and the pushes and pops among them.
    static func multiple(
        _ base: Int, list: UInt32, isUp: Bool, isBefore: Bool, writesBack: Bool, isLoad: Bool, _ state: inout CodeState
    ) -> CodeStep.Flow {
        let start = state[base]
        let size = Int64(list.nonzeroBitCount * 4)
        let lowest = isUp ? start.adding(isBefore ? 4 : 0) : start.adding(0 - size).adding(isBefore ? 0 : 4)
        var offset: Int64 = 0
        let registers = (0..<16).filter { list.has(UInt32($0)) }
        let values = registers.map { state[$0] }
        var loaded: [(Int, CodeState.Value)] = []
        for (register, value) in zip(registers, values) {
            if isLoad {
                loaded.append((register, state.load(lowest.adding(offset))))
            } else {
                state.store(value, at: lowest.adding(offset))
            }
            offset += 4
        }
        if writesBack { state[base] = start.adding(isUp ? size : 0 - size) }
        for (register, value) in loaded where register != 15 { state[register] = value }
        guard isLoad, registers.contains(15) else { return .next }
        return .end
    }

    /// Loads and stores of vector registers with a register list, and moves to general registers. Both instruction
    /// sets have the same bits.
    static func coprocessor(_ word: UInt32, _ state: inout CodeState) {
        let (base, target) = (word.register(16, 4), word.register(12, 4))
        if word.bits(25, 3) == 6 {
            let (isBefore, isUp) = (word.has(24), word.has(23))
            // Moves of two registers.
            if !isBefore, !isUp, !word.has(21) {
                if word.has(22), word.has(20) { for register in [base, target] { state[register] = .unknown } }
                return
            }
            let size = Int64(word.bits(0, 8) * 4)
            let start = state[base]
            let end = start.adding(isUp ? size : 0 - size)
            // One register, else a list of them.
            let isSingle = isBefore && !word.has(21)
            if !word.has(20) {
                let first = isSingle || !isUp ? end : start
                for offset in stride(from: 0, to: isSingle ? 8 : min(size, 256), by: 4) { state.store(.unknown, at: first.adding(offset)) }
            }
            if word.has(21) { state[base] = end }
        } else if word.bits(24, 4) == 14, word.has(4), word.has(20), target != 15 {
            state[target] = .unknown
        }
    }

    /// Loads and stores of elements: 13 advances the address by their size, 15 leaves it.
    static func advanceVector(_ base: Int, by register: Int, _ state: inout CodeState) {
        if register != 15 { state[base] = .unknown }
    }
}
