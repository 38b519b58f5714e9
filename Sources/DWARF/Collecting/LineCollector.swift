internal import BinaryPrimitives

/// What a row of a line table says, in one number.
package enum PackedRow {
    /// No row covers the address.
    package static let none: UInt64 = .max
    static let lineBits: UInt64 = 24
    static let columnBits: UInt64 = 16

    @inline(__always)
    static func pack(_ row: LineRow) -> UInt64 {
        UInt64(truncatingIfNeeded: row.file) << 40 | UInt64(truncatingIfNeeded: row.line) << 16 | UInt64(truncatingIfNeeded: row.column)
    }

    /// Whether each number fits its part. The file's largest stands for no row.
    @inline(__always)
    static func fits(_ row: LineRow) -> Bool {
        let high = UInt64(bitPattern: Int64(row.file)) >> 23 | UInt64(bitPattern: Int64(row.line)) >> 24
        return high | UInt64(bitPattern: Int64(row.column)) >> 16 == 0
    }

    @inlinable package static func file(_ row: UInt64) -> Int { Int(truncatingIfNeeded: row >> 40) }
    @inlinable package static func line(_ row: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: row >> 16) & 0xff_ffff }
    @inlinable package static func column(_ row: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: row) & 0xffff }
}

/// Runs line programs (DWARF 5, section 6.2.5) and keeps the rows of wanted addresses, each once. `LineProgram` finds the rows of a few addresses; the rules are the same.
struct LineCollector {
    /// Ascending where `run` answers `true`: each row covers the addresses up to the next one.
    private(set) var addresses: [UInt64] = []
    /// `PackedRow`s: `none` where a sequence ends and none begins.
    private(set) var rows: [UInt64] = []

    /// The rows of the program in its order: the first `rawCount`.
    private var rawAddresses: [UInt64] = []
    private var rawRows: [UInt64] = []
    private var rawCount = 0
    private var sequences: [Sequence] = []
    private var isOrdered = true

    /// A sequence's rows, and where it ends.
    private struct Sequence {
        var first: Int
        var count: Int
        var start: UInt64
        var end: UInt64
    }

    /// Forgets the last unit's rows.
    mutating func removeAll() {
        addresses.removeAll(keepingCapacity: true)
        rows.removeAll(keepingCapacity: true)
        rawCount = 0
        sequences.removeAll(keepingCapacity: true)
        isOrdered = true
    }

    /// - Parameters:
    ///   - bytes: the contribution, from its initial length on.
    ///   - wanted: ascending, none over another.
    /// - Throws: `ReadError` if the program is damaged, or a number does not fit `PackedRow`.
    mutating func run(_ table: LineTable, _ unit: Unit, _ bytes: RawSpan, wanted: [Range<UInt64>]) throws(ReadError) {
        removeAll()
        let lineRange = max(1, table.lineRange)
        let specials: [(advance: UInt8, line: Int16)] = (0...255).map { opcode in
            let adjusted = max(0, opcode - Int(table.opcodeBase))
            return (UInt8(adjusted / Int(lineRange)), Int16(table.lineBase) + Int16(adjusted % Int(lineRange)))
        }
        var cursor = try bytes.slice(at: UInt64(table.program.lowerBound), count: UInt64(max(0, table.program.count)))
        while cursor.byteCount > 0 {
            let start = cursor
            // Without room for its rows, a sequence is run again.
            while try !runSequence(&cursor, table, unit, specials, wanted) {
                cursor = start
                rawAddresses += [UInt64](repeating: 0, count: max(1 << 13, rawAddresses.count))
                rawRows += [UInt64](repeating: 0, count: max(1 << 13, rawRows.count))
            }
        }
        sequences.sort { ($0.start, $0.first) < ($1.start, $1.first) }
        for (sequence, next) in zip(sequences, sequences.dropFirst()) where sequence.end > next.start { isOrdered = false }
        if isOrdered { join() } else { try resolve(table, unit, bytes) }
    }

