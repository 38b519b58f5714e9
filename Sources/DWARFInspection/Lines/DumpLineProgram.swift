/// The state of a line program (DWARF 5, section 6.2.2), whose copies are the table's rows.
/// Registers are as wide as LLVM's.
struct DumpLineRow {
    var address: UInt64 = 0
    var operationIndex: UInt8 = 0
    var file: UInt16 = 1
    var line: UInt32 = 1
    var column: UInt16 = 0
    var isStatement: Bool
    var beginsBlock = false
    var endsSequence = false
    var endsPrologue = false
    var beginsEpilogue = false
    var isa: UInt8 = 0
    var discriminator: UInt32 = 0

    init(isStatement: Bool) { self.isStatement = isStatement }
}

/// Runs the line program of one table.
struct DumpLineProgram {
    /// Events of a program, in its order.
    enum Event {
        /// An opcode is read at an offset.
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

    private struct Step {
        var address: UInt64
        var index: Int
    }

    /// Gives all events to `body`.
    /// - Returns: what is damaged; `nil` if nothing is.
    func run(_ body: (Event) -> Void) -> String? {
        var row = DumpLineRow(isStatement: header.defaultIsStatement != 0)
        var isRemoved = false
        var isOpen = false
        var problem: String?
        var cursor = lines.cut(at: header.end).cursor(at: header.program)
        while cursor.position < header.end, !cursor.isPastEnd {
            let start = cursor.position
            let opcode = cursor.u8()
            var hasRow = false
            var text = ""
            if reportsOpcodes { body(.opcode(start, opcode)) }
            func emit() {
                guard !isRemoved else { return }
                hasRow = true
                if reportsOpcodes { body(.text(text)) }
                text = ""
                body(.row(row))
                isOpen = !row.endsSequence
                (row.discriminator, row.beginsBlock, row.endsPrologue, row.beginsEpilogue) = (0, false, false, false)
            }
            if opcode == 0 {
                let length = cursor.uleb()
                let content = cursor.position
                if length == 0 {
                    if reportsOpcodes { body(.text("Badly formed extended line op (length 0)\n")) }
                    continue
                }
                let code = cursor.u8()
                if reportsOpcodes { text = DWARFNames.lineExtended.name(UInt64(code)).map { String(decoding: $0, as: UTF8.self) } ?? "" }
                switch code {
                case 1:
                    row.endsSequence = true
                    emit()
                    row = DumpLineRow(isStatement: header.defaultIsStatement != 0)
                case 2:
                    let size = Int(clamping: length) - 1
                    guard [1, 2, 4, 8].contains(size) else {
                        problem = problem ?? "an address of \(size) bytes at \(hexadecimal(content))"
                        break
                    }
                    if addressSize != 0, addressSize != size {
                        problem = problem ?? "an address of \(size) bytes at \(hexadecimal(content))"
                    }
                    let address = cursor.number(size)
                    isRemoved = address == (size == 8 ? UInt64.max : (1 << UInt64(8 * size)) - 1)
                    row.address = printedAddress(address)
                    row.operationIndex = 0
                    if reportsOpcodes { text += " (0x" + padded(row.address, 2 * size) + ")" }
                case 3:
                    let name = cursor.string()
                    let (folder, time, size) = (cursor.uleb(), cursor.uleb(), cursor.uleb())
                    if reportsOpcodes {
                        let name = String(decoding: lines.bytes(in: name), as: UTF8.self)
                        text += " (\(name), dir=\(folder), mod_time=(0x\(padded(time, 16))), length=\(size))"
                    }
                case 4:
                    row.discriminator = UInt32(truncatingIfNeeded: cursor.uleb())
                    if reportsOpcodes { text += " (\(row.discriminator))" }
                default:
                    if reportsOpcodes {
                        text += "Unrecognized extended op 0x\(padded(UInt64(code), 2)) length \(String(length, radix: 16))"
                    }
                }
                // The length counts, whatever was read.
                guard length <= UInt64(header.end - content) else {
                    if reportsOpcodes { body(.text(text)) }
                    problem = problem ?? "an opcode at \(hexadecimal(start)) leads behind the end"
                    if reportsOpcodes { body(.end(hasRow: hasRow)) }
                    break
                }
                if cursor.position != content + Int(length), code <= 4 {
                    problem = problem ?? "an opcode at \(hexadecimal(start)) has another length than it says"
                }
                cursor.move(to: content + Int(length))
            } else if opcode < header.opcodeBase {
                if reportsOpcodes {
                    text = DWARFNames.lineStandard.name(UInt64(opcode)).map { String(decoding: $0, as: UTF8.self) } ?? ""
                }
                if opcode == 1 { emit() } else { standard(opcode, &row, &cursor, &text) }
            } else {
                let adjusted = opcode - header.opcodeBase
                let step = advance(&row, UInt64(header.lineRange == 0 ? 0 : adjusted / header.lineRange))
                let change = header.lineRange == 0 ? 0 : Int32(header.lineBase) + Int32(adjusted % header.lineRange)
                row.line = row.line &+ UInt32(bitPattern: change)
                if reportsOpcodes { text = "address += \(step.address),  line += \(change),  op-index += \(step.index)" }
                emit()
            }
            if reportsOpcodes {
                if !text.isEmpty { body(.text(text)) }
                body(.end(hasRow: hasRow))
            }
        }
        if cursor.isPastEnd { problem = problem ?? "its program ends in the middle of an opcode" }
        if isOpen { problem = problem ?? "its last sequence has no end" }
        return problem.map { "the line table at \(hexadecimal(header.offset)): \($0)" }
    }

