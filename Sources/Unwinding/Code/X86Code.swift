internal import BinaryPrimitives
internal import CallSites

/// x86 (Intel's manual, volume 2): pushes and pops, arithmetic of registers that point to the stack, saves, and which
/// registers other instructions change.
struct X86Code: CodeMachine {
    let is64Bit: Bool
    private let lengths: X86Lengths
    /// Calls are not looked behind.
    private var isLookingAhead = false

    init(is64Bit: Bool) {
        self.is64Bit = is64Bit
        lengths = X86Lengths(is64Bit: is64Bit)
    }

    /// DWARF's numbers by the processor's, which are i386's.
    private static let numbers = [0, 2, 1, 3, 7, 6, 4, 5]

    private func dwarf(_ register: Int) -> Int { is64Bit && register < 8 ? Self.numbers[register] : register }

    /// Prefixes of one instruction.
    private struct Prefixes {
        var rex: UInt8 = 0
        var hasOperandSize = false
        var hasSegment = false
        var hasLock = false
        var repeating: UInt8 = 0
    }

    /// A register, or an address in memory.
    private enum Operand {
        case register(Int)
        case memory(CodeState.Value)
    }

    /// The operands of a ModRM byte.
    private struct Operands {
        /// The processor's number, which may also be a part of the opcode.
        var register: Int
        var form: Int
        var other: Operand
    }

    /// One instruction.
    private struct Parts {
        var prefixes: Prefixes
        var position: Int
        var end: Int
        /// Position after the opcode.
        var next: Int

        var isWide: Bool { prefixes.rex & 8 != 0 }
    }

    func execute(at position: Int, in code: RawSpan, _ state: inout CodeState) -> CodeStep? {
        guard let length = lengths.length(at: position, in: code) else { return nil }
        var parts = Parts(prefixes: Prefixes(), position: position, end: position + length, next: position)
        while parts.next < parts.end, add(code.byte(at: parts.next), &parts.prefixes) { parts.next += 1 }
        guard parts.next < parts.end else { return nil }
        let opcode = code.byte(at: parts.next)
        parts.next += 1
        let flow =
            if opcode == 0x0f {
                twoBytes(&parts, code, &state)
            } else {
                isVector(opcode, parts, code) ? vector(opcode, parts, code, &state) : oneByte(opcode, parts, code, &state)
            }
        return flow.map { CodeStep(length: length, flow: $0) }
    }

    private func add(_ byte: UInt8, _ prefixes: inout Prefixes) -> Bool {
        switch byte {
        case 0x40...0x4f where is64Bit:
            prefixes.rex = byte
            return true
        case 0x66: prefixes.hasOperandSize = true
        case 0x67, 0x2e, 0x36, 0x3e, 0x26: break
        case 0x64, 0x65: prefixes.hasSegment = true
        case 0xf0: prefixes.hasLock = true
        case 0xf2, 0xf3: prefixes.repeating = byte
        default: return false
        }
        prefixes.rex = 0
        return true
    }

    /// VEX and EVEX, where these bytes are not LDS, LES and BOUND.
    private func isVector(_ opcode: UInt8, _ parts: Parts, _ code: RawSpan) -> Bool {
        guard opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62, parts.next < parts.end else { return false }
        return is64Bit || code.byte(at: parts.next) >= 0xc0
    }

    // MARK: Operands

    private func operands(_ parts: Parts, _ code: RawSpan, _ state: CodeState) -> Operands? {
        guard parts.next < parts.end else { return nil }
        let modRM = Int(code.byte(at: parts.next))
        let rex = Int(parts.prefixes.rex)
        let form = modRM >> 3 & 7
        let register = form | (rex & 4) << 1
        if modRM >= 0xc0 { return Operands(register: register, form: form, other: .register(modRM & 7 | (rex & 1) << 3)) }
        return Operands(register: register, form: form, other: .memory(address(modRM, rex, parts, code, state)))
    }