    /// - Returns: `false` where there is no room for the sequence's rows.
    private mutating func runSequence(
        _ cursor: inout RawSpan, _ table: LineTable, _ unit: Unit, _ specials: [(advance: UInt8, line: Int16)], _ wanted: [Range<UInt64>]
    ) throws(ReadError) -> Bool {
        let first = rawCount
        var count = first
        var ending: UInt64?
        var isComplete = true
        var address: UInt64 = 0
        var operation: UInt64 = 0
        var row = LineRow(file: 1, line: 1, column: 0)
        var isRemoved = false
        var isOrdered = true
        var fits = true
        var lastAddress: UInt64 = 0
        var lastRow: UInt64 = 0
        let opcodeBase = table.opcodeBase
        let length = table.minimumInstructionLength
        let operations = table.maximumOperations
        let order = table.sizes.byteOrder
        // Out of `self`, so that each row's store checks nothing but its index.
        var (addressArray, rowArray): ([UInt64], [UInt64]) = ([], [])
        swap(&addressArray, &rawAddresses)
        swap(&rowArray, &rawRows)
        var addresses = addressArray.mutableSpan
        var rows = rowArray.mutableSpan
        program: while cursor.byteCount > 0 {
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
                        ending = address
                        break program
                    case LineOpcode.extendedSetAddress:
                        address = try operands.takeUnsigned(size: operands.byteCount, order)
                        operation = 0
                        if count == first { isRemoved = unit.isTombstone(address) }
                    default: break
                    }
                default: for _ in 0..<table.operandCounts[Int(opcode) - 1] { try cursor.skipLEB128() }
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
            guard emits, !isRemoved else { continue }
            if !PackedRow.fits(row) { fits = false }
            let packed = PackedRow.pack(row)
            if count > first {
                if address < lastAddress { isOrdered = false }
                // Of several rows with one address the last counts.
                if address == lastAddress {
                    rows[count - 1] = packed
                    lastRow = packed
                    continue
                }
                if packed == lastRow { continue }
            }
            guard count < rows.count else {
                isComplete = false
                break
            }
            addresses[count] = address
            rows[count] = packed
            count &+= 1
            (lastAddress, lastRow) = (address, packed)
        }
        swap(&addressArray, &rawAddresses)
        swap(&rowArray, &rawRows)
        guard isComplete else { return false }
        // A program that ends without an end of sequence: its last row covers nothing.
        try end(first, count, ending ?? lastAddress, isRemoved: isRemoved, isOrdered: isOrdered, fits: fits, wanted)
        return true
    }

    /// Keeps a sequence's rows if anything in it is wanted.
    private mutating func end(
        _ first: Int, _ last: Int, _ end: UInt64, isRemoved: Bool, isOrdered: Bool, fits: Bool, _ wanted: [Range<UInt64>]
    ) throws(ReadError) {
        let count = last - first
        guard count > 0 else { return }
        let start = rawAddresses[first]
        if isOrdered {
            guard !isRemoved, start < end, Self.overlaps(wanted, start..<end) else { return }
        } else {
            self.isOrdered = false
        }
        guard fits else { throw ReadError(.numberTooLarge, bytesLeft: 0) }
        rawCount = last
        sequences.append(Sequence(first: first, count: count, start: start, end: end))
    }

    private static func overlaps(_ wanted: [Range<UInt64>], _ range: Range<UInt64>) -> Bool {
        var low = 0
        var high = wanted.count
        while low < high {
            let middle = low &+ (high &- low) / 2
            if wanted[middle].upperBound <= range.lowerBound { low = middle &+ 1 } else { high = middle }
        }
        return low < wanted.count && wanted[low].lowerBound < range.upperBound
    }

    /// Puts the sequences behind one another.
    private mutating func join() {
        for (index, sequence) in sequences.enumerated() {
            addresses.append(contentsOf: rawAddresses[sequence.first..<sequence.first + sequence.count])
            rows.append(contentsOf: rawRows[sequence.first..<sequence.first + sequence.count])
            if index + 1 == sequences.count || sequences[index + 1].start > sequence.end {
                addresses.append(sequence.end)
                rows.append(PackedRow.none)
            }
        }
    }

    /// Sequences over one another, or rows out of their order: the first that covers an address keeps it.
    private mutating func resolve(_ table: LineTable, _ unit: Unit, _ bytes: RawSpan) throws(ReadError) {
        var coverage = LineCoverage(table, unit)
        try coverage.run(bytes)
        for piece in coverage.resolved() {
            guard PackedRow.fits(piece.row) else { throw ReadError(.numberTooLarge, bytesLeft: 0) }
            if addresses.last == piece.range.lowerBound, rows.last == PackedRow.none {
                addresses.removeLast()
                rows.removeLast()
            }
            addresses += [piece.range.lowerBound, piece.range.upperBound]
            rows += [PackedRow.pack(piece.row), PackedRow.none]
        }
    }
}
