internal import BinaryPrimitives

/// AArch64 (Arm Architecture Reference Manual, C4.1): arithmetic of the stack pointer, pairs that are stored, and which
/// registers other instructions change.
struct ARM64Code: CodeMachine {
    private static let stackPointer = 31

    func execute(at position: Int, in code: RawSpan, _ state: inout CodeState) -> CodeStep? {
        guard let word = code.instruction(UInt32.self, at: position) else { return nil }
        let flow: CodeStep.Flow?
        switch word.bits(25, 4) {
        case 0b0010:
            // ADDVL and ADDPL, by multiples of a vector's size.
            if word & 0xffa0_f800 == 0x0420_5000 { state[word.register(0)] = .unknown }
            flow = .next
        case 0b1000, 0b1001: flow = immediate(word, position, &state)
        case 0b1010, 0b1011: flow = branch(word, position, &state)
        case 0b0101, 0b1101: flow = registers(word, &state)
        case 0b0100, 0b0110, 0b1100, 0b1110: flow = memory(word, &state)
        case 0b0111, 0b1111: flow = floating(word, &state)
        default: flow = nil
        }
        return flow.map { CodeStep(length: 4, flow: $0) }
    }

    /// Sets a general register; 31 is zero.
    private func set(_ register: Int, _ value: CodeState.Value, _ state: inout CodeState) {
        if register != 31 { state[register] = value }
    }

    private func value(_ register: Int, _ state: CodeState) -> CodeState.Value { register == 31 ? .constant(0) : state[register] }

    private func immediate(_ word: UInt32, _ position: Int, _ state: inout CodeState) -> CodeStep.Flow? {
        let target = word.register(0)
        let isWide = word.has(31)
        switch word.bits(23, 3) {
        case 2:
            let number = Int64(word.bits(10, 12)) << (word.has(22) ? 12 : 0)
            let result = isWide ? state[word.register(5)].adding(word.has(30) ? 0 - number : number) : .unknown
            // Flags are set: 31 is no register.
            if word.has(29) { set(target, result, &state) } else { state[target] = result }
        // ADDG and SUBG change the tag, too.
        case 3: state[target] = state[word.register(5)].adding(Int64(word.bits(16, 6)) * (word.has(30) ? -16 : 16))
        case 4:
            let isAligned = word.bits(29, 2) == 0 && isWide && state[word.register(5)].isStack
            if word.bits(29, 2) == 3 { set(target, .unknown, &state) } else { state[target] = isAligned ? .aligned(position, 0) : .unknown }
        case 5:
            let shift = Int64(word.bits(21, 2)) * 16
            let number = Int64(word.bits(5, 16)) << shift
            switch word.bits(29, 2) {
            case 0: set(target, isWide ? .constant(~number) : .unknown, &state)
            case 2: set(target, .constant(number), &state)
            default:
                if case .constant(let old) = value(target, state) {
                    set(target, .constant(old & ~(0xffff << shift) | number), &state)
                } else {
                    set(target, .unknown, &state)
                }
            }
        default: set(target, .unknown, &state)
        }
        return .next
    }

    private func branch(_ word: UInt32, _ position: Int, _ state: inout CodeState) -> CodeStep.Flow? {
        if word >> 26 == 0x05 { return .jump(position + Int(word.signed(0, 26)) * 4) }
        if word >> 26 == 0x25 { return .call }
        if word & 0xff00_0000 == 0x5400_0000 { return .branch(position + Int(word.signed(5, 19)) * 4) }
        if word & 0x7e00_0000 == 0x3400_0000 { return .branch(position + Int(word.signed(5, 19)) * 4) }
        if word & 0x7e00_0000 == 0x3600_0000 { return .branch(position + Int(word.signed(5, 14)) * 4) }
        if word >> 25 == 0x6b {
            switch word.bits(21, 4) {
            case 0, 8: return .computedJump(isConditional: false)
            case 1, 9: return .call
            default: return .end
            }
        }
        // SVC returns with a number; BRK, HLT and their kin do not.
        if word >> 24 == 0xd4 {
            guard word & 0x1f == 1 else { return .end }
            state[0] = .unknown
        }
        // MRS and SYSL.
        if word & 0xfff0_0000 == 0xd530_0000 || word & 0xfff8_0000 == 0xd528_0000 { set(word.register(0), .unknown, &state) }
        return .next
    }

    private func registers(_ word: UInt32, _ state: inout CodeState) -> CodeStep.Flow? {
        let (target, first, second) = (word.register(0), word.register(5), word.register(16))
        let isWide = word.has(31)
        switch true {
        case word & 0x1f20_0000 == 0x0b20_0000, word & 0x1f20_0000 == 0x0b00_0000:
            let isExtended = word.has(21)
            let shift = isExtended ? word.bits(10, 3) : word.bits(10, 6)
            let left = isExtended ? state[first] : value(first, state)
            var right = value(second, state)
            if shift != 0 {
                if case .constant(let number) = right, isExtended || word.bits(22, 2) == 0, shift < 32 {
                    right = .constant(number << Int64(shift))
                } else {
                    right = .unknown
                }
            }
            let result = !isWide ? .unknown : word.has(30) ? left.subtracting(right) : left.adding(right)
            if isExtended, !word.has(29) { state[target] = result } else { set(target, result, &state) }
        case word & 0x1f00_0000 == 0x0a00_0000:
            // MOV is ORR with zero.
            let isMove = word & 0x7fe0_ffe0 == 0x2a00_03e0
            set(target, isMove && isWide ? value(second, state) : .unknown, &state)
        // Conditional comparisons.
        case word & 0x1fe0_0000 == 0x1a40_0000: break
        // PACIA, AUTIA and their kin sign the return address, which stays the same.
        case word & 0xffff_0000 == 0xdac1_0000:
            if target != state.convention.link { set(target, .unknown, &state) }
        default: set(target, .unknown, &state)
        }
        return .next
    }

