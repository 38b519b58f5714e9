internal import BinaryPrimitives

/// File, line and column of a line table's row, packed into one number.
package enum PackedRow {
    /// No row covers the address.
    package static let none: UInt64 = .max

    /// - Returns: `none` where a number does not fit its part.
    @inline(__always)
    static func pack(_ row: LineRow) -> UInt64 {
        let (file, line) = (UInt64(bitPattern: Int64(row.file)), UInt64(bitPattern: Int64(row.line)))
        let column = UInt64(bitPattern: Int64(row.column))
        // The largest file number means no row.
        guard file >> 23 | line >> 24 | column >> 16 == 0 else { return none }
        return file << 40 | line << 16 | column
    }

    @inlinable package static func file(_ row: UInt64) -> Int { Int(truncatingIfNeeded: row >> 40) }
    @inlinable package static func line(_ row: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: row >> 16) & 0xff_ffff }
    @inlinable package static func column(_ row: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: row) & 0xffff }
}

/// Runs line programs and keeps the rows of wanted addresses, each once. `LineProgram` finds the
/// rows of a few addresses; the rules are the same.
struct LineCollector {
    /// Ascending where `run` returns `true`: each row covers the addresses up to the next one.
    private(set) var addresses: [UInt64] = []
    /// `PackedRow`s: `none` where a sequence ends and none begins.
    private(set) var rows: [UInt64] = []
    /// For each row which block of its line it is of (DWARF 5, section 6.2.2); zero: there is but
    /// one, or the compiler does not say.
    private(set) var discriminators: [UInt32] = []

