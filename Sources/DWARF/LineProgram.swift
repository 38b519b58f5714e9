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

    /// What each special opcode adds, by its number (DWARF 5, section 6.2.5.1): a division less for every row.
    private let specials: [(advance: UInt8, line: Int16)]
    /// The first wanted address that is not below the sequence's current row.
    private var next = 0

    init(_ table: LineTable, _ unit: Unit, wanted: [UInt64]) {
        self.table = table
        self.unit = unit
        self.wanted = wanted
        rows = [LineRow?](repeating: nil, count: wanted.count)
        missing = wanted.count
        let range = UInt8(clamping: max(1, table.lineRange))
        specials = (0...255).map { opcode in
            let adjusted = UInt8(max(0, opcode - Int(table.opcodeBase)))
            return (adjusted / range, Int16(table.lineBase) + Int16(adjusted % range))
        }
    }

    /// - Parameter bytes: the contribution, from its initial length on.
    mutating func run(_ bytes: RawSpan) throws(ReadError) {
        var cursor = try bytes.slice(at: UInt64(table.program.lowerBound), count: UInt64(max(0, table.program.count)))
        while cursor.byteCount > 0, missing > 0 { try runSequence(&cursor) }
    }

    /// Runs one sequence. The registers of the state machine (DWARF 5 table 6.4, as far as a row's answer depends on them) are local variables, and only the
    /// next wanted address is compared with: the loop runs some hundred million times in a large file.
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
        let opcodeBase = table.opcodeBase
        let length = table.minimumInstructionLength
        let operations = table.maximumOperations
        let order = table.sizes.byteOrder
        while cursor.byteCount > 0 {
            let opcode = try cursor.take(UInt8.self)
            var advance: UInt64 = 0
            var emits = false
            if opcode >= opcodeBase {
                let special = specials[Int(opcode)]
                advance = UInt64(special.advance)
                row.line &+= Int(special.line)
                emits = true
            } else {
                switch opcode {
                case LineOpcode.copy: emits = true
                case LineOpcode.advancePC: advance = try cursor.takeULEB128()
                case LineOpcode.advanceLine: row.line &+= Int(truncatingIfNeeded: try cursor.takeSLEB128())
                case LineOpcode.setFile: row.file = Int(truncatingIfNeeded: try cursor.takeULEB128())
                case LineOpcode.setColumn: row.column = Int(truncatingIfNeeded: try cursor.takeULEB128())
                case LineOpcode.constAddPC: advance = UInt64(specials[255].advance)
                case LineOpcode.fixedAdvancePC:
                    address &+= UInt64(try cursor.take(UInt16.self, order))
                    operation = 0
                case 0:
                    var operands = try cursor.take(bytes: Int(clamping: try cursor.takeULEB128()))
                    guard operands.byteCount > 0 else { continue }
                    switch try operands.take(UInt8.self) {
                    case LineOpcode.extendedEndSequence:
                        if hasPrevious, address > nextWanted, address > previousAddress { cover(upTo: address, previous) }
                        return
                    case LineOpcode.extendedSetAddress:
                        address = try operands.takeUnsigned(size: operands.byteCount, order)
                        operation = 0
                        // Nothing wanted lies at or above it, or the linker removed the code. Only at the sequence's start: gcc without the
                        // assembler's help (`-gno-as-loc-support`) sets the address before every row, where the row before it ends.
                        if !hasPrevious, unit.isTombstone(address) || wanted.last.map({ $0 < address }) ?? true {
                            return try skipSequence(&cursor)
                        }
                    default: break
                    }
                default: try skipOperands(of: opcode, &cursor)
                }
            }
            if advance != 0 {
                if operations == 1 {
                    address &+= advance &* length
                } else {
                    // On VLIW machines several operations share an instruction.
                    let sum = operation &+ advance
                    address &+= length &* (sum / operations)
                    operation = sum % operations
                }
            }
            guard emits else { continue }
            if hasPrevious, address > nextWanted, address > previousAddress { cover(upTo: address, previous) }
            // Rows out of order within a sequence are against the standard; each still covers what lies between it and the next.
            if !hasPrevious || address < previousAddress { next = wanted.firstIndex(notBelow: address) }
            guard next < wanted.count else { return try skipSequence(&cursor) }
            nextWanted = wanted[next]
            // Of several rows with one address the last counts.
            previous = row
            previousAddress = address
            hasPrevious = true
        }
        // A program that ends without an end of sequence: its last row covers nothing.
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
        while cursor.byteCount > 0 {
            let opcode = try cursor.take(UInt8.self)
            if opcode >= table.opcodeBase { continue }
            switch opcode {
            case 0:
                let size = Int(clamping: try cursor.takeULEB128())
                let operands = try cursor.take(bytes: size)
                if size > 0, operands.byte(at: 0) == LineOpcode.extendedEndSequence { return }
            case LineOpcode.fixedAdvancePC: try cursor.skip(2)
            default: try skipOperands(of: opcode, &cursor)
            }
        }
    }

    /// The header tells how many operands a standard opcode has, so that unknown ones can be passed over.
    private func skipOperands(of opcode: UInt8, _ cursor: inout RawSpan) throws(ReadError) {
        for _ in 0..<table.operandCounts[Int(opcode) - 1] { try cursor.skipLEB128() }
    }
}