    // MARK: Memory

    private func memory(_ word: UInt32, _ state: inout CodeState) -> CodeStep.Flow? {
        let target = word.register(0)
        let isVector = word.has(26)
        switch true {
        case word & 0x3a00_0000 == 0x2800_0000: pair(word, &state)
        case word & 0x3b00_0000 == 0x3900_0000:
            let isLarge = isVector && word.has(23)
            single(word, offset: Int64(word.bits(10, 12)) << (isLarge ? 4 : Int64(word.bits(30, 2))), index: 0, &state)
        case word & 0x3b20_0000 == 0x3800_0000: single(word, offset: word.signed(12, 9), index: Int(word.bits(10, 2)), &state)
        case word & 0x3b20_0c00 == 0x3820_0800:
            if word.bits(22, 2) != 0, !isVector { set(target, .unknown, &state) }
        case word & 0x3b20_0000 == 0x3820_0000:
            // Atomic operations; LDRAA and LDRAB.
            set(target, .unknown, &state)
            if word.has(10), word.has(11) { state[word.register(5)] = .unknown }
        case word & 0x3b00_0000 == 0x1800_0000: if !isVector { set(target, .unknown, &state) }
        case word & 0x3f00_0000 == 0x0800_0000:
            set(word.register(16), .unknown, &state)
            if word.has(22) {
                set(target, .unknown, &state)
                set(word.register(10), .unknown, &state)
            }
        case word & 0xff20_0000 == 0xd920_0000:
            // STG and its kin, with tags of 16 bytes each.
            let base = word.register(5)
            let isIndexed = word.bits(10, 2) == 1 || word.bits(10, 2) == 3
            if isIndexed { state[base] = state[base].adding(word.signed(12, 9) * 16) }
            if word.bits(10, 2) == 0 { set(target, .unknown, &state) }
        case word & 0xbe00_0000 == 0x0c00_0000: if word.has(23) { state[word.register(5)] = .unknown }
        case word & 0x3f20_0c00 == 0x1900_0000: if word.bits(22, 2) != 0 { set(target, .unknown, &state) }
        // Copies and fills of memory change all three registers.
        default: for register in [target, word.register(5), word.register(16)] { set(register, .unknown, &state) }
        }
        return .next
    }

    private func pair(_ word: UInt32, _ state: inout CodeState) {
        let (isVector, isLoad) = (word.has(26), word.has(22))
        let kind = word.bits(30, 2)
        // STGP's distance counts tags of 16 bytes.
        let isTagged = kind == 1 && !isLoad && !isVector
        let size = isVector ? Int64(4) << Int64(kind) : kind == 2 || isTagged ? 8 : 4
        let offset = word.signed(15, 7) * (isTagged ? 16 : size)
        let index = word.bits(23, 2)
        let base = word.register(5)
        let address = index == 1 ? state[base] : state[base].adding(offset)
        transfer(word.register(0), at: address, size: size, isVector, isLoad, &state)
        transfer(word.register(10), at: address.adding(size), size: size, isVector, isLoad, &state)
        if index == 1 || index == 3 { state[base] = state[base].adding(offset) }
    }

    /// - Parameter index: 1 if the offset is added after the access, 3 if before.
    private func single(_ word: UInt32, offset: Int64, index: Int, _ state: inout CodeState) {
        let isVector = word.has(26)
        let isLoad = isVector ? word.has(22) : word.bits(22, 2) != 0
        let size: Int64 = isVector && word.has(23) ? 16 : 1 << Int64(word.bits(30, 2))
        let base = word.register(5)
        let address = index == 1 ? state[base] : state[base].adding(offset)
        // PRFM loads nothing.
        if !(word.bits(30, 2) == 3 && word.bits(22, 2) == 2 && !isVector) {
            transfer(word.register(0), at: address, size: size, isVector, isLoad, &state)
        }
        if index == 1 || index == 3 { state[base] = state[base].adding(offset) }
    }

    private func transfer(
        _ register: Int, at address: CodeState.Value, size: Int64, _ isVector: Bool, _ isLoad: Bool, _ state: inout CodeState
    ) {
        if isLoad {
            guard !isVector else { return }
            set(register, size == 8 ? state.load(address) : .unknown, &state)
        } else {
            state.store(size == 8 && !isVector ? value(register, state) : .unknown, at: address)
            if size == 16 { state.store(.unknown, at: address.adding(8)) }
        }
    }

    /// Conversions to general registers, and elements of vectors that are moved there.
    private func floating(_ word: UInt32, _ state: inout CodeState) -> CodeStep.Flow? {
        let isConversion = word & 0x5f20_fc00 == 0x1e20_0000 && ![2, 3, 7].contains(word.bits(16, 3))
        let isFixed = word & 0x5f20_0000 == 0x1e00_0000 && word.bits(16, 3) < 2
        let isElement = word & 0xbfe0_fc00 == 0x0e00_3c00 || word & 0xbfe0_fc00 == 0x0e00_2c00
        if isConversion || isFixed || isElement { set(word.register(0), .unknown, &state) }
        return .next
    }
}
