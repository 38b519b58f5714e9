package import BinaryPrimitives

/// A row of a line table: what code came from.
package struct LineRow: Sendable, Hashable {
    package var file: Int
    /// Zero: the compiler attributes the code to no line.
    package var line: Int
    /// Zero: unknown.
    package var column: Int
    /// DWARF 5, section 6.2.2; zero for all but the later blocks of a line. A caller that wants it
    /// sets it to zero after each row.
    package var discriminator: UInt64 = 0
}

/// Flags of a line table's row (DWARF 5, table 6.4).
package struct LineRowFlags: Sendable, Hashable {
    /// A recommended location for a breakpoint.
    package var isStatement: Bool
    package var beginsBlock = false
    package var endsPrologue = false
    package var beginsEpilogue = false
    /// Which instruction set; zero: the machine's own.
    package var instructionSet: UInt64 = 0

    package init(isStatement: Bool = false) { self.isStatement = isStatement }

    /// Clears the flags that hold for one row alone.
    package mutating func endRow() { (beginsBlock, endsPrologue, beginsEpilogue) = (false, false, false) }
}

/// The line-number state machine (DWARF 5, section 6.2.5) of one program: executes opcodes on the registers.
///
/// A caller has the loop, and the registers in local variables of it: `execute` is inlined into each such loop, which runs some hundred
/// million times for a large file. Its callers are the lookup (`LineProgram`), the index (`LineCollector`), the enumeration
/// (`LineCoverage`), `LineTable.forEachRow`, and the dumper.
package struct LineMachine {
    /// How a program's opcodes are encoded: fields of its header (DWARF 5, section 6.2.4).
    package struct Encoding {
        package var opcodeBase: UInt8
        /// Bytes.
        package var minimumInstructionLength: UInt8
        /// Operations of an instruction: 1 but on VLIW machines; zero counts as 1.
        package var maximumOperations: UInt8
        package var lineBase: Int8
        /// Zero: special opcodes change neither address nor line, as LLVM reads it.
        package var lineRange: UInt8
        /// How many LEB128 operands each standard opcode has; entry 0 is opcode 1.
        package var operandCounts: [UInt8]
        package var order: ByteOrder

        package init(
            opcodeBase: UInt8, minimumInstructionLength: UInt8, maximumOperations: UInt8, lineBase: Int8, lineRange: UInt8,
            operandCounts: [UInt8], _ order: ByteOrder
        ) {
            self.opcodeBase = opcodeBase
            self.minimumInstructionLength = minimumInstructionLength
            self.maximumOperations = maximumOperations
            self.lineBase = lineBase
            self.lineRange = lineRange
            self.operandCounts = operandCounts
            self.order = order
        }
    }

    /// The registers that results depend on (DWARF 5, table 6.4), as they are when a sequence
    /// begins.
    package struct Registers {
        package var address: UInt64 = 0
        /// Which of the operations of the instruction at the address: zero but on VLIW machines.
        package fileprivate(set) var operation: UInt64 = 0
        package var row = LineRow(file: 1, line: 1, column: 0)

        package init() {}
    }

    /// The effect of an opcode beside changed registers.
    package enum Event {
        case none
        /// The registers are a row of the table. It covers the addresses up to the next row's or
        /// the sequence's end.
        case row
        /// The address was set: mostly that of the sequence's first row.
        case addressSet
        /// The registers are the sequence's last row, which covers nothing: its address is the
        /// first one after the sequence.
        case endOfSequence
    }

    /// Advances of a special opcode (DWARF 5, section 6.2.5.1).
    private struct Special {
        /// Operations, which are instructions but on VLIW machines.
        var advance: UInt32
        var line: Int32
    }

    /// The first opcode that is a special one.
    private let opcodeBase: UInt8
    private let minimumInstructionLength: UInt64
    private let maximumOperations: UInt64
    private let order: ByteOrder
    /// By opcode: a division less for every row.
    private let specials: [Special]
    /// For each opcode how many operands in LEB128 it has; 2 means more, and other kinds.
    private let operands: [UInt8]
    private let operandCounts: [UInt8]

    /// How many operands in LEB128 the opcodes from `DW_LNS_copy` to `DW_LNS_set_isa` have (DWARF
    /// 5, section 6.2.5.2).
    private static let standardOperands: [UInt8] = [0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1]

    package init(_ encoding: Encoding) {
        // Opcode 0 is the extended one, whatever the header says.
        opcodeBase = max(1, encoding.opcodeBase)
        minimumInstructionLength = UInt64(encoding.minimumInstructionLength)
        maximumOperations = UInt64(max(1, encoding.maximumOperations))
        order = encoding.order
        operandCounts = encoding.operandCounts
        specials = Self.specials(encoding)
        var operands = [UInt8](repeating: 0, count: 256)
        // A header that gives an opcode of the standard other operands than the standard is not
        // believed where the opcode is executed, nor where it is passed over.
        for opcode in 1..<Int(opcodeBase) {
            operands[opcode] =
                opcode <= Self.standardOperands.count ? Self.standardOperands[opcode - 1] : min(2, encoding.operandCounts[opcode - 1])
        }
        operands[0] = 2
        if opcodeBase > LineOpcode.fixedAdvancePC { operands[Int(LineOpcode.fixedAdvancePC)] = 2 }
        self.operands = operands
    }

    /// The advances of all opcodes as if each were a special one.
    private static func specials(_ encoding: Encoding) -> [Special] {
        if encoding.lineRange == 0 { return [Special](repeating: Special(advance: 0, line: 0), count: 256) }
        return (0...255).map { opcode in
            let adjusted = max(0, opcode - Int(encoding.opcodeBase))
            let (advance, line) = adjusted.quotientAndRemainder(dividingBy: Int(encoding.lineRange))
            return Special(advance: UInt32(advance), line: Int32(encoding.lineBase) + Int32(line))
        }
    }

    /// Executes one opcode. The opcodes that large files have by the hundred million are executed here: those with operands of one byte.
    /// The function must stay so small that it is inlined into each loop, where the registers are in the processor's.
    /// - Parameter position: position of the opcode in the program; moved past its operands.
    @inline(__always)
    package func execute(_ program: RawSpan, _ position: inout Int, _ registers: inout Registers) throws(ReadError) -> Event {
        let opcode = program.byte(at: position)
        position &+= 1
        if opcode >= opcodeBase {
            let special = specials[Int(opcode)]
            advance(UInt64(special.advance), &registers)
            registers.row.line &+= Int(special.line)
            return .row
        }
        let operand = position < program.byteCount ? program.byte(at: position) : 0x80
        switch opcode {
        case LineOpcode.copy: return .row
        case LineOpcode.negateStatement, LineOpcode.setBasicBlock: return .none
        case LineOpcode.setColumn where operand < 0x80:
            registers.row.column = Int(operand)
            position &+= 1
            return .none
        case LineOpcode.setFile where operand < 0x80:
            registers.row.file = Int(operand)
            position &+= 1
            return .none
        case LineOpcode.advanceLine where operand < 0x80:
            // Seven bits, the highest of which is the sign.
            registers.row.line &+= Int(Int8(bitPattern: operand << 1) >> 1)
            position &+= 1
            return .none
        case LineOpcode.advanceLine where position &+ 1 < program.byteCount && program.byte(at: position &+ 1) < 0x80:
            // Fourteen bits.
            let bits = UInt16(operand & 0x7f) | UInt16(program.byte(at: position &+ 1)) << 7
            registers.row.line &+= Int(Int16(bitPattern: bits << 2) >> 2)
            position &+= 2
            return .none
        default:
            let step = try executeRare(opcode, program, at: position, registers)
            position = step.position
            registers = step.registers
            return step.event
        }
    }

    /// State after an opcode that is rare or has long operands.
    private struct Step {
        var event = Event.none
        /// Position of the next opcode.
        var position: Int
        var registers: Registers
    }

    /// Takes and returns values, because registers that it could change in place would have to be
    /// in memory in the loop.
    /// - Parameter position: of the first operand.
    @inline(never)
    private func executeRare(
        _ opcode: UInt8, _ program: RawSpan, at position: Int, _ registers: Registers
    ) throws(ReadError) -> Step {
        var step = Step(position: position, registers: registers)
        var rest = try program.from(UInt64(position))
        switch opcode {
        case LineOpcode.setColumn: step.registers.row.column = Int(truncatingIfNeeded: try rest.readULEB128())
        case LineOpcode.advanceLine: step.registers.row.line &+= Int(truncatingIfNeeded: try rest.readSLEB128())
        case LineOpcode.setFile: step.registers.row.file = Int(truncatingIfNeeded: try rest.readULEB128())
        case LineOpcode.advancePC: advance(try rest.readULEB128(), &step.registers)
        case LineOpcode.constAddPC: advance(UInt64(specials[255].advance), &step.registers)
        case LineOpcode.fixedAdvancePC:
            step.registers.address &+= UInt64(try rest.read(UInt16.self, order))
            step.registers.operation = 0
        case 0: step.event = try executeExtended(&rest, &step.registers)
        default: try skipOperands(of: opcode, &rest)
        }
        step.position = program.byteCount &- rest.byteCount
        return step
    }

    private func executeExtended(_ rest: inout RawSpan, _ registers: inout Registers) throws(ReadError) -> Event {
        var operands = try rest.read(bytes: Int(clamping: try rest.readULEB128()))
        guard operands.byteCount > 0 else { return .none }
        switch try operands.read(UInt8.self) {
        case LineOpcode.extendedEndSequence: return .endOfSequence
        case LineOpcode.extendedSetAddress:
            registers.address = try operands.readUnsigned(size: operands.byteCount, order)
            registers.operation = 0
            return .addressSet
        case LineOpcode.extendedSetDiscriminator: registers.row.discriminator = try operands.readULEB128()
        default: break
        }
        return .none
    }

    @inline(__always)
    private func advance(_ operations: UInt64, _ registers: inout Registers) {
        if maximumOperations == 1 {
            registers.address &+= operations &* minimumInstructionLength
        } else {
            // On VLIW machines several operations share an instruction.
            let sum = registers.operation &+ operations
            registers.address &+= minimumInstructionLength &* (sum / maximumOperations)
            registers.operation = sum % maximumOperations
        }
    }

    /// The header gives how many operands a standard opcode has, so that unknown ones can be passed
    /// over.
    private func skipOperands(of opcode: UInt8, _ cursor: inout RawSpan) throws(ReadError) {
        let known = operands[Int(opcode)]
        for _ in 0..<(known < 2 ? known : operandCounts[Int(opcode) - 1]) { try cursor.skipLEB128() }
    }

    /// Reads what the opcode at a position says of flags, which `execute` passes over.
    package func readFlags(_ program: RawSpan, at position: Int, _ flags: inout LineRowFlags) throws(ReadError) {
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

    /// Moves past the sequence's end without executing what is before it.
    /// - Returns: where the next sequence begins, in bytes from the program's start.
    func positionBehindSequence(_ program: RawSpan, at start: Int) throws(ReadError) -> Int {
        try positionBehindSequence(program, at: start, unlessBelow: nil) ?? program.byteCount
    }

    /// - Parameter wanted: `nil` is returned where the address is set to this one or a lower one,
    ///   or may be by an advance so large that it begins again at zero.
    func positionBehindSequence(_ program: RawSpan, at start: Int, unlessBelow wanted: UInt64?) throws(ReadError) -> Int? {
        let operands = operands
        let total = program.byteCount
        var position = start
        while position &+ 1 < total {
            let opcode = program.byte(at: position)
            let count = operands[Int(opcode)]
            if count <= 1 {
                // Most have no operand, or one of one byte: both without a branch that nobody could
                // predict.
                position &+= 1 &+ Int(count)
                if count & (program.byte(at: position &- 1) >> 7) != 0 {
                    var rest = try program.from(UInt64(position))
                    let before = rest.byteCount
                    try rest.skipLEB128()
                    // No program's code is 32 GB long.
                    if wanted != nil, opcode == LineOpcode.advancePC, before &- rest.byteCount > 5 { return nil }
                    position = total &- rest.byteCount
                }
                continue
            }
            var rest = try program.from(UInt64(position &+ 1))
            var isEnd = false
            switch opcode {
            case 0:
                let size = Int(clamping: try rest.readULEB128())
                var body = try rest.read(bytes: size)
                isEnd = size > 0 && body.byte(at: 0) == LineOpcode.extendedEndSequence
                if let wanted, size > 1, body.byte(at: 0) == LineOpcode.extendedSetAddress {
                    try body.skip(1)
                    if try body.readUnsigned(size: body.byteCount, order) <= wanted { return nil }
                }
            case LineOpcode.fixedAdvancePC: try rest.skip(2)
            default: try skipOperands(of: opcode, &rest)
            }
            position = total &- rest.byteCount
            if isEnd { break }
        }
        // An opcode that is the program's last byte ends no sequence.
        return position &+ 1 < total ? position : total
    }
}
