internal import BinaryPrimitives

/// A row of a line table: what code came from.
struct LineRow: Sendable, Hashable {
    var file: Int
    /// Zero: the compiler attributes the code to no line.
    var line: Int
    /// Zero: unknown.
    var column: Int
}

/// Runs a line program (DWARF 5, section 6.2.5) for the rows of some addresses. No other row is kept.
struct LineProgram {
    let table: LineTable
    let unit: Unit
    /// Ascending.
    let wanted: [UInt64]
    /// For each wanted address the row that covers it: the last row at or before it, in a sequence that goes on beyond it.
    private(set) var rows: [LineRow?]
    private var missing: Int
    /// For each wanted address where the unit's code around it begins; zero where that is not known.
    private let rangeStarts: [UInt64]
    /// Whether sequences are passed over that begin before the code in which the next wanted address lies.
    private var passesOver = true
    private var hasPassedOver = false

    /// What each special opcode adds, by its number (DWARF 5, section 6.2.5.1): a division less for every row.
    private let specials: [Special]
    /// For each opcode how many operands in LEB128 it has; 2 stands for more, and for other kinds.
    private let operands: [UInt8]
    /// The first wanted address that is not below the sequence's current row.
    private var next = 0

    private struct Special {
        /// Operations, which are instructions but on VLIW machines.
        var advance: UInt32
        var line: Int32
    }

    init(_ table: LineTable, _ unit: Unit, wanted: [UInt64], rangeStarts: [UInt64]) {
        self.rangeStarts = rangeStarts
        self.table = table
        self.unit = unit
        self.wanted = wanted
        rows = [LineRow?](repeating: nil, count: wanted.count)
        missing = wanted.count
        let range = UInt8(clamping: max(1, table.lineRange))
        specials = (0...255).map { opcode in
            let adjusted = UInt8(max(0, opcode - Int(table.opcodeBase)))
            return Special(advance: UInt32(adjusted / range), line: Int32(table.lineBase) + Int32(adjusted % range))
        }
        operands = (0...255).map { opcode in
            if opcode >= Int(table.opcodeBase) { return 0 }
            if opcode == 0 || opcode == LineOpcode.fixedAdvancePC { return 2 }
            return min(2, table.operandCounts[opcode - 1])
        }
    }

    /// C++ compilers give each function of a template or a class a section, and assemblers each section a sequence, so that most sequences of a unit hold nothing wanted. A sequence
    /// does not tell where it ends, but it lies within code that the unit has without a gap: where the next wanted address lies in code that begins behind the sequence's first address, it
    /// is passed over. Nobody promises that, so a program that leaves an address without a row is run once more, every sequence of it.
    /// - Parameter bytes: the contribution, from its initial length on.
    mutating func run(_ bytes: RawSpan) throws(ReadError) {
        let program = try bytes.slice(at: UInt64(table.program.lowerBound), count: UInt64(max(0, table.program.count)))
        var cursor = program
        while cursor.byteCount > 0, missing > 0 { try runSequence(&cursor) }
        guard missing > 0, hasPassedOver else { return }
        passesOver = false
        cursor = program
        while cursor.byteCount > 0, missing > 0 { try runSequence(&cursor) }
    }

