/// Looks on the stack for a number that may be a return address.
///
/// It must follow a call, in a function of a module; nevertheless it may be left from a call long
/// done, and a frame may be missing before it.
struct StackScan {
    let registers: Registers
    let places: CodePlaces
    /// A return address that is not looked for.
    let skipped: UInt64?

    /// How far above the return address a caller's frame may begin.
    private static let mostDistance: UInt64 = 8 << 20

    /// - Parameter words: as many are looked at.
    func caller(words: Int) -> Registers? {
        let size = registers.processor.registerSize
        let word = UInt64(size)
        let start = (registers.stackPointer &+ word &- 1) & ~(word &- 1)
        guard start >= registers.stackPointer else { return nil }
        for index in 0..<UInt64(max(0, words)) {
            let (address, overflow) = start.addingReportingOverflow(index * word)
            guard !overflow, let value = places.memory.read(address, size: size) else { return nil }
            if value == skipped { continue }
            guard value != places.entry, places.mayReturn(to: value, onlyModules: true) else { continue }
            return caller(returningTo: value, savedAt: address)
        }
        return nil
    }

    private func caller(returningTo value: UInt64, savedAt address: UInt64) -> Registers {
        let word = UInt64(registers.processor.registerSize)
        var caller = registers
        caller.programCounter = value
        caller.stackPointer = address &+ word
        // Compilers save the caller's frame pointer just below the return address, if at all; and
        // leave it in its register otherwise.
        let below = address >= word ? places.memory.read(address - word, size: Int(word)) : nil
        if let below, below > address, below - address < Self.mostDistance, places.memory.holds(below) {
            caller[registers.processor.framePointer] = below
        } else if let frame = registers.framePointer, frame < caller.stackPointer {
            caller[registers.processor.framePointer] = nil
        }
        return caller
    }
}