    private func address(_ modRM: Int, _ rex: Int, _ parts: Parts, _ code: RawSpan, _ state: CodeState) -> CodeState.Value {
        guard !parts.prefixes.hasSegment else { return .unknown }
        var next = parts.next + 1
        var base = modRM & 7 | (rex & 1) << 3
        if modRM & 7 == 4 {
            guard next < parts.end else { return .unknown }
            let sib = Int(code.byte(at: next))
            next += 1
            let index = sib >> 3 & 7 | (rex & 2) << 2
            base = sib & 7 | (rex & 1) << 3
            guard index == 4, sib & 7 != 5 || modRM >= 0x40 else { return .unknown }
        } else if modRM & 0xc7 == 5 {
            return .unknown
        }
        var distance: Int64 = 0
        if modRM >= 0x80 {
            distance = code.instruction(Int32.self, at: next).map { Int64($0) } ?? 0
        } else if modRM >= 0x40 {
            distance = code.instruction(Int8.self, at: next).map { Int64($0) } ?? 0
        }
        return state[dwarf(base)].adding(distance)
    }

    /// The instruction's last bytes as a signed number.
    private func immediate(_ size: Int, _ parts: Parts, _ code: RawSpan) -> Int64? {
        switch size {
        case 1: code.instruction(Int8.self, at: parts.end - 1).map { Int64($0) }
        case 2: code.instruction(Int16.self, at: parts.end - 2).map { Int64($0) }
        case 4: code.instruction(Int32.self, at: parts.end - 4).map { Int64($0) }
        default: code.instruction(Int64.self, at: parts.end - 8)
        }
    }

    /// Whether an operand has a register's full width.
    private func isFull(_ parts: Parts) -> Bool { is64Bit ? parts.isWide : !parts.prefixes.hasOperandSize }

    private func value(_ operand: Operand, _ state: CodeState) -> CodeState.Value {
        switch operand {
        case .register(let register): state[dwarf(register)]
        case .memory(let address): state.load(address)
        }
    }

    /// Writes an operand.
    /// - Parameter isByte: it is one byte; `ah` to `bh` have the numbers of `esp` to `edi`.
    private func write(_ value: CodeState.Value, to operand: Operand, _ parts: Parts, isByte: Bool = false, _ state: inout CodeState) {
        switch operand {
        case .register(let register):
            let isHigh = isByte && parts.prefixes.rex == 0 && register >= 4
            state[dwarf(isHigh ? register - 4 : register)] = isByte || !isFull(parts) ? .unknown : value
        case .memory(let address): state.store(isByte || !isFull(parts) ? .unknown : value, at: address)
        }
    }

    // MARK: One byte

    private func oneByte(_ opcode: UInt8, _ parts: Parts, _ code: RawSpan, _ state: inout CodeState) -> CodeStep.Flow? {
        let low = Int(opcode & 7) | Int(parts.prefixes.rex & 1) << 3
        let isFull = isFull(parts)
        switch opcode {
        case 0x00...0x3f: return arithmetic(opcode, parts, code, &state)
        case 0x40...0x4f: state[dwarf(Int(opcode & 7))] = state[dwarf(Int(opcode & 7))].adding(opcode < 0x48 ? 1 : -1)
        case 0x50...0x57: push(state[dwarf(low)], parts, &state)
        case 0x58...0x5f:
            let value = pop(parts, &state)
            state[dwarf(low)] = value
        case 0x60:
            let top = state.stackPointer
            for register in 0..<8 { push(register == 4 ? top : state[register], parts, &state) }
        case 0x61:
            for register in (0..<8).reversed() {
                let value = pop(parts, &state)
                if register != 4 { state[register] = value }
            }
        case 0x68, 0x6a: push(.unknown, parts, &state)
        case 0x9c: push(.unknown, parts, &state)
        case 0x9d: _ = pop(parts, &state)
        case 0x70...0x7f, 0xe0...0xe3: return immediate(1, parts, code).map { .branch(parts.end + Int($0)) }
        case 0xeb: return immediate(1, parts, code).map { .jump(parts.end + Int($0)) }
        case 0xe9:
            guard !parts.prefixes.hasOperandSize else { return nil }
            return immediate(4, parts, code).map { .jump(parts.end + Int($0)) }
        case 0xe8:
            // `call` of the next instruction, whose address is popped then.
            guard immediate(4, parts, code) != 0 else {
                push(.unknown, parts, &state)
                return .next
            }
            return call(parts, code, &state)
        case 0x9a: return .call
        case 0xc2, 0xc3, 0xca, 0xcb, 0xcf, 0xf4, 0xcc: return .end
        case 0xea: return .end
        case 0xc8:
            guard let size = code.instruction(UInt16.self, at: parts.next), code.byte(at: parts.next + 2) == 0 else { return nil }
            push(state[dwarf(5)], parts, &state)
            state[dwarf(5)] = state.stackPointer
            state.stackPointer = state.stackPointer.adding(0 - Int64(size))
        case 0xc9:
            state.stackPointer = state[dwarf(5)]
            let value = pop(parts, &state)
            state[dwarf(5)] = value
        case 0x90...0x97:
            if low != 0 { exchange(.register(low), 0, parts, &state) }
        case 0x98, 0x9f, 0xd6, 0xd7, 0xe4, 0xe5, 0xec, 0xed, 0xa0, 0xa1: state[0] = .unknown
        case 0x99: state[dwarf(2)] = .unknown
        case 0xa4...0xa7, 0xaa...0xaf, 0x6c...0x6f:
            for register in [0, 1, 6, 7] { state[dwarf(register)] = .unknown }
        case 0xb0...0xb7: write(.unknown, to: .register(low), parts, isByte: true, &state)
        case 0xb8...0xbf:
            let size = parts.prefixes.hasOperandSize ? 2 : parts.isWide ? 8 : 4
            state[dwarf(low)] = constant(size, parts, code)
        default: return withOperands(opcode, parts, code, isFull, &state)
        }
        return .next
    }

