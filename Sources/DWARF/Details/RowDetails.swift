internal import BinaryPrimitives

/// Details of an address's row that only some tools need. The table's program is executed once more for them.
struct RowDetails {
    var flags = LineRowFlags()
    /// The last row before a row with line 0, in its sequence, that has a line.
    ///
    /// Compilers write line 0 for code that they moved, merged or added. The
    /// line before is near it, and no more than that.
    var before: LineRow?
}

extension LineTable {
    /// - Parameters:
    ///   - rows: the addresses' own rows; those that are `nil` are passed over.
    ///   - wanted: the addresses, ascending.
    ///   - bytes: the contribution, from its initial length on.
    func rowDetails(_ rows: [LineRow?], at wanted: [UInt64], _ bytes: RawSpan) throws(ReadError) -> [RowDetails] {
        var found = [RowDetails](repeating: RowDetails(), count: wanted.count)
        var previous: (address: UInt64, row: LineRow, flags: LineRowFlags)?
        var last: LineRow?
        try forEachRow(bytes) { registers, flags, endsSequence in
            if let previous, previous.address < registers.address {
                var index = wanted.firstIndex(notBelow: previous.address)
                while index < wanted.count, wanted[index] < registers.address {
                    // The same address in another sequence has another row.
                    if rows[index] == previous.row {
                        found[index].flags = previous.flags
                        if previous.row.line == 0, found[index].before == nil { found[index].before = last }
                    }
                    index += 1
                }
            }
            previous = endsSequence ? nil : (registers.address, registers.row, flags)
            if endsSequence { last = nil } else if registers.row.line != 0 { last = registers.row }
        }
        return found
    }
}
