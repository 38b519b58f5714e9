/// The registers of one frame, by DWARF's numbers; each is known or not.
///
/// A value without memory of its own elsewhere, so that going from frame to frame allocates
/// nothing.
package struct Registers: Sendable {
    package let processor: Processor
    /// Where the frame executes. On 32-bit ARM with the Thumb bit.
    package var programCounter: UInt64
    private var values = InlineArray<72, UInt64>(repeating: 0)
    private var known: (UInt64, UInt64) = (0, 0)

    /// Numbers from 0 on that a register may have: with Power's `ctr` (66).
    package static let count = 72

    package init(_ processor: Processor, programCounter: UInt64, stackPointer: UInt64) {
        self.processor = processor
        self.programCounter = processor.cut(programCounter)
        self[processor.stackPointer] = stackPointer
    }

    /// The value of a register; `nil` if it is not known, or there is no such number. Values are as
    /// wide as the processor's registers.
    package subscript(register: Int) -> UInt64? {
        get {
            if register == processor.programCounter { return programCounter }
            guard values.indices.contains(register) else { return nil }
            let bits = register < 64 ? known.0 : known.1
            return bits >> UInt64(register & 63) & 1 == 1 ? values[register] : nil
        }
        set {
            if register == processor.programCounter {
                if let newValue { programCounter = processor.cut(newValue) }
                return
            }
            guard values.indices.contains(register) else { return }
            let bit: UInt64 = 1 << UInt64(register & 63)
            if let newValue {
                values[register] = processor.cut(newValue)
                if register < 64 { known.0 |= bit } else { known.1 |= bit }
            } else {
                if register < 64 { known.0 &= ~bit } else { known.1 &= ~bit }
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

    package var stackPointer: UInt64 {
        get { self[processor.stackPointer] ?? 0 }
        set { self[processor.stackPointer] = newValue }
    }

    package var framePointer: UInt64? { self[processor.framePointer] }
    /// What the last call left as its return address, on processors that have such a register.
    package var link: UInt64? { processor.link.flatMap { self[$0] } }
}

extension Processor {
    /// The part of a number that fits a register.
    func cut(_ value: UInt64) -> UInt64 { registerSize == 4 ? value & 0xffff_ffff : value }
}
