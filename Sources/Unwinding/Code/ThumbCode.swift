internal import BinaryPrimitives

/// Thumb instructions of 32-bit ARM (Arm Architecture Reference Manual, ARMv7-A, A6).
struct ThumbCode: CodeMachine {
    /// The function's first byte: literals are at multiples of four.
    let address: UInt64

    func execute(at position: Int, in code: RawSpan, _ state: inout CodeState) -> CodeStep? {
        guard let first = code.instruction(UInt16.self, at: position) else { return nil }
        let isConditional = state.conditionalCount > 0
        if isConditional { state.conditionalCount -= 1 }
        let before = state
        let step: CodeStep?
        if first >= 0xe800 {
            guard let second = code.instruction(UInt16.self, at: position + 2) else { return nil }
            step = wide(UInt32(first) << 16 | UInt32(second), position, code, &state).map { CodeStep(length: 4, flow: $0) }
        } else {
            step = narrow(UInt32(first), position, code, &state).map { CodeStep(length: 2, flow: $0) }
        }
        return isConditional ? step?.conditional(before, &state) : step
    }

    /// The number at a distance from the program counter's last multiple of four.
    private func literal(_ position: Int, _ distance: Int64, _ code: RawSpan) -> CodeState.Value {
        let counter = (Int(address & 3) + position + 4) & ~3
        return code.instruction(Int32.self, at: counter - Int(address & 3) + Int(distance)).map { .constant(Int64($0)) } ?? .unknown
    }

    private func jump(_ register: Int, _ state: CodeState) -> CodeStep.Flow {
        register == 14 || state[register] == .entry(14) ? .end : .computedJump(isConditional: false)
    }

    // MARK: 16 bits

    private func narrow(_ half: UInt32, _ position: Int, _ code: RawSpan, _ state: inout CodeState) -> CodeStep.Flow? {
        let low = half.register(0, 3)
        let middle = half.register(8, 3)
        switch half >> 11 {
        case 0...2: state[low] = .unknown
        case 3:
            let number: CodeState.Value = half.has(10) ? .constant(Int64(half.bits(6, 3))) : state[half.register(6, 3)]
            let base = state[half.register(3, 3)]
            state[low] = half.has(9) ? base.subtracting(number) : base.adding(number)
        case 4: state[middle] = .constant(Int64(half & 0xff))
        case 5: break
        case 6: state[middle] = state[middle].adding(Int64(half & 0xff))
        case 7: state[middle] = state[middle].adding(0 - Int64(half & 0xff))
        case 8:
            if half.has(10) { return high(half, &state) }
            // TST, CMP and CMN write no register.
            if ![8, 10, 11].contains(half.bits(6, 4)) { state[low] = .unknown }
        case 9: state[middle] = literal(position, Int64(half & 0xff) * 4, code)
        case 10, 11: if half.bits(9, 3) > 2 { state[low] = .unknown }
        case 12...17:
            let (isWord, isLoad) = (half >> 12 == 6, half.has(11))
            let address = isWord ? state[half.register(3, 3)].adding(Int64(half.bits(6, 5)) * 4) : .unknown
            if isLoad { state[low] = state.load(address) } else { state.store(state[low], at: address) }
        case 18: state.store(state[middle], at: state.stackPointer.adding(Int64(half & 0xff) * 4))
        case 19: state[middle] = state.load(state.stackPointer.adding(Int64(half & 0xff) * 4))
        case 20: state[middle] = .unknown
        case 21: state[middle] = state.stackPointer.adding(Int64(half & 0xff) * 4)
        case 22, 23: return other(half, position, &state)
        case 24, 25:
            let isInList = half.has(UInt32(middle))
            return ARMOperands.multiple(
                middle, list: half & 0xff, isUp: true, isBefore: false, writesBack: !half.has(11) || !isInList, isLoad: half.has(11), &state
            )
        case 26, 27:
            if half >> 8 == 0xde { return .end }
            if half >> 8 == 0xdf {
                state[0] = .unknown
            } else {
                return .branch(position + 4 + Int(half.signed(0, 8)) * 2)
            }
        default: return .jump(position + 4 + Int(half.signed(0, 11)) * 2)
        }
        return .next
    }

    /// Instructions that reach the registers from 8 on.
    private func high(_ half: UInt32, _ state: inout CodeState) -> CodeStep.Flow {
        let (target, source) = (half.register(0, 3) | half.register(7, 1) << 3, half.register(3, 4))
        switch half.bits(8, 2) {
        case 0, 2:
            let value = half.has(9) ? state[source] : state[target].adding(state[source])
            if target == 15 { return half.has(9) ? jump(source, state) : .computedJump(isConditional: false) }
            state[target] = value
        case 1: break
        default: return half.has(7) ? .call : jump(source, state)
        }
        return .next
    }

