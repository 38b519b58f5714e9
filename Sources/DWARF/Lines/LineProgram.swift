internal import BinaryPrimitives

/// Runs a line program for the rows of some addresses. No other row is kept.
struct LineProgram {
    private let machine: LineMachine
    private let table: LineTable
    private let program: Range<Int>
    private let unit: Unit
    /// Ascending.
    private let wanted: [UInt64]
    /// For each wanted address the row that covers it: the last row at or before it, in a sequence
    /// that goes on beyond it.
    private(set) var rows: [LineRow?]
    private var missing: Int
    /// For each wanted address where the unit's code around it begins; zero where that is not
    /// known.
    private let rangeStarts: [UInt64]
    /// For each wanted address the least of its own and all later ones' `rangeStarts`.
    private let leastStarts: [UInt64]
    /// Whether sequences are passed over that begin before the code in which the next wanted
    /// address is.
    private var passesOver = true
    private var hasPassedOver = false
    /// A sequence has parts of removed code, or may be removed code: `LineCoverage` has the rules for those, which no compiler writes.
    private var needsCoverage = false
    /// The first wanted address that is not below the sequence's current row.
    private var next = 0

    init(_ table: LineTable, _ unit: Unit, wanted: [UInt64], rangeStarts: [UInt64]) {
        self.rangeStarts = rangeStarts
        var leastStarts = rangeStarts
        for index in leastStarts.indices.dropLast().reversed() { leastStarts[index] = min(leastStarts[index], leastStarts[index + 1]) }
        self.leastStarts = leastStarts
        self.unit = unit
        self.wanted = wanted
        machine = LineMachine(table.encoding)
        self.table = table
        program = table.program
        rows = [LineRow?](repeating: nil, count: wanted.count)
        missing = wanted.count
    }

    /// C++ compilers give each function of a template or a class a section, and assemblers each
    /// section a sequence, so that most sequences of a unit hold nothing wanted. A sequence does
    /// not record where it ends, but it is within code that the unit has without a gap. If the next
    /// wanted address is in code that begins after the sequence's first address, the sequence is
    /// passed over. Nobody promises that, so a program that leaves an address without a row is run
    /// once more, every sequence of it. What an address gets does not depend on which others are
    /// looked up with it: the first run uses nothing of a sequence that would be passed over for
    /// that address alone.
    /// - Parameter bytes: the contribution, from its initial length on.
    /// - Throws: `ReadError` where the program is damaged; the rows before the damage are found.
    mutating func run(_ bytes: RawSpan) throws(ReadError) {
        let program = try bytes.slice(at: UInt64(program.lowerBound), count: UInt64(program.count))
        var damage: ReadError?
        do throws(ReadError) { try runSequences(program) } catch { damage = error }
        if missing > 0, hasPassedOver, !needsCoverage {
            passesOver = false
            do throws(ReadError) { try runSequences(program) } catch { damage = error }
        }
        if needsCoverage {
            var coverage = LineCoverage(table, unit, keepsDiscriminators: true)
            damage = nil
            do throws(ReadError) { try coverage.run(bytes) } catch { damage = error }
            rows = coverage.rows(for: wanted, rangeStarts: rangeStarts)
        }
        if let damage { throw damage }
    }

    private mutating func runSequences(_ program: RawSpan) throws(ReadError) {
        let machine = machine
        var position = 0
        while position < program.byteCount, missing > 0, !needsCoverage { position = try runSequence(program, at: position, machine) }
    }

    /// Runs one sequence. A row is compared with the next wanted address alone.
    /// - Returns: where the next sequence begins, unless nothing is missing any more.
    private mutating func runSequence(_ program: RawSpan, at start: Int, _ machine: LineMachine) throws(ReadError) -> Int {
        var registers = LineMachine.Registers()
        /// The row before the current one: it covers the addresses from its own up to the current
        /// one.
        var previous = registers.row
        var previousAddress: UInt64 = 0
        var hasPrevious = false
        /// Whether the rest may be passed over where nothing wanted is above a row: not where
        /// rows go back.
        var goesBack = false
        /// Start address of the sequence.
        var first: UInt64 = 0
        /// `wanted[next]`, or the largest number if there is none.
        var nextWanted: UInt64 = .max
        next = 0
        let total = program.byteCount
        var position = start
        while position < total {
            let event = try machine.execute(program, &position, &registers)
            if event == .none { continue }
            let address = registers.address
            if event == .row {
                if address > nextWanted {
                    if address > previousAddress { cover(upTo: address, previous, from: first) }
                    if missing == 0 { return position }
                    if next == wanted.count, !goesBack {
                        if let behind = try positionBehind(program, at: position, address, machine) { return behind }
                        goesBack = true
                    }
                    nextWanted = next < wanted.count ? wanted[next] : .max
                }
                // Rows out of order within a sequence are against the standard; each still covers
                // what is between it and the next.
                if address < previousAddress || !hasPrevious {
                    if address == 0, !hasPrevious, unit.sections.removedCodeMayBeAtZero {
                        needsCoverage = true
                        return total
                    }
                    next = wanted.firstIndex(notBelow: address)
                    if next == wanted.count, !goesBack {
                        if let behind = try positionBehind(program, at: position, address, machine) { return behind }
                        goesBack = true
                    }
                    nextWanted = next < wanted.count ? wanted[next] : .max
                    hasPrevious = true
                }
                // The last of several rows with one address counts.
                previous = registers.row
                previousAddress = address
                registers.row.discriminator = 0
            } else if event == .endOfSequence {
                if hasPrevious, address > nextWanted, address > previousAddress { cover(upTo: address, previous, from: first) }
                return position
            } else if !hasPrevious {
                // Only at the sequence's start: gcc without the assembler's help
                // (`-gno-as-loc-support`) sets the address before every row, where the row before
                // it ends.
                if !mayCover(from: address) { return try machine.positionBehindSequence(program, at: position) }
                first = address
            } else if address < previousAddress || unit.isTombstone(address) {
                needsCoverage = true
            }
            if needsCoverage { return total }
        }
        // A program that ends without an end of sequence: its last row covers nothing.
        return total
    }

    /// The position of the next sequence, for a sequence whose current row is above all wanted addresses; `nil` if a later row is below it
    /// again.
    private func positionBehind(
        _ program: RawSpan, at position: Int, _ address: UInt64, _ machine: LineMachine
    ) throws(ReadError) -> Int? {
        // Advances from so high an address could begin again at zero.
        guard let last = wanted.last, address < UInt64.max - (1 << 40) else { return nil }
        return try machine.positionBehindSequence(program, at: position, unlessBelow: last)
    }

    /// Whether a sequence that begins at an address may hold a wanted one: not where the linker
    /// removed the code.
    private mutating func mayCover(from address: UInt64) -> Bool {
        guard !unit.isTombstone(address) else { return false }
        let first = wanted.firstIndex(notBelow: address)
        // No wanted address is above it: its first row will show that.
        guard first < wanted.count else { return true }
        guard passesOver, leastStarts[first] > address else { return true }
        hasPassedOver = true
        return false
    }

    /// Gives `row` to the wanted addresses from `next` on that are below `end`. The first sequence
    /// that covers an address keeps it.
    /// - Parameter first: where the row's sequence begins.
    private mutating func cover(upTo end: UInt64, _ row: LineRow, from first: UInt64) {
        while next < wanted.count, wanted[next] < end {
            if passesOver, rangeStarts[next] > first {
                hasPassedOver = true
            } else if rows[next] == nil {
                rows[next] = row
                missing -= 1
            }
            next += 1
        }
    }
}
