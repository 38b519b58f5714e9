/// A function's registers and its stack at one instruction, as the instructions before it say.
///
/// Addresses on the stack count from the canonical frame address (CFA), which is the stack pointer before the call. For
/// example, after `push %rbp; mov %rsp, %rbp` on x86-64 both `rsp` and `rbp` are 16 bytes below it, and the caller's `rbp`
/// is saved there.
struct CodeState: Equatable, Sendable {
    /// The value of a register or of a word on the stack.
    enum Value: Equatable, Sendable {
        case unknown
        /// The value that a register had when the function was called, by DWARF's number.
        case entry(Int)
        /// The CFA plus a number of bytes.
        case frame(Int64)
        /// An address that the instruction at a position aligned, plus a number of bytes.
        case aligned(Int, Int64)
        case constant(Int64)

        /// The value plus a number.
        func adding(_ number: Int64) -> Value {
            switch self {
            case .frame(let offset): .frame(offset &+ number)
            case .aligned(let position, let offset): .aligned(position, offset &+ number)
            case .constant(let value): .constant(value &+ number)
            case .entry, .unknown: number == 0 ? self : .unknown
            }
        }

        /// The sum with a value, if one of the two is a constant.
        func adding(_ other: Value) -> Value {
            if case .constant(let number) = other { return adding(number) }
            if case .constant(let number) = self { return other.adding(number) }
            return .unknown
        }

        /// The difference from a value, if that is a constant.
        func subtracting(_ other: Value) -> Value {
            if case .constant(let number) = other { return adding(0 &- number) }
            return .unknown
        }

        /// Whether the value is an address on the stack.
        var isStack: Bool {
            switch self {
            case .frame, .aligned: true
            default: false
            }
        }
    }

    /// A word on the stack whose value is known.
    struct Slot: Equatable, Sendable {
        var address: Value
        var value: Value
    }

    let convention: CallingConvention
    /// By DWARF's numbers.
    private var values: [Value]
    private(set) var slots: [Slot] = []
    /// Number of the next instructions that are executed on a condition (Thumb's `IT`).
    var conditionalCount = 0

    /// A function's first saves are its own. Those of a body may overwrite one another without end.
    private static let maxSlots = 64

    /// The state before a function's first instruction.
    init(_ convention: CallingConvention) {
        self.convention = convention
        values = (0..<convention.registerCount).map { .entry($0) }
        values[convention.stackPointer] = .frame(convention.link == nil ? 0 - Int64(convention.word) : 0)
    }

    /// The value of a register; `unknown` if there is no such number.
    subscript(register: Int) -> Value {
        get { values.indices.contains(register) ? values[register] : .unknown }
        set { if values.indices.contains(register) { values[register] = newValue } }
    }

    var stackPointer: Value {
        get { self[convention.stackPointer] }
        set { self[convention.stackPointer] = newValue }
    }

    // MARK: The stack

    /// Stores a word.
    mutating func store(_ value: Value, at address: Value) {
        guard address.isStack else { return }
        slots.removeAll { $0.address == address }
        let isKept =
            switch value {
            case .entry(let register): convention.isRestored(register)
            case .frame, .aligned: true
            case .constant, .unknown: false
            }
        if isKept, slots.count < Self.maxSlots { slots.append(Slot(address: address, value: value)) }
    }

    /// The word at an address.
    func load(_ address: Value) -> Value {
        guard address.isStack else { return .unknown }
        return slots.first { $0.address == address }?.value ?? .unknown
    }

    mutating func push(_ value: Value) {
        stackPointer = stackPointer.adding(0 - Int64(convention.word))
        store(value, at: stackPointer)
    }

    mutating func pop() -> Value {
        let value = load(stackPointer)
        stackPointer = stackPointer.adding(Int64(convention.word))
        return value
    }

    // MARK: Calls and branches

    /// Forgets the registers that a called function may change.
    mutating func call() {
        for register in values.indices where register != convention.stackPointer && !convention.isPreserved(register) {
            values[register] = .unknown
        }
    }

    /// Whether the stack pointers of two states are known and differ: one of them is not of this function's code.
    func contradicts(_ other: CodeState) -> Bool {
        stackPointer != other.stackPointer && stackPointer != .unknown && other.stackPointer != .unknown
    }

    /// Keeps what is the same in another state, with which control comes to the same instruction.
    mutating func join(_ other: CodeState) {
        for register in values.indices where values[register] != other.values[register] { values[register] = .unknown }
        slots.removeAll { !other.slots.contains($0) }
        conditionalCount = 0
    }

    // MARK: The caller

    /// The location of the value that a register had when the function was called.
    enum Origin: Equatable, Sendable {
        case register(Int)
        case memory(Value)
        case lost
    }

    /// Finds a register's value at the call: in memory, if it was saved and the stack still has it, or in a register.
    ///
    /// Memory comes first: a function that is called may change a register that it should preserve, such as i386's
    /// `__x86.get_pc_thunk.bx`.
    func origin(of register: Int) -> Origin {
        let saved = slots.filter { $0.value == .entry(register) }
        if let slot = saved.first(where: { isAllocated($0.address) }) { return .memory(slot.address) }
        if self[register] == .entry(register) { return .register(register) }
        if let other = values.indices.first(where: { values[$0] == .entry(register) }) { return .register(other) }
        return saved.first.map { .memory($0.address) } ?? .lost
    }

    /// Whether an address is not below the stack pointer, as far as that is known.
    private func isAllocated(_ address: Value) -> Bool {
        switch (address, stackPointer) {
        case (.frame(let address), .frame(let top)): address >= top
        case (.aligned(let one, let address), .aligned(let other, let top)) where one == other: address >= top
        default: true
        }
    }
}

/// The registers that a function preserves for its caller, and where a call leaves the return address.
struct CallingConvention: Equatable, Sendable {
    let stackPointer: Int
    /// Register of the return address; `nil` if it is on the stack, below the CFA.
    let link: Int?
    /// Size of a register in bytes.
    let word: Int
    let registerCount: Int
    /// One bit for each register.
    private let preserved: UInt64

    /// - Returns: `nil` for a processor whose instructions are not read here.
    ///
    /// From the ABIs: System V, x86-64 figure 3.4 and i386 figure 2.1; Arm AAPCS64 and AAPCS32, section "Core registers";
    /// RISC-V psABI, "Integer Register Convention".
    init?(_ processor: Processor) {
        let registers: [ClosedRange<Int>]
        switch processor {
        case .x86_64: (registers, registerCount) = ([3...3, 6...6, 12...15], 16)
        case .i386: (registers, registerCount) = ([3...3, 5...7], 8)
        case .arm64: (registers, registerCount) = ([19...29], 32)
        case .arm: (registers, registerCount) = ([4...11], 16)
        case .riscv64, .riscv32: (registers, registerCount) = ([8...9, 18...27], 32)
        default: return nil
        }
        stackPointer = processor.stackPointer
        link = processor.link
        word = processor.registerSize
        preserved = registers.joined().reduce(0) { $0 | 1 << UInt64($1) }
    }

    func isPreserved(_ register: Int) -> Bool { register >= 0 && preserved >> UInt64(register) & 1 == 1 }

    /// Whether the caller's value matters: of a preserved register, or the return address.
    func isRestored(_ register: Int) -> Bool { register == link || isPreserved(register) }

    /// The preserved registers, ascending.
    var preservedRegisters: [Int] { (0..<registerCount).filter { isPreserved($0) } }
}