    private func constant(_ size: Int, _ parts: Parts, _ code: RawSpan) -> CodeState.Value {
        guard size != 2, let value = immediate(size, parts, code) else { return .unknown }
        // `mov $imm, %eax` clears the upper half.
        return .constant(size == 4 && is64Bit ? value & 0xffff_ffff : value)
    }

    private func push(_ value: CodeState.Value, _ parts: Parts, _ state: inout CodeState) {
        if parts.prefixes.hasOperandSize { state.stackPointer = .unknown } else { state.push(value) }
    }

    private func pop(_ parts: Parts, _ state: inout CodeState) -> CodeState.Value {
        guard !parts.prefixes.hasOperandSize else {
            state.stackPointer = .unknown
            return .unknown
        }
        return state.pop()
    }

    /// On i386 a function that returns a structure removes the address of that from the stack. Whether it does, what
    /// follows says: the stack pointer is a multiple of 16 at the next call (System V ABI, i386, section 2.2.2).
    private func call(_ parts: Parts, _ code: RawSpan, _ state: inout CodeState) -> CodeStep.Flow {
        guard !is64Bit, !isLookingAhead, case .frame(let offset) = state.stackPointer else { return .call }
        if offset & 15 == 0 {
            // `call __x86.get_pc_thunk.bx; add $..., %ebx` removes nothing.
            let after = code.instruction(UInt16.self, at: parts.end) ?? 0
            if after & 0xff == 0x05 || after & 0xf8ff == 0xc081 { return .call }
            if !isConsistent(parts.end, code, state), isConsistent(parts.end, code, state.popped) { state = state.popped }
        } else if code.instruction(UInt16.self, at: parts.end) == 0xec83, code.instruction(UInt8.self, at: parts.end + 2) == 4 {
            state = state.popped
        }
        return .call
    }

    /// Whether the stack pointer is right at the next call, branch or return.
    private func isConsistent(_ position: Int, _ code: RawSpan, _ start: CodeState) -> Bool {
        var ahead = self
        ahead.isLookingAhead = true
        var (next, state) = (position, start)
        for _ in 0..<Self.maxLookAhead {
            let before = state.stackPointer
            guard let step = ahead.execute(at: next, in: code, &state) else { return true }
            switch step.flow {
            case .next: next += step.length
            case .end: return state.stackPointer == .frame(-4)
            default:
                // A jump may be the function's last instruction.
                guard case .frame(let offset) = before else { return true }
                return offset & 15 == 0 || offset == -4 && step.flow != .call
            }
        }
        return true
    }

    private static let maxLookAhead = 64

