internal import BinaryPrimitives

/// Which addresses a line program covers with which row: all of them, for a unit that is gone through from its beginning to its end. (`LineProgram` finds the rows of a few addresses, faster.)
struct LineCoverage {
    /// Addresses with one row.
    struct Piece {
        var range: Range<UInt64>
        var row: LineRow
    }

    private let table: LineTable
    private let unit: Unit
    /// In the order of the program.
    private var pieces: [Piece] = []

    init(_ table: LineTable, _ unit: Unit) {
        self.table = table
        self.unit = unit
    }

    /// - Parameter bytes: the contribution, from its initial length on.
    mutating func run(_ bytes: RawSpan) throws(ReadError) {
        var cursor = try bytes.slice(at: UInt64(table.program.lowerBound), count: UInt64(max(0, table.program.count)))
        while cursor.byteCount > 0 { try runSequence(&cursor) }
    }

    /// Runs one sequence: a row covers the addresses up to the next row, the last one up to the sequence's end (DWARF 5, section 6.2.5).
    private mutating func runSequence(_ cursor: inout RawSpan) throws(ReadError) {
        let order = table.sizes.byteOrder
        let lineRange = max(1, table.lineRange)
        var address: UInt64 = 0
        var operation: UInt64 = 0
        var row = LineRow(file: 1, line: 1, column: 0)
        var previous: (address: UInt64, row: LineRow)?
        var isRemoved = false
        func advanced(by operations: UInt64) {
            // On VLIW machines several operations share an instruction.
            let sum = operation &+ operations
            address &+= table.minimumInstructionLength &* (sum / table.maximumOperations)
            operation = sum % table.maximumOperations
        }
        while cursor.byteCount > 0 {
            let opcode = try cursor.take(UInt8.self)
            var emits = false
            if opcode >= table.opcodeBase {
                let adjusted = UInt64(opcode - table.opcodeBase)
                advanced(by: adjusted / lineRange)
                row.line &+= Int(truncatingIfNeeded: table.lineBase &+ Int64(adjusted % lineRange))
                emits = true
            } else {
                switch opcode {
                case LineOpcode.copy: emits = true
                case LineOpcode.advancePC: advanced(by: try cursor.takeULEB128())
                case LineOpcode.advanceLine: row.line &+= Int(truncatingIfNeeded: try cursor.takeSLEB128())
                case LineOpcode.setFile: row.file = Int(truncatingIfNeeded: try cursor.takeULEB128())
                case LineOpcode.setColumn: row.column = Int(truncatingIfNeeded: try cursor.takeULEB128())
                case LineOpcode.constAddPC: advanced(by: UInt64(255 &- table.opcodeBase) / lineRange)
                case LineOpcode.fixedAdvancePC:
                    address &+= UInt64(try cursor.take(UInt16.self, order))
                    operation = 0
                case 0:
                    var operands = try cursor.take(bytes: Int(clamping: try cursor.takeULEB128()))
                    guard operands.byteCount > 0 else { continue }
                    switch try operands.take(UInt8.self) {
                    case LineOpcode.extendedEndSequence:
                        if !isRemoved, let previous { cover(previous.address, address, previous.row) }
                        return
                    case LineOpcode.extendedSetAddress:
                        address = try operands.takeUnsigned(size: operands.byteCount, order)
                        operation = 0
                        if previous == nil { isRemoved = unit.isTombstone(address) }
                    default: break
                    }
                default: for _ in 0..<table.operandCounts[Int(opcode) - 1] { try cursor.skipLEB128() }
                }
            }
            guard emits else { continue }
            if !isRemoved, let previous { cover(previous.address, address, previous.row) }
            previous = (address, row)
        }
    }

    private mutating func cover(_ start: UInt64, _ end: UInt64, _ row: LineRow) {
        guard start < end else { return }
        if let last = pieces.last, last.range.upperBound == start, last.row == row {
            pieces[pieces.count - 1].range = last.range.lowerBound..<end
        } else {
            pieces.append(Piece(range: start..<end, row: row))
        }
    }

    /// The pieces by address, none over another: what several sequences cover belongs to the first of them.
    func resolved() -> [Piece] {
        let order = pieces.indices.sorted { (pieces[$0].range.lowerBound, $0) < (pieces[$1].range.lowerBound, $1) }
        var result: [Piece] = []
        result.reserveCapacity(pieces.count)
        /// What covers the position, the first of the program at the root.
        var heap = BinaryHeap<Int>()
        var next = 0
        var position: UInt64 = 0
        while next < order.count || !heap.isEmpty {
            if heap.isEmpty { position = max(position, pieces[order[next]].range.lowerBound) }
            while next < order.count, pieces[order[next]].range.lowerBound <= position {
                heap.insert(order[next])
                next += 1
            }
            guard let first = heap.first else { continue }
            guard pieces[first].range.upperBound > position else {
                heap.removeFirst()
                continue
            }
            var end = pieces[first].range.upperBound
            if next < order.count { end = min(end, pieces[order[next]].range.lowerBound) }
            if let last = result.last, last.range.upperBound == position, last.row == pieces[first].row {
                result[result.count - 1].range = last.range.lowerBound..<end
            } else {
                result.append(Piece(range: position..<end, row: pieces[first].row))
            }
            position = end
        }
        return result
    }
}