    private func other(_ half: UInt32, _ position: Int, _ state: inout CodeState) -> CodeStep.Flow? {
        switch half >> 8 {
        case 0xb0: state.stackPointer = state.stackPointer.adding(Int64(half & 0x7f) * (half.has(7) ? -4 : 4))
        case 0xb1, 0xb3, 0xb9, 0xbb: return .branch(position + 4 + Int(half.bits(9, 1) << 6 | half.bits(3, 5) << 1))
        case 0xb2, 0xba: state[half.register(0, 3)] = .unknown
        case 0xb4, 0xb5:
            return ARMOperands.multiple(
                13, list: half & 0xff | half.bits(8, 1) << 14, isUp: false, isBefore: true, writesBack: true, isLoad: false, &state)
        case 0xbc, 0xbd:
            return ARMOperands.multiple(
                13, list: half & 0xff | half.bits(8, 1) << 15, isUp: true, isBefore: false, writesBack: true, isLoad: true, &state)
        case 0xbe: return .end
        // IT: the lowest bit that is set ends the mask.
        case 0xbf: if half & 0xf != 0 { state.conditionalCount = 4 - (half & 0xf).trailingZeroBitCount }
        case 0xb6: break
        default: return nil
        }
        return .next
    }

    // MARK: 32 bits

    /// - Parameter word: the first half above the second.
    private func wide(_ word: UInt32, _ position: Int, _ code: RawSpan, _ state: inout CodeState) -> CodeStep.Flow? {
        switch (word.bits(27, 2), word.bits(25, 2)) {
        case (1, 0): return word.has(22) ? pair(word, position, code, &state) : multiple(word, &state)
        case (1, 1):
            let operand = word & 0x70f0 == 0 ? state[word.register(0, 4)] : .unknown
            return arithmetic(word.bits(21, 4), word, operand, position, &state)
        case (2, _): return word.has(15) ? branch(word, position, &state) : immediate(word, position, &state)
        case (3, 0): return single(word, position, code, &state)
        case (3, 1):
            state[word.register(8, 4)] = .unknown
            // Multiplications and divisions of 64 bits have two results.
            if word.bits(23, 3) == 7 { state[word.register(12, 4)] = .unknown }
        default: ARMOperands.coprocessor(word & 0x0fff_ffff, &state)
        }
        return .next
    }

    private func multiple(_ word: UInt32, _ state: inout CodeState) -> CodeStep.Flow? {
        let kind = word.bits(23, 2)
        guard kind == 1 || kind == 2 else { return nil }
        return ARMOperands.multiple(
            word.register(16, 4), list: word & 0xffff, isUp: kind == 1, isBefore: kind == 2, writesBack: word.has(21), isLoad: word.has(20),
            &state)
    }

    /// Loads and stores of two registers, exclusive accesses, and jumps by tables.
    private func pair(_ word: UInt32, _ position: Int, _ code: RawSpan, _ state: inout CodeState) -> CodeStep.Flow? {
        let (base, first, second) = (word.register(16, 4), word.register(12, 4), word.register(8, 4))
        guard word.has(24) || word.has(21) else {
            if word & 0xfff0_ffe0 == 0xe8d0_f000 { return table(word, position, code) }
            if word.has(20) {
                for register in [first, second] { state[register] = .unknown }
            } else {
                for register in [second, word.register(0, 4)] where register != 15 { state[register] = .unknown }
            }
            return .next
        }
        let offset = Int64(word & 0xff) * (word.has(23) ? 4 : -4)
        let address = word.has(24) ? state[base].adding(offset) : state[base]
        let moved = state[base].adding(offset)
        if word.has(20) {
            let values = (state.load(address), state.load(address.adding(4)))
            (state[first], state[second]) = values
        } else {
            state.store(state[first], at: address)
            state.store(state[second], at: address.adding(4))
        }
        if word.has(21) { state[base] = moved }
        return .next
    }

    /// TBB and TBH with the table after them: it ends where the nearest target begins.
    private func table(_ word: UInt32, _ position: Int, _ code: RawSpan) -> CodeStep.Flow {
        guard word.register(16, 4) == 15 else { return .computedJump(isConditional: false) }
        let isHalf = word.has(4)
        let start = position + 4
        var targets: [Int] = []
        var (next, end) = (start, Int.max)
        while next < end, targets.count < 1024 {
            let entry =
                isHalf ? code.instruction(UInt16.self, at: next).map { Int($0) } : code.instruction(UInt8.self, at: next).map { Int($0) }
            guard let entry else { break }
            next += isHalf ? 2 : 1
            guard entry > 0 else { continue }
            targets.append(start + 2 * entry)
            end = min(end, start + 2 * entry)
        }
        return .table(targets)
    }