    /// The eight operations of opcodes 00 to 3F and of the groups 80 to 83.
    private func arithmetic(_ opcode: UInt8, _ parts: Parts, _ code: RawSpan, _ state: inout CodeState) -> CodeStep.Flow? {
        let operation = Int(opcode >> 3 & 7)
        let isByte = opcode & 1 == 0
        switch opcode & 7 {
        case 0...3:
            guard let operands = operands(parts, code, state) else { return nil }
            let isToMemory = opcode & 2 == 0
            let (target, source) =
                isToMemory
                ? (operands.other, Operand.register(operands.register)) : (.register(operands.register), operands.other)
            let isSame =
                if case .register(operands.register) = operands.other { true } else { false }
            combine(operation, target, value(source, state), isSame: isSame, parts, isByte: isByte, &state)
        case 4, 5:
            let number = isByte ? nil : immediate(parts.prefixes.hasOperandSize ? 2 : 4, parts, code)
            combine(operation, .register(0), number.map { .constant($0) } ?? .unknown, parts, isByte: isByte, &state)
        // Pushes and pops of segment registers, and decimal adjustment, of i386.
        default:
            if opcode < 0x20 {
                if opcode & 1 == 0 { push(.unknown, parts, &state) } else { _ = pop(parts, &state) }
            } else {
                state[0] = .unknown
            }
        }
        return .next
    }

    private func combine(
        _ operation: Int, _ target: Operand, _ source: CodeState.Value, isSame: Bool = false, _ parts: Parts, isByte: Bool,
        _ state: inout CodeState
    ) {
        let before = value(target, state)
        let result: CodeState.Value
        switch operation {
        case 0: result = before.adding(source)
        case 5: result = isSame ? .constant(0) : before.subtracting(source)
        case 6: result = isSame ? .constant(0) : .unknown
        case 4:
            if case .constant(let mask) = source, before.isStack, case .register = target, mask < 0, mask != -1 {
                result = .aligned(parts.position, 0)
            } else {
                result = .unknown
            }
        case 7: return
        // `or $0, (%rsp)` touches a page.
        case 1:
            if case .constant(0) = source { return }
            result = .unknown
        default: result = .unknown
        }
        // A register of 32 bits that is cleared is cleared whole.
        if case .constant(0) = result, case .register(let register) = target, !isByte {
            state[dwarf(register)] = result
        } else {
            write(result, to: target, parts, isByte: isByte, &state)
        }
    }

    private func exchange(_ operand: Operand, _ register: Int, _ parts: Parts, _ state: inout CodeState) {
        let (one, other) = (value(operand, state), state[dwarf(register)])
        write(other, to: operand, parts, &state)
        write(one, to: .register(register), parts, &state)
    }

    private func withOperands(_ opcode: UInt8, _ parts: Parts, _ code: RawSpan, _ isFull: Bool, _ state: inout CodeState) -> CodeStep.Flow?
    {
        switch opcode {
        case 0x9b, 0x9e, 0xa8, 0xa9, 0xcd, 0xce, 0xe6, 0xe7, 0xee, 0xef, 0xf1, 0xf5, 0xf8...0xfd, 0xa2, 0xa3: return .next
        default: break
        }
        guard let operands = operands(parts, code, state) else { return nil }
        let register = Operand.register(operands.register)
        switch opcode {
        case 0x63, 0x69, 0x6b:
            // Without 64 bits 63 is ARPL.
            state[dwarf(operands.register)] = .unknown
            if opcode == 0x63, !is64Bit { write(.unknown, to: operands.other, parts, &state) }
        case 0x80...0x83:
            let size = opcode != 0x81 ? 1 : parts.prefixes.hasOperandSize ? 2 : 4
            let number = immediate(size, parts, code).map { CodeState.Value.constant($0) } ?? .unknown
            combine(operands.form, operands.other, number, parts, isByte: opcode & 1 == 0, &state)
        case 0x84, 0x85, 0x8e: break
        case 0x86:
            write(.unknown, to: operands.other, parts, isByte: true, &state)
            write(.unknown, to: register, parts, isByte: true, &state)
        case 0x87: exchange(operands.other, operands.register, parts, &state)
        case 0x88: write(.unknown, to: operands.other, parts, isByte: true, &state)
        case 0x89: write(state[dwarf(operands.register)], to: operands.other, parts, &state)
        case 0x8a: write(.unknown, to: register, parts, isByte: true, &state)
        case 0x8b: write(value(operands.other, state), to: register, parts, &state)
        case 0x8c: write(.unknown, to: operands.other, parts, &state)
        case 0x8d:
            if case .memory(let address) = operands.other { write(address, to: register, parts, &state) }
        case 0x8f:
            let value = pop(parts, &state)
            if case .register(let register) = operands.other { state[dwarf(register)] = value }
            if case .memory(let address) = operands.other { state.store(.unknown, at: address) }
        case 0xc0, 0xd0, 0xd2, 0xfe: write(.unknown, to: operands.other, parts, isByte: true, &state)
        case 0xc1, 0xd1, 0xd3: write(.unknown, to: operands.other, parts, &state)
        case 0xc6: write(.unknown, to: operands.other, parts, isByte: true, &state)
        case 0xc7:
            // `mov` of 64 bits extends the number's sign.
            let number = parts.isWide || !is64Bit ? immediate(4, parts, code).map { CodeState.Value.constant($0) } : nil
            write(number ?? .unknown, to: operands.other, parts, &state)
        case 0xc4, 0xc5: state[dwarf(operands.register)] = .unknown
        case 0xd8...0xdf: if opcode == 0xdf, operands.form == 4 { state[0] = .unknown }
        case 0xf6, 0xf7: unary(opcode, operands, parts, &state)
        case 0xff: return group5(operands, parts, code, &state)
        case 0x62: break
        default: return nil
        }
        return .next
    }