    private func standard(
        _ opcode: UInt8, _ row: inout DumpLineRow, _ cursor: inout SectionCursor, _ text: inout String
    ) {
        switch opcode {
        case 2:
            let operand = cursor.uleb()
            let step = advance(&row, operand)
            if reportsOpcodes { text += " (addr += \(step.address), op-index += \(step.index))" }
        case 3:
            row.line = row.line &+ UInt32(truncatingIfNeeded: cursor.sleb())
            if reportsOpcodes { text += " (\(row.line))" }
        case 4:
            row.file = UInt16(truncatingIfNeeded: cursor.uleb())
            if reportsOpcodes { text += " (\(row.file))" }
        case 5:
            row.column = UInt16(truncatingIfNeeded: cursor.uleb())
            if reportsOpcodes { text += " (\(row.column))" }
        case 6: row.isStatement.toggle()
        case 7: row.beginsBlock = true
        case 8:
            let adjusted = 255 - header.opcodeBase
            let step = advance(&row, UInt64(header.lineRange == 0 ? 0 : adjusted / header.lineRange))
            if reportsOpcodes {
                text +=
                    " (addr += 0x\(padded(step.address, 16)), op-index += \(UInt32(bitPattern: Int32(truncatingIfNeeded: step.index))))"
            }
        case 9:
            let operand = cursor.u16()
            row.address = row.address &+ UInt64(operand)
            row.operationIndex = 0
            if reportsOpcodes { text += " (addr += 0x\(padded(UInt64(operand), 4)), op-index = 0)" }
        case 10: row.endsPrologue = true
        case 11: row.beginsEpilogue = true
        case 12:
            row.isa = UInt8(truncatingIfNeeded: cursor.uleb())
            if reportsOpcodes { text += " (\(row.isa))" }
        default:
            // How many operands it has, the header says.
            let count = Int(opcode) - 1 < header.opcodeLengths.count ? header.opcodeLengths[Int(opcode) - 1] : 0
            let operands = (0..<count).map { _ in cursor.uleb() }
            guard reportsOpcodes else { return }
            text += "Unrecognized standard opcode"
            if !operands.isEmpty { text += " (operands: " + operands.map { "0x" + padded($0, 16) }.joined(separator: ", ") + ")" }
        }
    }

    /// Advances by operations (section 6.2.5.1).
    private func advance(_ row: inout DumpLineRow, _ operations: UInt64) -> Step {
        let most = UInt64(max(1, header.maximumOperations))
        let total = UInt64(row.operationIndex) &+ operations
        let change = (total / most) &* UInt64(header.minimumInstructionLength)
        row.address = row.address &+ change
        let before = row.operationIndex
        row.operationIndex = UInt8(truncatingIfNeeded: total % most)
        return Step(address: change, index: Int(row.operationIndex) - Int(before))
    }

    private func padded(_ value: UInt64, _ digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
