/// The registers of one frame, by DWARF's numbers; a value may be unknown.
///
/// Stored inline, so that going from frame to frame allocates nothing.
package struct Registers: Sendable {
    package let processor: Processor
    /// Address that the frame executes. On 32-bit ARM with the Thumb bit.
    package var programCounter: UInt64
    private var values = InlineArray<37, UInt64>(repeating: 0)
    /// One bit for each value: whether it is known.
    private var known: UInt64 = 0

    /// Number of register numbers, from 0 on: including Power's `ctr` (66).
    package static let count = 72

    /// Index of a register's value. Between the general registers and s390x's `pswm` (64) there is no
    /// register that a rule recovers.
    private static func valueIndex(_ register: Int) -> Int? {
        switch register {
        case 0..<34: register
        case 64..<67: register - 30
        default: nil
        }
    }

    package init(_ processor: Processor, programCounter: UInt64, stackPointer: UInt64) {
        self.processor = processor
        self.programCounter = processor.cut(programCounter)
        self.stackPointer = stackPointer
    }

    /// The value of a register; `nil` if it is not known, or there is no such number. Values are as
    /// wide as the processor's registers.
    package subscript(register: Int) -> UInt64? {
        get {
            if register == processor.programCounter { return programCounter }
            guard let index = Self.valueIndex(register), known >> UInt64(index) & 1 == 1 else { return nil }
            return values[index]
        }
        set {
            if register == processor.programCounter {
                if let newValue { programCounter = processor.cut(newValue) }
                return
            }
            guard let index = Self.valueIndex(register) else { return }
            let bit: UInt64 = 1 << UInt64(index)
            if let newValue {
                values[index] = processor.cut(newValue)
                known |= bit
            } else {
                known &= ~bit
            }
        }
    }

    /// The value of a register by its name; setting one whose name is not known changes nothing.
    package subscript(name name: String) -> UInt64? {
        get { processor.number(of: name).flatMap { self[$0] } }
        set {
            guard let number = processor.number(of: name) else { return }
            self[number] = newValue
        }
    }

    /// The address of the frame, without the bias of 64-bit SPARC; 0 if it is not known.
    package var stackPointer: UInt64 {
        get { self[processor.stackPointer].map { $0 &+ processor.stackBias } ?? 0 }
        set { self[processor.stackPointer] = newValue &- processor.stackBias }
    }

    package var framePointer: UInt64? { self[processor.framePointer] }
    /// Return address that the last call stored in the link register, on processors that have one.
    package var link: UInt64? { processor.link.flatMap { self[$0] }.map { processor.returnAddress(saved: $0) } }
}

extension Registers {
    /// Registers of a window: `%l0` to `%l7`, `%i0` to `%i7`.
    static let window = 16..<32

    /// A register of the frame's window; if it is not known, from memory.
    func inWindow(_ register: Int, _ memory: Memory) -> UInt64? {
        self[register] ?? saved(register, memory)
    }

    private func saved(_ register: Int, _ memory: Memory) -> UInt64? {
        memory.read(windowAddress(of: register), size: processor.registerSize)
    }

    /// Address of a register in the frame's window in memory.
    func windowAddress(of register: Int) -> UInt64 {
        processor.cut(stackPointer &+ UInt64((register - Self.window.lowerBound) * processor.registerSize))
    }

    /// Reads the frame's window from memory, where the system has saved it: at the stack pointer.
    mutating func loadWindow(_ memory: Memory) { for register in Self.window { self[register] = saved(register, memory) } }
}

extension Processor {
    /// The part of a number that fits a register.
    func cut(_ value: UInt64) -> UInt64 { registerSize == 4 ? value & 0xffff_ffff : value }
}
