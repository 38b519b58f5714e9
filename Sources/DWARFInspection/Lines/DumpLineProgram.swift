internal import BinaryPrimitives
internal import DWARF

/// A row of a line table as it is printed: registers as wide as LLVM's.
struct DumpLineRow {
    let address: UInt64
    let operationIndex: UInt8
    let file: UInt16
    let line: UInt32
    let column: UInt16
    let isStatement: Bool
    let beginsBlock: Bool
    let endsPrologue: Bool
    let beginsEpilogue: Bool
    let endsSequence: Bool
    let isa: UInt8
    let discriminator: UInt32

    init(_ registers: LineMachine.Registers, _ flags: LineRowFlags, endsSequence: Bool) {
        address = registers.address
        operationIndex = UInt8(truncatingIfNeeded: registers.operation)
        file = UInt16(truncatingIfNeeded: registers.row.file)
        line = UInt32(truncatingIfNeeded: registers.row.line)
        column = UInt16(truncatingIfNeeded: registers.row.column)
        (isStatement, beginsBlock) = (flags.isStatement, flags.beginsBlock)
        (endsPrologue, beginsEpilogue) = (flags.endsPrologue, flags.beginsEpilogue)
        self.endsSequence = endsSequence
        isa = UInt8(truncatingIfNeeded: flags.instructionSet)
        discriminator = UInt32(truncatingIfNeeded: registers.row.discriminator)
    }
}

/// Runs the line program of one table on `LineMachine`, and goes on behind what is damaged where a lookup stops.
struct DumpLineProgram {
    /// Events of a program, in its order.
    enum Event {
        /// An opcode is read at an offset of the section.
        case opcode(Int, UInt8)
        /// Name and effect of the opcode, for printing.
        case text(String)
        case row(DumpLineRow)
        /// The opcode is done.
        case end(hasRow: Bool)
    }

    let header: LineTableHeader
    let lines: SectionBytes
    /// Address size of a unit that has the table; zero if none has.
    let addressSize: Int
    /// Whether opcodes are reported, not only rows.
    let reportsOpcodes: Bool
    let printedAddress: (UInt64) -> UInt64

    /// Registers and flags between two opcodes.
    private struct State {
        var registers = LineMachine.Registers()
        var flags: LineRowFlags
        /// The linker removed the sequence's code: its rows are not reported.
        var isRemoved = false
    }

    /// An extended opcode (section 6.2.5.3): its length in LEB128, its code, its operands.
    private struct ExtendedOpcode {
        let code: UInt8
        /// Position of the code, and bytes of code and operands.
        let content: Int
        let length: UInt64

        init(_ program: RawSpan, at position: Int) throws(ReadError) {
            var rest = try program.from(UInt64(position + 1))
            length = try rest.readULEB128()
            content = program.byteCount - rest.byteCount
            code = length == 0 ? 0 : try rest.read(UInt8.self)
        }
    }

    /// Gives all events to `body`.
    /// - Returns: what is damaged; `nil` if nothing is.
    func run(_ body: (Event) -> Void) -> String? {
        let problem = lines.cut(at: header.end).withBytes(from: header.program) { run($0, body) }
        return problem.map { "the line table at \(hexadecimal(header.offset)): \($0)" }
    }

    private func run(_ program: RawSpan, _ body: (Event) -> Void) -> String? {
        let machine = LineMachine(header.encoding)
        let first = LineRowFlags(isStatement: header.defaultIsStatement != 0)
        var state = State(flags: first)
        var isOpen = false
        var problem: String?
        var position = 0
        while position < program.byteCount {
            let start = position
            if reportsOpcodes { body(.opcode(header.program + start, program.byte(at: start))) }
            let before = state.registers
            var event = LineMachine.Event.none
            do throws(ReadError) {
                if program.byte(at: start) == 0 {
                    let opcode = try ExtendedOpcode(program, at: start)
                    position = opcode.content + Int(clamping: min(opcode.length, UInt64(program.byteCount)))
                    if opcode.length == 0 {
                        if reportsOpcodes { body(.text("Badly formed extended line op (length 0)\n")) }
                        continue
                    }
                    let found = self.problem(of: opcode, program, at: start)
                    problem = problem ?? found.text
                    if found.isExecutable { event = try execute(machine, program, at: start, &state) }
                    if opcode.code == LineOpcode.extendedSetAddress, found.isExecutable { setAddress(size: Int(opcode.length) - 1, &state) }
                } else {
                    // Special opcodes, which most are, and the first of the standard have none.
                    let code = program.byte(at: start)
                    if code < header.opcodeBase, code >= LineOpcode.negateStatement {
                        try machine.readFlags(program, at: start, &state.flags)
                    }
                    event = try machine.execute(program, &position, &state.registers)
                }
            } catch {
                problem = problem ?? "its program ends in the middle of an opcode"
                position = program.byteCount
            }
            if reportsOpcodes { body(.text(describe(program, start..<min(position, program.byteCount), before, state))) }
            let isRow = event == .row || event == .endOfSequence
            if isRow, !state.isRemoved {
                body(.row(DumpLineRow(state.registers, state.flags, endsSequence: event == .endOfSequence)))
                isOpen = event == .row
            }
            if event == .row {
                state.registers.row.discriminator = 0
                state.flags.endRow()
            } else if event == .endOfSequence {
                (state.registers, state.flags) = (LineMachine.Registers(), first)
            }
            if reportsOpcodes { body(.end(hasRow: isRow && !state.isRemoved)) }
        }
        return problem ?? (isOpen ? "its last sequence has no end" : nil)
    }

    /// Executes an extended opcode. The caller knows where the next one begins.
    private func execute(
        _ machine: LineMachine, _ program: RawSpan, at start: Int, _ state: inout State
    ) throws(ReadError) -> LineMachine.Event {
        var end = start
        return try machine.execute(program, &end, &state.registers)
    }