    private func arithmetic(
        _ operation: UInt32, _ word: UInt32, _ operand: CodeState.Value, _ position: Int, _ state: inout CodeState
    ) -> CodeStep.Flow {
        let (first, target) = (word.register(16, 4), word.register(8, 4))
        // Without a target it is a comparison.
        guard target != 15 else { return .next }
        state[target] =
            switch operation {
            case 0, 1: ARMOperands.result(operation == 0 ? 0 : 14, state[first], operand, at: position)
            case 2: first == 15 ? operand : .unknown
            case 3: first == 15 ? ARMOperands.result(15, .unknown, operand, at: position) : .unknown
            case 8: state[first].adding(operand)
            case 13: state[first].subtracting(operand)
            default: .unknown
            }
        return .next
    }

    private func immediate(_ word: UInt32, _ position: Int, _ state: inout CodeState) -> CodeStep.Flow {
        let number = word.bits(26, 1) << 11 | word.bits(12, 3) << 8 | word & 0xff
        guard word.has(25) else { return arithmetic(word.bits(21, 4), word, .constant(expanded(number)), position, &state) }
        let (first, target) = (word.register(16, 4), word.register(8, 4))
        let long = Int64(word.bits(16, 4) << 12 | number)
        state[target] =
            switch word.bits(20, 5) {
            case 0: first == 15 ? .unknown : state[first].adding(Int64(number))
            case 10: first == 15 ? .unknown : state[first].adding(0 - Int64(number))
            case 4: .constant(long)
            case 12: ARMOperands.withUpperHalf(state[target], long)
            default: .unknown
            }
        return .next
    }

    /// A constant of twelve bits (A6.3.2).
    private func expanded(_ number: UInt32) -> Int64 {
        let byte = number & 0xff
        switch number >> 8 {
        case 0: return Int64(byte)
        case 1: return Int64(byte << 16 | byte)
        case 2: return Int64(byte << 24 | byte << 8)
        case 3: return Int64(byte << 24 | byte << 16 | byte << 8 | byte)
        default:
            let (value, count) = (0x80 | number & 0x7f, number >> 7)
            return Int64(value >> count | value << (32 - count))
        }
    }

    private func branch(_ word: UInt32, _ position: Int, _ state: inout CodeState) -> CodeStep.Flow? {
        if word & 0x4000 != 0 { return .call }
        if word.has(12) {
            // I1 and I2 are inverted by the sign.
            let sign = word.bits(26, 1)
            let high = (~(word.bits(13, 1) ^ sign) & 1) << 23 | (~(word.bits(11, 1) ^ sign) & 1) << 22
            let distance = Int64(word.signed(26, 1)) << 24 | Int64(high | word.bits(16, 10) << 12 | word.bits(0, 11) << 1)
            return .jump(position + 4 + Int(distance))
        }
        guard word.bits(22, 4) >= 14 else {
            let low = word.bits(11, 1) << 19 | word.bits(13, 1) << 18 | word.bits(16, 6) << 12 | word.bits(0, 11) << 1
            return .branch(position + 4 + Int(Int64(word.signed(26, 1)) << 20 | Int64(low)))
        }
        if word & 0xfff0_f000 == 0xf7f0_a000 { return .end }
        // MRS.
        if word & 0xffe0_0000 == 0xf3e0_0000 { state[word.register(8, 4)] = .unknown }
        return .next
    }

    private func single(_ word: UInt32, _ position: Int, _ code: RawSpan, _ state: inout CodeState) -> CodeStep.Flow {
        let (base, target) = (word.register(16, 4), word.register(12, 4))
        // Elements of vectors.
        if word & 0xff10_0000 == 0xf900_0000 {
            ARMOperands.advanceVector(base, by: word.register(0, 4), &state)
            return .next
        }
        let (isWord, isLoad) = (word.bits(21, 2) == 2, word.has(20))
        var address = CodeState.Value.unknown
        var moved: CodeState.Value?
        if base == 15 {
            let distance = Int64(word & 0xfff) * (word.has(23) ? 1 : -1)
            let value = isWord ? literal(position, distance, code) : .unknown
            if target == 15 { return isWord ? .computedJump(isConditional: false) : .next }
            state[target] = value
            return .next
        } else if word.has(23) {
            address = state[base].adding(Int64(word & 0xfff))
        } else if word.has(11) {
            let offset = Int64(word & 0xff) * (word.has(9) ? 1 : -1)
            address = word.has(10) ? state[base].adding(offset) : state[base]
            if word.has(8) { moved = state[base].adding(offset) }
        }
        let value = isWord && isLoad ? state.load(address) : .unknown
        if !isLoad { state.store(isWord ? state[target] : .unknown, at: address) }
        if let moved { state[base] = moved }
        guard isLoad else { return .next }
        // PLD has no target.
        if target == 15 { return !isWord ? .next : value == .entry(14) || base == 13 ? .end : .computedJump(isConditional: false) }
        state[target] = value
        return .next
    }
}
