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
    /// For each wanted address the addresses that its row covers.
    private(set) var ranges: [Range<UInt64>?]
    private var missing: Int

    // The registers of the line-number state machine, DWARF 5 table 6.4, as far as a row's answer depends on them.
    private var address: UInt64 = 0
    private var operation: UInt64 = 0
    private var row = LineRow(file: 1, line: 1, column: 0)

    /// The row before the current one; it covers the addresses up to it.
    private var previous: LineRow?
    private var previousAddress: UInt64 = 0
    /// The first wanted address that is not below `previousAddress`.
    private var next = 0

    init(_ table: LineTable, _ unit: Unit, wanted: [UInt64]) {
        self.table = table
        self.unit = unit
        self.wanted = wanted
        rows = [LineRow?](repeating: nil, count: wanted.count)
        ranges = [Range<UInt64>?](repeating: nil, count: wanted.count)
        missing = wanted.count
    }

    /// - Parameter bytes: the contribution, from its initial length on.
    mutating func run(_ bytes: RawSpan) throws(ReadError) {
        var cursor = try bytes.slice(at: UInt64(table.program.lowerBound), count: UInt64(max(0, table.program.count)))
        while cursor.byteCount > 0, missing > 0 { try runSequence(&cursor) }
    }

    private mutating func runSequence(_ cursor: inout RawSpan) throws(ReadError) {
        address = 0
        operation = 0
        row = LineRow(file: 1, line: 1, column: 0)
        previous = nil
        previousAddress = 0
        next = 0
        let opcodeBase = table.opcodeBase
        let lineRange = max(1, table.lineRange)
        let order = table.sizes.byteOrder
        while cursor.byteCount > 0 {
            let opcode = try cursor.take(UInt8.self)
            if opcode >= opcodeBase {
                let adjusted = UInt64(opcode &- opcodeBase)
                advance(adjusted / lineRange)
                row.line &+= Int(truncatingIfNeeded: table.lineBase &+ Int64(adjusted % lineRange))
                appendRow()
                if next >= wanted.count { return try skipSequence(&cursor) }
                continue
            }
            switch opcode {
            case 0:
                var operands = try cursor.take(bytes: Int(clamping: try cursor.takeULEB128()))
                guard operands.byteCount > 0 else { continue }
                switch try operands.take(UInt8.self) {
                case LineOpcode.extendedEndSequence:
                    endSequence()
                    return
                case LineOpcode.extendedSetAddress:
                    address = try operands.takeUnsigned(size: operands.byteCount, order)
                    operation = 0
                    // Nothing wanted lies at or above it, or the linker removed the code.
                    if unit.isTombstone(address) || wanted.last.map({ $0 < address }) ?? true { return try skipSequence(&cursor) }
                default: break
                }
            case LineOpcode.copy:
                appendRow()
                if next >= wanted.count { return try skipSequence(&cursor) }
            case LineOpcode.advancePC: advance(try cursor.takeULEB128())
            case LineOpcode.advanceLine: row.line &+= Int(truncatingIfNeeded: try cursor.takeSLEB128())
            case LineOpcode.setFile: row.file = Int(truncatingIfNeeded: try cursor.takeULEB128())
            case LineOpcode.setColumn: row.column = Int(truncatingIfNeeded: try cursor.takeULEB128())
            case LineOpcode.constAddPC: advance(UInt64(255 &- opcodeBase) / lineRange)
            case LineOpcode.fixedAdvancePC:
                address &+= UInt64(try cursor.take(UInt16.self, order))
                operation = 0
            default: try skipOperands(of: opcode, &cursor)
            }
        }
        // A program that ends without an end of sequence: its last row covers nothing.
    }

    /// Moves the address by a number of operations, which on VLIW machines share an instruction.
    @inline(__always)
    private mutating func advance(_ operations: UInt64) {
        if table.maximumOperations == 1 {
            address &+= operations &* table.minimumInstructionLength
        } else {
            let sum = operation &+ operations
            address &+= table.minimumInstructionLength &* (sum / table.maximumOperations)
            operation = sum % table.maximumOperations
        }
    }

    /// The state machine emits a row. Of several rows with one address the last counts.
    @inline(__always)
    private mutating func appendRow() {
        if let previous {
            if next < wanted.count, address > wanted[next] { cover(upTo: address, previous) }
            // Rows out of order within a sequence are against the standard; each still covers what lies between it and the next.
            if address < previousAddress { next = wanted.firstIndex(notBelow: address) }
        } else {
            next = wanted.firstIndex(notBelow: address)
        }
        previous = row
        previousAddress = address
    }

    private mutating func endSequence() {
        if let previous, next < wanted.count, address > wanted[next] { cover(upTo: address, previous) }
    }

    private mutating func cover(upTo end: UInt64, _ row: LineRow) {
        while next < wanted.count, wanted[next] < end {
            // The first sequence that covers an address keeps it.
            if rows[next] == nil {
                rows[next] = row
                ranges[next] = min(previousAddress, end)..<end
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