    /// The address that the opcode set, as it is printed; the largest one marks removed code.
    private func setAddress(size: Int, _ state: inout State) {
        state.isRemoved = state.registers.address == UInt64.max >> UInt64(64 - 8 * size)
        state.registers.address = printedAddress(state.registers.address)
    }

    /// - Returns: what is wrong with an extended opcode, and whether it can be executed all the same.
    private func problem(of opcode: ExtendedOpcode, _ program: RawSpan, at start: Int) -> (text: String?, isExecutable: Bool) {
        guard opcode.length <= UInt64(program.byteCount - opcode.content) else {
            return ("an opcode at \(hexadecimal(header.program + start)) leads behind the end", false)
        }
        let operands = Int(opcode.length) - 1
        let otherLength = "an opcode at \(hexadecimal(header.program + start)) has another length than it says"
        switch opcode.code {
        case 0, LineOpcode.extendedEndSequence: return (operands == 0 ? nil : otherLength, true)
        case LineOpcode.extendedSetAddress:
            let isSize = [1, 2, 4, 8].contains(operands)
            if isSize, addressSize == 0 || addressSize == operands { return (nil, true) }
            return ("an address of \(operands) bytes at \(hexadecimal(header.program + opcode.content))", isSize)
        case LineOpcode.extendedDefineFile, LineOpcode.extendedSetDiscriminator:
            var cursor = lines.cut(at: header.program + opcode.content + Int(opcode.length)).cursor(at: header.program + opcode.content + 1)
            if opcode.code == LineOpcode.extendedDefineFile { _ = (cursor.string(), cursor.uleb(), cursor.uleb()) }
            _ = cursor.uleb()
            let isWhole = !cursor.isPastEnd
            return (isWhole && cursor.position == cursor.bytes.count ? nil : otherLength, isWhole)
        default: return (nil, true)
        }
    }

    // MARK: - Text

    /// Name and effect of an opcode.
    /// - Parameters:
    ///   - opcode: its bytes.
    ///   - before: the registers before it.
    private func describe(_ program: RawSpan, _ opcode: Range<Int>, _ before: LineMachine.Registers, _ state: State) -> String {
        let code = program.byte(at: opcode.lowerBound)
        let (registers, row) = (state.registers, state.registers.row)
        if code == 0 { return describeExtended(program, opcode, state) }
        let address = registers.address &- before.address
        let index = Int(truncatingIfNeeded: registers.operation) - Int(truncatingIfNeeded: before.operation)
        if code >= header.opcodeBase {
            return "address += \(address),  line += \(row.line &- before.row.line),  op-index += \(index)"
        }
        let name = DWARFNames.lineStandard.name(UInt64(code)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        switch code {
        case LineOpcode.advancePC: return name + " (addr += \(address), op-index += \(index))"
        case LineOpcode.advanceLine: return name + " (\(UInt32(truncatingIfNeeded: row.line)))"
        case LineOpcode.setFile: return name + " (\(UInt16(truncatingIfNeeded: row.file)))"
        case LineOpcode.setColumn: return name + " (\(UInt16(truncatingIfNeeded: row.column)))"
        case LineOpcode.constAddPC:
            return name + " (addr += 0x\(padded(address, 16)), op-index += \(UInt32(bitPattern: Int32(truncatingIfNeeded: index))))"
        case LineOpcode.fixedAdvancePC: return name + " (addr += 0x\(padded(address, 4)), op-index = 0)"
        case LineOpcode.setInstructionSet: return name + " (\(UInt8(truncatingIfNeeded: state.flags.instructionSet)))"
        case LineOpcode.copy...LineOpcode.setInstructionSet: return name
        default: return name + "Unrecognized standard opcode" + operands(of: code, at: opcode.lowerBound + 1)
        }
    }

    /// The operands of an opcode that only the header describes.
    private func operands(of code: UInt8, at position: Int) -> String {
        var cursor = lines.cut(at: header.end).cursor(at: header.program + position)
        let count = Int(code) - 1 < header.opcodeLengths.count ? header.opcodeLengths[Int(code) - 1] : 0
        let operands = (0..<count).map { _ in "0x" + padded(cursor.uleb(), 16) }
        return operands.isEmpty ? "" : " (operands: " + operands.joined(separator: ", ") + ")"
    }

    private func describeExtended(_ program: RawSpan, _ opcode: Range<Int>, _ state: State) -> String {
        guard let extended = try? ExtendedOpcode(program, at: opcode.lowerBound) else { return "" }
        let name = DWARFNames.lineExtended.name(UInt64(extended.code)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        switch extended.code {
        case LineOpcode.extendedEndSequence: return name
        case LineOpcode.extendedSetAddress:
            let size = opcode.upperBound - extended.content - 1
            return [1, 2, 4, 8].contains(size) ? name + " (0x" + padded(state.registers.address, 2 * size) + ")" : name
        case LineOpcode.extendedDefineFile:
            var cursor = lines.cut(at: header.end).cursor(at: header.program + extended.content + 1)
            let text = String(decoding: lines.bytes(in: cursor.string()), as: UTF8.self)
            let (folder, time, length) = (cursor.uleb(), cursor.uleb(), cursor.uleb())
            return name + " (\(text), dir=\(folder), mod_time=(0x\(padded(time, 16))), length=\(length))"
        case LineOpcode.extendedSetDiscriminator:
            return name + " (\(UInt32(truncatingIfNeeded: state.registers.row.discriminator)))"
        default:
            return name + "Unrecognized extended op 0x\(padded(UInt64(extended.code), 2)) length \(String(extended.length, radix: 16))"
        }
    }

    private func padded(_ value: UInt64, _ digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
