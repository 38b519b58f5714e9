internal import BinaryPrimitives

/// Which addresses a line program covers with which row: all of them, for a unit that is gone
/// through from its beginning to its end. (`LineProgram` finds the rows of a few addresses,
/// faster.)
struct LineCoverage {
    /// Addresses with one row.
    struct Piece {
        var range: Range<UInt64>
        var row: LineRow
        /// Where the piece's sequence begins.
        var sequence: UInt64 = 0
    }

    private let table: LineTable
    private let unit: Unit
    private let keepsDiscriminators: Bool
    /// In the order of the program.
    private var pieces: [Piece] = []
    /// The last rows of runs that end without an address, in the order of the program.
    private var openRows: [(address: UInt64, row: LineRow, sequence: UInt64)] = []

    /// - Parameter keepsDiscriminators: rows that differ in their discriminators alone are several
    ///   pieces.
    init(_ table: LineTable, _ unit: Unit, keepsDiscriminators: Bool = false) {
        self.keepsDiscriminators = keepsDiscriminators
        self.table = table
        self.unit = unit
    }

    /// - Parameter bytes: the contribution, from its initial length on.
    mutating func run(_ bytes: RawSpan) throws(ReadError) {
        let program = try bytes.slice(at: UInt64(table.program.lowerBound), count: UInt64(table.program.count))
        let machine = LineMachine(table.encoding)
        var position = 0
        while position < program.byteCount { position = try runSequence(program, at: position, machine) }
    }

    /// Runs one sequence: a row covers the addresses up to the next row, the last one up to the
    /// sequence's end.
    ///
    /// A run of rows also ends where the address is set back, or to one that marks removed code, whose rows are none: what the run's last
    /// row covers is then not said. A sequence from address zero on whose end is not a function's is of removed code.
    /// - Returns: where the next sequence begins.
    private mutating func runSequence(_ program: RawSpan, at start: Int, _ machine: LineMachine) throws(ReadError) -> Int {
        var registers = LineMachine.Registers()
        var previous: (address: UInt64, row: LineRow)?
        var isRemoved = false
        /// The least address that was set before the first row.
        var begin: UInt64?
        var first: UInt64?
        let (firstPiece, firstOpen) = (pieces.count, openRows.count)
        var position = start
        while position < program.byteCount {
            switch try machine.execute(program, &position, &registers) {
            case .none: break
            case .row where isRemoved: registers.row.discriminator = 0
            case .row:
                if let previous { cover(previous.address, registers.address, previous.row, begin ?? 0, from: firstPiece) }
                first = first ?? registers.address
                previous = (registers.address, registers.row)
                registers.row.discriminator = 0
            case .addressSet:
                isRemoved = unit.isTombstone(registers.address)
                if first == nil, isRemoved { return try machine.positionBehindSequence(program, at: position) }
                if first == nil { begin = min(begin ?? .max, registers.address) }
                if let last = previous, isRemoved || registers.address < last.address {
                    openRows.append((last.address, last.row, begin ?? 0))
                    previous = nil
                }
            case .endOfSequence:
                if let previous, !isRemoved { cover(previous.address, registers.address, previous.row, begin ?? 0, from: firstPiece) }
                if first == 0, unit.sections.isRemovedCode(upTo: registers.address) {
                    pieces.removeSubrange(firstPiece...)
                    openRows.removeSubrange(firstOpen...)
                }
                return position
            }
        }
        return position
    }

    /// - Parameter firstPiece: index of the sequence's first piece.
    private mutating func cover(_ start: UInt64, _ end: UInt64, _ row: LineRow, _ sequence: UInt64, from firstPiece: Int) {
        guard start < end else { return }
        var row = row
        if !keepsDiscriminators { row.discriminator = 0 }
        if pieces.count > firstPiece, let last = pieces.last, last.range.upperBound == start, last.row == row {
            pieces[pieces.count - 1].range = last.range.lowerBound..<end
        } else {
            pieces.append(Piece(range: start..<end, row: row, sequence: sequence))
        }
    }

    /// The pieces by address, none over another: what several sequences cover belongs to the first
    /// of them.
    func resolved() -> [Piece] { Self.resolved(pieces + openPieces()) }

    /// The rows that cover some addresses: of the first sequence that begins in the code around the address, else of
    /// the first of all.
    /// - Parameters:
    ///   - wanted: addresses, ascending.
    ///   - rangeStarts: for each where the unit's code around it begins; zero where that is not known.
    func rows(for wanted: [UInt64], rangeStarts: [UInt64]) -> [LineRow?] {
        var rows = [LineRow?](repeating: nil, count: wanted.count)
        var missing = wanted.count
        let all = pieces + openPieces()
        for passesOver in [true, false] {
            for piece in all where missing > 0 {
                var index = wanted.firstIndex(notBelow: piece.range.lowerBound)
                while index < wanted.count, wanted[index] < piece.range.upperBound {
                    if rows[index] == nil, !passesOver || rangeStarts[index] <= piece.sequence {
                        rows[index] = piece.row
                        missing -= 1
                    }
                    index += 1
                }
            }
        }
        return rows
    }

    /// A row whose end is not said covers the unit's code up to the next row, or to its end.
    private func openPieces() -> [Piece] {
        guard !openRows.isEmpty else { return [] }
        let starts = (pieces.map(\.range.lowerBound) + openRows.map(\.address)).sorted()
        return openRows.compactMap { open in
            guard var end = unit.codeEnd(around: open.address) else { return nil }
            let next = starts.partitionPoint { $0 > open.address }
            if next < starts.count { end = min(end, starts[next]) }
            return end > open.address ? Piece(range: open.address..<end, row: open.row, sequence: open.sequence) : nil
        }
    }

    private static func resolved(_ pieces: [Piece]) -> [Piece] {
        let order = pieces.indices.sorted { (pieces[$0].range.lowerBound, $0) < (pieces[$1].range.lowerBound, $1) }
        var result: [Piece] = []
        result.reserveCapacity(pieces.count)
        /// Min-heap of the pieces that cover the position: the first of the program is at the root.
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

/// Elements of which the least is wanted next.
struct BinaryHeap<Element: Comparable> {
    /// Min-heap: no element is less than its parent at index / 2, counted from 1.
    private var elements: [Element] = []

    init() {}

    var isEmpty: Bool { elements.isEmpty }
    /// The least; `nil` if there is none.
    var first: Element? { elements.first }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[child] < elements[parent] else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes the least, if there is any.
    mutating func removeFirst() {
        guard let last = elements.popLast(), !elements.isEmpty else { return }
        elements[0] = last
        var parent = 0
        while true {
            var least = 2 * parent + 1
            guard least < elements.count else { return }
            if least + 1 < elements.count, elements[least + 1] < elements[least] { least += 1 }
            guard elements[least] < elements[parent] else { return }
            elements.swapAt(least, parent)
            parent = least
        }
    }
}
