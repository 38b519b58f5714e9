/// Executes the instructions of `.ARM.exidx` (Exception Handling ABI for the Arm Architecture,
/// section 10.3, table 4).
///
/// For example, `b0` ends, and before it `a8` pops `r4` and `lr`: `push {r4, lr}` undone.
struct ExceptionIndexStep {
    private var registers: Registers
    private let memory: Memory
    /// The virtual stack pointer.
    private var pointer: UInt64
    private var hasCounter = false
    private var problem: CallerStep?

    private static let maxInstructions = 1_000

    init(_ registers: Registers, _ memory: Memory) {
        self.registers = registers
        self.memory = memory
        pointer = registers.stackPointer
    }

    /// - Parameter bytes: instructions; their end counts as a finish.
    mutating func caller(by bytes: [UInt8]) -> CallerStep {
        var rest = bytes[...]
        var count = 0
        while let first = rest.popFirst() {
            count += 1
            guard count <= Self.maxInstructions else { return .failed }
            if first == 0xb0 { break }
            guard execute(first, &rest) else { return problem ?? .failed }
        }
        registers.stackPointer = pointer
        if !hasCounter {
            guard let link = registers.link else { return .failed }
            registers.programCounter = link
        }
        return .caller(registers, isExact: false)
    }

    private mutating func execute(_ first: UInt8, _ rest: inout ArraySlice<UInt8>) -> Bool {
        switch first {
        case 0x00...0x3f: pointer = cut(pointer &+ (UInt64(first & 0x3f) << 2) &+ 4)
        case 0x40...0x7f: pointer = cut(pointer &- (UInt64(first & 0x3f) << 2) &- 4)
        case 0x80...0x8f:
            guard let second = rest.popFirst() else { return false }
            let mask = UInt32(first & 0xf) << 8 | UInt32(second)
            // Refuse to unwind.
            guard mask != 0 else {
                problem = .outermost
                return false
            }
            return pop(mask << 4)
        case 0x9d, 0x9f: return false
        case 0x90...0x9f:
            guard let value = registers[Int(first & 0xf)] else { return false }
            pointer = value
        case 0xa0...0xaf:
            let last = UInt32(first & 7) + 4
            return pop((UInt32(1) << (last + 1) &- 1) & ~0xf | (first & 8 != 0 ? 1 << 14 : 0))
        case 0xb1:
            guard let second = rest.popFirst(), second != 0, second & 0xf0 == 0 else { return false }
            return pop(UInt32(second))
        case 0xb2:
            guard let value = number(&rest) else { return false }
            pointer = cut(pointer &+ 0x204 &+ value << 2)
        case 0xb3:
            // Saved by FSTMFDX, which stores a word more.
            guard let second = rest.popFirst() else { return false }
            skip(doubles: UInt64(second & 0xf) + 1, 4)
        // The return address's authentication code, which is not saved with the others.
        case 0xb4: pointer = cut(pointer &+ 4)
        // The stack pointer is the modifier of the authentication code: nothing moves.
        case 0xb5: break
        case 0xb8...0xbf: skip(doubles: UInt64(first & 7) + 1, 4)
        case 0xc6, 0xc8, 0xc9:
            guard let second = rest.popFirst() else { return false }
            skip(doubles: UInt64(second & 0xf) + 1, 0)
        case 0xc7:
            guard let second = rest.popFirst(), second != 0, second & 0xf0 == 0 else { return false }
            // Wireless MMX control registers.
            pointer = cut(pointer &+ UInt64(second.nonzeroBitCount) * 4)
        case 0xc0...0xc5, 0xd0...0xd7: skip(doubles: UInt64(first & 7) + 1, 0)
        default: return false
        }
        return true
    }

    private mutating func skip(doubles count: UInt64, _ more: UInt64) { pointer = cut(pointer &+ count * 8 &+ more) }

    /// Pops registers from the stack, the lowest first.
    private mutating func pop(_ mask: UInt32) -> Bool {
        var stackPointer: UInt64?
        for register in 0..<16 where mask >> UInt32(register) & 1 == 1 {
            guard let value = memory.read(pointer, size: 4) else {
                problem = .missingMemory(pointer)
                return false
            }
            pointer = cut(pointer &+ 4)
            switch register {
            case 13: stackPointer = value
            case 15:
                registers.programCounter = value
                hasCounter = true
            default: registers[register] = value
            }
        }
        if let stackPointer { pointer = stackPointer }
        return true
    }

    /// An unsigned LEB128 number.
    private func number(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 35, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    private func cut(_ value: UInt64) -> UInt64 { value & 0xffff_ffff }
}