    /// Runs one sequence. The registers of the state machine (DWARF 5 table 6.4, as far as a row's answer depends on them) are local variables, operands of one byte are taken where they
    /// stand, and a row is compared with the next wanted address alone: the loop runs some hundred million times in a large file.
    private mutating func runSequence(_ cursor: inout RawSpan) throws(ReadError) {
        var address: UInt64 = 0
        var operation: UInt64 = 0
        var row = LineRow(file: 1, line: 1, column: 0)
        /// The row before the current one: it covers the addresses from its own up to the current one.
        var previous = row
        var previousAddress: UInt64 = 0
        var hasPrevious = false
        /// `wanted[next]`, or the largest number if there is none.
        var nextWanted: UInt64 = .max
        next = 0
        let specials = specials
        let opcodeBase = table.opcodeBase
        let length = table.minimumInstructionLength
        let operations = table.maximumOperations
        let order = table.sizes.byteOrder
        let total = cursor.byteCount
        var position = 0
        while position < total {
            let opcode = cursor.byte(at: position)
            position &+= 1
            var advance: UInt64 = 0
            if opcode >= opcodeBase {
                let special = specials[Int(opcode)]
                advance = UInt64(special.advance)
                row.line &+= Int(special.line)
            } else {
                let operand = position < total ? cursor.byte(at: position) : 0x80
                switch opcode {
                case LineOpcode.copy: break
                case LineOpcode.setColumn where operand < 0x80:
                    row.column = Int(operand)
                    position &+= 1
                    continue
                case LineOpcode.advanceLine where operand < 0x80:
                    // Seven bits, the highest of which is the sign.
                    row.line &+= Int(Int8(bitPattern: operand << 1) >> 1)
                    position &+= 1
                    continue
                case LineOpcode.negateStatement, LineOpcode.setBasicBlock: continue
                default:
                    var rest = try cursor.from(UInt64(position))
                    switch opcode {
                    case LineOpcode.setColumn: row.column = Int(truncatingIfNeeded: try rest.takeULEB128())
                    case LineOpcode.advanceLine: row.line &+= Int(truncatingIfNeeded: try rest.takeSLEB128())
                    case LineOpcode.setFile: row.file = Int(truncatingIfNeeded: try rest.takeULEB128())
                    case LineOpcode.advancePC: advance = try rest.takeULEB128()
                    case LineOpcode.constAddPC: advance = UInt64(specials[255].advance)
                    case LineOpcode.fixedAdvancePC:
                        address &+= UInt64(try rest.take(UInt16.self, order))
                        operation = 0
                    case 0:
                        var operands = try rest.take(bytes: Int(clamping: try rest.takeULEB128()))
                        guard operands.byteCount > 0 else { break }
                        switch try operands.take(UInt8.self) {
                        case LineOpcode.extendedEndSequence:
                            if hasPrevious, address > nextWanted, address > previousAddress { cover(upTo: address, previous) }
                            return try cursor.skip(total &- rest.byteCount)
                        case LineOpcode.extendedSetAddress:
                            address = try operands.takeUnsigned(size: operands.byteCount, order)
                            operation = 0
                            // Only at the sequence's start: gcc without the assembler's help (`-gno-as-loc-support`) sets the address before every row, where the
                            // row before it ends.
                            if !hasPrevious, !mayCover(from: address) {
                                try cursor.skip(total &- rest.byteCount)
                                return try skipSequence(&cursor)
                            }
                        default: break
                        }
                    default: try skipOperands(of: opcode, &rest)
                    }
                    position = total &- rest.byteCount
                    advanceAddress(&address, &operation, advance, length, operations)
                    continue
                }
            }
            advanceAddress(&address, &operation, advance, length, operations)
            if address > nextWanted {
                if address > previousAddress { cover(upTo: address, previous) }
                if missing == 0 { return }
                guard next < wanted.count else {
                    try cursor.skip(position)
                    return try skipSequence(&cursor)
                }
                nextWanted = wanted[next]
            }
            // Rows out of order within a sequence are against the standard; each still covers what lies between it and the next.
            if address < previousAddress || !hasPrevious {
                next = wanted.firstIndex(notBelow: address)
                guard next < wanted.count else {
                    try cursor.skip(position)
                    return try skipSequence(&cursor)
                }
                nextWanted = wanted[next]
                hasPrevious = true
            }
            // Of several rows with one address the last counts.
            previous = row
            previousAddress = address
        }
        // A program that ends without an end of sequence: its last row covers nothing.
        try cursor.skip(total)
    }

    @inline(__always)
    private func advanceAddress(
        _ address: inout UInt64, _ operation: inout UInt64, _ advance: UInt64, _ length: UInt64, _ operations: UInt64
    ) {
        if operations == 1 {
            address &+= advance &* length
        } else {
            // On VLIW machines several operations share an instruction.
            let sum = operation &+ advance
            address &+= length &* (sum / operations)
            operation = sum % operations
        }
    }

    /// Whether a sequence that begins at an address may hold a wanted one: not where nothing wanted lies at or above it, nor where the linker removed the code.
    private mutating func mayCover(from address: UInt64) -> Bool {
        let first = wanted.firstIndex(notBelow: address)
        guard first < wanted.count, !unit.isTombstone(address) else { return false }
        guard passesOver, rangeStarts[first] > address else { return true }
        hasPassedOver = true
        return false
    }

    /// Gives `row` to the wanted addresses from `next` on that are below `end`. The first sequence that covers an address keeps it.
    private mutating func cover(upTo end: UInt64, _ row: LineRow) {
        while next < wanted.count, wanted[next] < end {
            if rows[next] == nil {
                rows[next] = row
                missing -= 1
            }
            next += 1
        }
    }

    /// Moves to the end of the sequence without following its state.
    private func skipSequence(_ cursor: inout RawSpan) throws(ReadError) {
        let operands = operands
        let total = cursor.byteCount
        var position = 0
        while position &+ 1 < total {
            let opcode = cursor.byte(at: position)
            let count = operands[Int(opcode)]
            if count <= 1 {
                // Most have no operand, or one of one byte: both without a branch that nobody could predict.
                position &+= 1 &+ Int(count)
                if count & (cursor.byte(at: position &- 1) >> 7) != 0 {
                    var rest = try cursor.from(UInt64(position))
                    try rest.skipLEB128()
                    position = total &- rest.byteCount
                }
                continue
            }
            var rest = try cursor.from(UInt64(position &+ 1))
            var isEnd = false
            switch opcode {
            case 0:
                let size = Int(clamping: try rest.takeULEB128())
                let body = try rest.take(bytes: size)
                isEnd = size > 0 && body.byte(at: 0) == LineOpcode.extendedEndSequence
            case LineOpcode.fixedAdvancePC: try rest.skip(2)
            default: try skipOperands(of: opcode, &rest)
            }
            position = total &- rest.byteCount
            if isEnd { break }
        }
        // An opcode that is the program's last byte ends no sequence.
        try cursor.skip(position &+ 1 < total ? position : total)
    }

    /// The header tells how many operands a standard opcode has, so that unknown ones can be passed over.
    private func skipOperands(of opcode: UInt8, _ cursor: inout RawSpan) throws(ReadError) {
        for _ in 0..<table.operandCounts[Int(opcode) - 1] { try cursor.skipLEB128() }
    }
}