    private func unary(_ opcode: UInt8, _ operands: Operands, _ parts: Parts, _ state: inout CodeState) {
        switch operands.form {
        case 2, 3: write(.unknown, to: operands.other, parts, isByte: opcode == 0xf6, &state)
        case 4...7:
            state[0] = .unknown
            if opcode == 0xf7 { state[dwarf(2)] = .unknown }
        default: break
        }
    }

    private func group5(_ operands: Operands, _ parts: Parts, _ code: RawSpan, _ state: inout CodeState) -> CodeStep.Flow? {
        switch operands.form {
        case 0, 1: write(value(operands.other, state).adding(operands.form == 0 ? 1 : -1), to: operands.other, parts, &state)
        case 2, 3: return call(parts, code, &state)
        case 4, 5: return .computedJump(isConditional: false)
        default: push(value(operands.other, state), parts, &state)
        }
        return .next
    }

    // MARK: Two bytes

    private func twoBytes(_ parts: inout Parts, _ code: RawSpan, _ state: inout CodeState) -> CodeStep.Flow? {
        guard parts.next < parts.end else { return nil }
        let opcode = code.byte(at: parts.next)
        parts.next += 1
        switch opcode {
        case 0x80...0x8f:
            guard !parts.prefixes.hasOperandSize else { return nil }
            return immediate(4, parts, code).map { .branch(parts.end + Int($0)) }
        case 0x0b, 0xb9, 0xff, 0x07, 0x35: return .end
        // SYSCALL and SYSENTER.
        case 0x05, 0x34: for register in is64Bit ? [0, 1, 11] : [0] { state[dwarf(register)] = .unknown }
        case 0xa0, 0xa8: push(.unknown, parts, &state)
        case 0xa1, 0xa9: _ = pop(parts, &state)
        case 0xa2: for register in 0..<4 { state[dwarf(register)] = .unknown }
        case 0x30...0x33: for register in [0, 2] { state[dwarf(register)] = .unknown }
        case 0xc8...0xcf: state[dwarf(Int(opcode & 7) | Int(parts.prefixes.rex & 1) << 3)] = .unknown
        // XGETBV, RDTSCP, and their kin write these.
        case 0x01: for register in 0..<3 { state[dwarf(register)] = .unknown }
        case 0x38, 0x3a: return threeBytes(opcode, &parts, code, &state)
        default:
            if let operands = operands(parts, code, state) { writeTwoBytes(opcode, operands, parts, &state) }
        }
        return .next
    }

