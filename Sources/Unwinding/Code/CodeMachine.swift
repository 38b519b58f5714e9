internal import BinaryPrimitives

/// The instructions of one machine, as far as they change the stack pointer, save registers or go elsewhere.
protocol CodeMachine {
    /// Reads an instruction, and changes a state as the instruction does.
    /// - Parameters:
    ///   - position: the instruction's, in `code`.
    ///   - code: from the function's first byte on.
    /// - Returns: `nil` if there is no such instruction.
    func execute(at position: Int, in code: RawSpan, _ state: inout CodeState) -> CodeStep?
}

/// The instruction that runs next.
struct CodeStep: Equatable {
    enum Flow: Equatable {
        case next
        /// To the next instruction when a called function returns.
        case call
        /// To a position, or to the next instruction. Positions may be outside of the function.
        case branch(Int)
        case jump(Int)
        /// To an address that was computed; also to the next instruction if there is a condition.
        case computedJump(isConditional: Bool)
        /// To positions of a table.
        case table([Int])
        /// The function returns, or cannot go on.
        case end
    }

    /// Number of bytes.
    var length: Int
    var flow = Flow.next
}

extension CodeStep {
    /// Makes an instruction conditional: the state is what is the same whether it is executed or not.
    /// - Parameter before: the state before the instruction.
    func conditional(_ before: CodeState, _ state: inout CodeState) -> CodeStep {
        switch flow {
        case .end:
            state = before
            return CodeStep(length: length)
        case .jump(let target):
            state = before
            return CodeStep(length: length, flow: .branch(target))
        case .computedJump:
            state = before
            return CodeStep(length: length, flow: .computedJump(isConditional: true))
        case .next, .call, .branch, .table:
            let count = state.conditionalCount
            state.join(before)
            state.conditionalCount = count
            return self
        }
    }
}

extension RawSpan {
    /// The integer at a position, in the order of instructions; `nil` outside.
    func instruction<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, at position: Int) -> Value? {
        guard position >= 0 else { return nil }
        return try? value(type, at: position, .littleEndian)
    }
}

extension UInt32 {
    /// Some bits as a number.
    @inline(__always)
    func bits(_ low: UInt32, _ count: UInt32) -> UInt32 { self >> low & (1 << count &- 1) }

    /// Some bits as the number of a register.
    @inline(__always)
    func register(_ low: UInt32, _ count: UInt32 = 5) -> Int { Int(bits(low, count)) }

    /// Some bits as a signed number.
    @inline(__always)
    func signed(_ low: UInt32, _ count: UInt32) -> Int64 {
        Int64(Int32(bitPattern: bits(low, count) << (32 &- count)) >> Int32(32 &- count))
    }

    func has(_ bit: UInt32) -> Bool { self >> bit & 1 == 1 }
}
