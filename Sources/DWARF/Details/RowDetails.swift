internal import BinaryPrimitives

/// Flags of a line table's row (DWARF 5, table 6.4).
package struct LineRowFlags: Sendable, Hashable {
    /// A recommended location for a breakpoint.
    package var isStatement = false
    package var beginsBlock = false
    package var endsPrologue = false
    package var beginsEpilogue = false
    /// Which instruction set; zero: the machine's own.
    package var instructionSet: UInt64 = 0

    package init() {}

    /// Clears the flags that hold for one row alone.
    fileprivate mutating func endRow() { (beginsBlock, endsPrologue, beginsEpilogue) = (false, false, false) }
}

/// Details of an address's row that only some tools need. The table's program is executed once more for them.
struct RowDetails {
    var flags = LineRowFlags()
    /// The last row before a row with line 0, in its sequence, that has a line.
    ///
    /// Compilers write line 0 for code that they moved, merged or added. The
    /// line before is near it, and no more than that.
    var before: LineRow?
}

extension LineTable {
    /// - Parameters:
    ///   - rows: the addresses' own rows; those that are `nil` are passed over.
    ///   - wanted: the addresses, ascending.
    ///   - bytes: the contribution, from its initial length on.
    func rowDetails(_ rows: [LineRow?], at wanted: [UInt64], _ bytes: RawSpan) throws(ReadError) -> [RowDetails] {
        var found = [RowDetails](repeating: RowDetails(), count: wanted.count)
        let program = try bytes.slice(at: UInt64(self.program.lowerBound), count: UInt64(self.program.count))
        let machine = LineMachine(self)
        var first = LineRowFlags()
        first.isStatement = beginsWithStatements
        var (registers, flags) = (LineMachine.Registers(), first)
        var previous: (address: UInt64, row: LineRow, flags: LineRowFlags)?
        var last: LineRow?
        var position = 0
        while position < program.byteCount {
            try readFlags(program, position, &flags)
            let event = try machine.execute(program, &position, &registers)
            guard event == .row || event == .endOfSequence else { continue }
            if let previous, previous.address < registers.address {
                var index = wanted.firstIndex(notBelow: previous.address)
                while index < wanted.count, wanted[index] < registers.address {
                    // The same address in another sequence has another row.
                    if rows[index] == previous.row {
                        found[index].flags = previous.flags
                        if previous.row.line == 0, found[index].before == nil { found[index].before = last }
                    }
                    index += 1
                }
            }
            if event == .endOfSequence {
                (registers, flags) = (LineMachine.Registers(), first)
                (previous, last) = (nil, nil)
                continue
            }
            previous = (registers.address, registers.row, flags)
            if registers.row.line != 0 { last = registers.row }
            registers.row.discriminator = 0
            flags.endRow()
        }
        return found
    }

    /// Takes what the opcode at a position says of flags, which `LineMachine` passes over.
    private func readFlags(_ program: RawSpan, _ position: Int, _ flags: inout LineRowFlags) throws(ReadError) {
        let opcode = program.byte(at: position)
        guard opcode < opcodeBase else { return }
        switch opcode {
        case LineOpcode.negateStatement: flags.isStatement.toggle()
        case LineOpcode.setBasicBlock: flags.beginsBlock = true
        case LineOpcode.setPrologueEnd: flags.endsPrologue = true
        case LineOpcode.setEpilogueBegin: flags.beginsEpilogue = true
        case LineOpcode.setInstructionSet:
            var rest = try program.from(UInt64(position + 1))
            flags.instructionSet = try rest.readULEB128()
        default: break
        }
    }
}