    /// The rows of the program in its order: the first `rawCount`.
    private var rawAddresses: [UInt64] = []
    private var rawRows: [UInt64] = []
    private var rawDiscriminators: [UInt32] = []
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
        discriminators.removeAll(keepingCapacity: true)
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
        let program = try bytes.slice(at: UInt64(table.program.lowerBound), count: UInt64(table.program.count))
        let machine = LineMachine(table.encoding)
        var position = 0
        while position < program.byteCount {
            if let next = try runSequence(program, at: position, machine, unit, wanted) {
                position = next
            } else {
                // Without room for its rows, a sequence is run again.
                rawAddresses += [UInt64](repeating: 0, count: max(1 << 13, rawAddresses.count))
                rawRows += [UInt64](repeating: 0, count: max(1 << 13, rawRows.count))
                rawDiscriminators += [UInt32](repeating: 0, count: max(1 << 13, rawDiscriminators.count))
            }
        }
        sequences.sort { ($0.start, $0.first) < ($1.start, $1.first) }
        for (sequence, next) in zip(sequences, sequences.dropFirst()) where sequence.end > next.start { isOrdered = false }
        if isOrdered { join() } else { try resolve(table, unit, bytes) }
    }

    /// - Returns: where the next sequence begins; `nil` where there is no room for the sequence's
    ///   rows.
    private mutating func runSequence(
        _ program: RawSpan, at start: Int, _ machine: LineMachine, _ unit: Unit, _ wanted: [Range<UInt64>]
    ) throws(ReadError) -> Int? {
        let first = rawCount
        var count = first
        var registers = LineMachine.Registers()
        /// The row before the current one: kept when the next one has another address, because of
        /// several rows with one address the last counts.
        var pending = registers.row
        var pendingAddress: UInt64 = 0
        var hasPending = false
        var ending: UInt64?
        var isComplete = true
        var isOrdered = true
        var fits = true
        var (lastRow, lastDiscriminator) = (PackedRow.none, 0 as UInt32)
        // Out of `self`, so that each row's store checks nothing but its index.
        var (addressArray, rowArray, discriminatorArray): ([UInt64], [UInt64], [UInt32]) = ([], [], [])
        swap(&addressArray, &rawAddresses)
        swap(&rowArray, &rawRows)
        swap(&discriminatorArray, &rawDiscriminators)
        var addresses = addressArray.mutableSpan
        var rows = rowArray.mutableSpan
        var discriminators = discriminatorArray.mutableSpan
        let total = program.byteCount
        var position = start
        while position < total {
            let event = try machine.execute(program, &position, &registers)
            if event == .none { continue }
            let address = registers.address
            if event == .addressSet {
                if hasPending {
                    if address < pendingAddress || unit.isTombstone(address) { isOrdered = false }
                } else if unit.isTombstone(address) {
                    position = try machine.positionBehindSequence(program, at: position)
                    break
                } else if address == 0, unit.sections.removedCodeMayBeAtZero {
                    isOrdered = false
                }
                continue
            }
            if hasPending, address != pendingAddress {
                if address < pendingAddress { isOrdered = false }
                let packed = PackedRow.pack(pending)
                let discriminator = UInt32(truncatingIfNeeded: pending.discriminator)
                if packed == PackedRow.none || UInt64(discriminator) != pending.discriminator { fits = false }
                if packed != lastRow || discriminator != lastDiscriminator {
                    guard count < rows.count else {
                        isComplete = false
                        break
                    }
                    addresses[count] = pendingAddress
                    rows[count] = packed
                    discriminators[count] = discriminator
                    count &+= 1
                    (lastRow, lastDiscriminator) = (packed, discriminator)
                }
            }
            if event == .endOfSequence {
                ending = address
                break
            }
            pending = registers.row
            registers.row.discriminator = 0
            pendingAddress = address
            hasPending = true
        }
        swap(&addressArray, &rawAddresses)
        swap(&rowArray, &rawRows)
        swap(&discriminatorArray, &rawDiscriminators)
        guard isComplete else { return nil }
        // A program that ends without an end of sequence: its last row covers nothing.
        try end(first, count, ending ?? pendingAddress, isOrdered: isOrdered, fits: fits, wanted)
        return position
    }

    /// Keeps a sequence's rows if anything in it is wanted.
    private mutating func end(
        _ first: Int, _ last: Int, _ end: UInt64, isOrdered: Bool, fits: Bool, _ wanted: [Range<UInt64>]
    ) throws(ReadError) {
        let count = last - first
        guard count > 0 else { return }
        let start = rawAddresses[first]
        if isOrdered {
            guard start < end, wanted.overlap(start..<end) else { return }
        } else {
            self.isOrdered = false
        }
        guard fits else { throw ReadError(.noRoom, bytesLeft: 0) }
        rawCount = last
        sequences.append(Sequence(first: first, count: count, start: start, end: end))
    }

    /// Joins the sequences one after another.
    private mutating func join() {
        for (index, sequence) in sequences.enumerated() {
            addresses.append(contentsOf: rawAddresses[sequence.first..<sequence.first + sequence.count])
            rows.append(contentsOf: rawRows[sequence.first..<sequence.first + sequence.count])
            discriminators.append(contentsOf: rawDiscriminators[sequence.first..<sequence.first + sequence.count])
            if index + 1 == sequences.count || sequences[index + 1].start > sequence.end {
                addresses.append(sequence.end)
                rows.append(PackedRow.none)
                discriminators.append(0)
            }
        }
    }

    /// Sequences over one another, or rows out of their order: the first that covers an address
    /// keeps it.
    private mutating func resolve(_ table: LineTable, _ unit: Unit, _ bytes: RawSpan) throws(ReadError) {
        var coverage = LineCoverage(table, unit, keepsDiscriminators: true)
        try coverage.run(bytes)
        for piece in coverage.resolved() {
            let packed = PackedRow.pack(piece.row)
            guard packed != PackedRow.none, let discriminator = UInt32(exactly: piece.row.discriminator) else {
                throw ReadError(.noRoom, bytesLeft: 0)
            }
            if addresses.last == piece.range.lowerBound, rows.last == PackedRow.none {
                addresses.removeLast()
                rows.removeLast()
                discriminators.removeLast()
            }
            addresses += [piece.range.lowerBound, piece.range.upperBound]
            rows += [packed, PackedRow.none]
            discriminators += [discriminator, 0]
        }
    }
}
