internal import BinaryPrimitives

/// How to go from a frame to its caller, as a Windows image's unwind information has it: what undoes the instructions that a
/// function has executed, in order.
///
/// For example, x86-64's `push rbx; sub rsp, 32`:
///
///     add(32), pop(3)
struct WindowsFrame: Sendable, Equatable {
    enum Operation: Sendable, Equatable {
        /// Reads a register at the stack pointer, which moves past it.
        case pop(Int)
        case add(UInt64)
        /// Sets the stack pointer to a register less a number.
        case setStackPointer(Int, minus: UInt64)
        /// Reads a register at a distance from the stack pointer.
        case load(Int, at: UInt64)
        /// Reads a register at a distance from the frame's base.
        case loadFromBase(Int, at: UInt64)
        /// The processor has pushed the interrupted program counter and stack pointer, perhaps below an error code.
        case machineFrame(hasErrorCode: Bool)
        /// Windows has stored all registers for the function that they interrupted (arm64's `CONTEXT`).
        case context
    }

    /// The frame's base, before any operation: a register less a number; `nil`: the stack pointer.
    var base: Base?
    var operations: [Operation]

    struct Base: Sendable, Equatable {
        var register: Int
        var below: UInt64
    }

    init(base: Base? = nil, _ operations: [Operation]) {
        self.base = base
        self.operations = operations
    }

    /// A function that has no unwind information does not move the stack pointer, and calls nothing (Microsoft, "x64 exception
    /// handling": leaf functions).
    static let leaf = WindowsFrame([])
}

/// Executes the operations of a frame.
struct WindowsStep {
    private var registers: Registers
    private let memory: Memory
    private var pointer: UInt64

    init(_ registers: Registers, _ memory: Memory) {
        self.registers = registers
        self.memory = memory
        pointer = registers.stackPointer
    }

    mutating func caller(by frame: WindowsFrame) -> CallerStep {
        var base = pointer
        if let known = frame.base {
            guard let value = registers[known.register] else { return .failed }
            base = value &- known.below
        }
        for operation in frame.operations {
            switch operation {
            case .pop(let register):
                registers[register] = memory.read(pointer, size: 8)
                pointer &+= 8
            case .add(let count): pointer &+= count
            case .setStackPointer(let register, let distance):
                guard let value = registers[register] else { return .failed }
                pointer = value &- distance
            // A register that cannot be read matters only where it is needed.
            case .load(let register, let offset): registers[register] = memory.read(pointer &+ offset, size: 8)
            case .loadFromBase(let register, let offset): registers[register] = memory.read(base &+ offset, size: 8)
            case .machineFrame(let hasErrorCode): return machineFrame(hasErrorCode: hasErrorCode)
            case .context: return context()
            }
        }
        registers.stackPointer = pointer
        if registers.processor.link == nil {
            guard let counter = memory.read(pointer, size: 8) else { return .missingMemory(pointer) }
            registers.programCounter = counter
            registers.stackPointer = pointer &+ 8
        } else {
            guard let link = registers.link else { return .failed }
            registers.programCounter = link
        }
        return .caller(registers, isExact: false)
    }

    /// x86-64 has pushed the error code, `rip`, `cs`, the flags, `rsp`, `ss`; arm64's record has the stack pointer and the counter.
    private mutating func machineFrame(hasErrorCode: Bool) -> CallerStep {
        let isX86 = registers.processor == .x86_64
        let start = pointer &+ (hasErrorCode ? 8 : 0)
        guard let counter = memory.read(start &+ (isX86 ? 0 : 8), size: 8), let stack = memory.read(start &+ (isX86 ? 24 : 0), size: 8)
        else { return .missingMemory(start) }
        registers.programCounter = counter
        registers.stackPointer = stack
        return .caller(registers, isExact: true)
    }

    /// `ARM64_NT_CONTEXT`: flags, `cpsr`, `x0` to `x30`, the stack pointer, the counter.
    private mutating func context() -> CallerStep {
        guard registers.processor == .arm64 else { return .failed }
        for number in 0...31 {
            guard let value = memory.read(pointer &+ 8 &+ UInt64(number) * 8, size: 8) else { return .missingMemory(pointer) }
            registers[number] = value
        }
        guard let counter = memory.read(pointer &+ 264, size: 8) else { return .missingMemory(pointer) }
        registers.programCounter = counter
        return .caller(registers, isExact: true)
    }
}