    /// Forgets the general registers that an instruction writes; most others write vector registers.
    private func writeTwoBytes(_ opcode: UInt8, _ operands: Operands, _ parts: Parts, _ state: inout CodeState) {
        switch opcode {
        case 0x02, 0x03, 0x2c, 0x2d, 0x40...0x4f, 0x50, 0xaf, 0xb2, 0xb4...0xb8, 0xbc...0xbf, 0xc5, 0xd7:
            state[dwarf(operands.register)] = .unknown
        case 0x00, 0x20, 0x21, 0x1e, 0xab, 0xb3, 0xba, 0xbb, 0xa4, 0xa5, 0xac, 0xad, 0xae, 0xc7, 0x78:
            if case .register(let register) = operands.other, !(opcode == 0xba && operands.form == 4) { state[dwarf(register)] = .unknown }
            if opcode == 0xc7 { for register in [0, 2] { state[dwarf(register)] = .unknown } }
        case 0x7e where parts.prefixes.repeating != 0xf3:
            write(.unknown, to: operands.other, parts, &state)
        case 0x90...0x9f: write(.unknown, to: operands.other, parts, isByte: true, &state)
        case 0xb0, 0xb1:
            write(.unknown, to: operands.other, parts, isByte: opcode == 0xb0, &state)
            state[0] = .unknown
        case 0xc0, 0xc1:
            write(.unknown, to: operands.other, parts, isByte: opcode == 0xc0, &state)
            write(.unknown, to: .register(operands.register), parts, isByte: opcode == 0xc0, &state)
        // Stores of vector registers.
        case 0x11, 0x13, 0x17, 0x29, 0x2b, 0x7f, 0xd6, 0xe7, 0xc3:
            if case .memory(let address) = operands.other { storeVector(at: address, opcode, &state) }
        default: break
        }
    }

    /// A vector register overwrites 16 bytes, or 8 (MOVLPS, MOVHPS, MOVQ).
    private func storeVector(at address: CodeState.Value, _ opcode: UInt8, _ state: inout CodeState) {
        let size = [0x11, 0x13, 0x17, 0xd6, 0xc3].contains(opcode) ? 8 : 16
        for offset in stride(from: 0, to: size, by: state.convention.word) { state.store(.unknown, at: address.adding(Int64(offset))) }
    }

    private func threeBytes(_ map: UInt8, _ parts: inout Parts, _ code: RawSpan, _ state: inout CodeState) -> CodeStep.Flow? {
        guard parts.next < parts.end else { return nil }
        let opcode = code.byte(at: parts.next)
        parts.next += 1
        guard let operands = operands(parts, code, state) else { return nil }
        if map == 0x38, 0xf0...0xf8 ~= opcode { state[dwarf(operands.register)] = .unknown }
        if map == 0x3a, 0x14...0x17 ~= opcode { write(.unknown, to: operands.other, parts, &state) }
        return .next
    }

    // MARK: Vectors

    private func vector(_ opcode: UInt8, _ parts: Parts, _ code: RawSpan, _ state: inout CodeState) -> CodeStep.Flow? {
        var parts = parts
        let size = opcode == 0xc5 ? 1 : opcode == 0xc4 ? 2 : 3
        guard parts.next + size < parts.end else { return nil }
        let first = code.byte(at: parts.next)
        let map = opcode == 0xc5 ? 1 : opcode == 0xc4 ? first & 0x1f : first & 7
        // R and B, inverted, as in REX.
        let inverted = ~first
        if is64Bit { parts.prefixes.rex = 0x40 | inverted >> 5 & 4 | (opcode == 0xc5 ? 0 : inverted >> 5 & 1) }
        let other = Int(~code.byte(at: parts.next + (opcode == 0xc5 ? 0 : 1)) >> 3 & 15)
        let operation = code.byte(at: parts.next + size)
        parts.next += size + 1
        guard let operands = operands(parts, code, state) else { return .next }
        switch (map, operation) {
        case (1, 0x2c), (1, 0x2d), (1, 0x50), (1, 0xd7), (1, 0xc5), (1, 0x93), (1, 0x78), (1, 0x79), (3, 0xf0), (5, 0x2c), (5, 0x2d):
            state[dwarf(operands.register)] = .unknown
        case (2, 0xf0...0xf7):
            state[dwarf(operands.register)] = .unknown
            state[dwarf(is64Bit ? other : other & 7)] = .unknown
        case (1, 0x7e), (3, 0x14...0x17), (5, 0x7e):
            if case .register(let register) = operands.other { state[dwarf(register)] = .unknown }
        default: break
        }
        return .next
    }
}

extension CodeState {
    /// The state after a call of a function that removes one word from the stack.
    fileprivate var popped: CodeState {
        var state = self
        state.stackPointer = stackPointer.adding(Int64(convention.word))
        return state
    }
}
