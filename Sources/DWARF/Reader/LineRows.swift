package import BinaryPrimitives
internal import ObjectFiles

/// A row of a line table with everything that distinguishes it from its neighbours.
package struct LineTableRow: Sendable, Hashable {
    package var address: LinkAddress
    /// Its file's index in the unit's file table.
    package var file: Int
    /// Zero: the compiler attributes the code to no line.
    package var line: Int
    /// DWARF 5, section 6.2.2; zero for all but the later blocks of a line.
    package var discriminator: UInt64
    /// It only ends the row before it.
    package var endsSequence: Bool
}

/// All rows of one unit, in the order of its line program, for questions about the table itself.
/// (Lookups keep no rows; see `LineProgram`.)
package struct LineRows: Sendable {
    package let rows: [LineTableRow]
    /// The files as the table records them, by index: a relative name stays relative.
    package let files: [Int: String]
}

extension DWARFReader {
    /// The rows of the unit at an offset of `.debug_info`.
    /// - Parameter unit: as `DWARFResult.unit` gives it.
    /// - Returns: `nil` if the unit has no line program.
    /// - Throws: `DWARFError` if it is damaged.
    package func lineRows(ofUnitAt unit: Int) throws(DWARFError) -> LineRows? {
        let units = try UnitTable(sections)
        return try units.withUnit(try units.header(at: unit), ReadBuffer()) {
            (unit: Unit, bytes: RawSpan) throws(DWARFError) -> LineRows? in
            guard let line = try unit.lineContribution() else { return nil }
            return try line.withBytes(ReadBuffer()) { (lineBytes: RawSpan) throws(DWARFError) -> LineRows in
                do throws(ReadError) {
                    let table = try LineTable(lineBytes, addressSize: unit.header.addressSize, unit.header.byteOrder)
                    let rows = try table.rows(lineBytes)
                    var files: [Int: String] = [:]
                    for index in Set(rows.map(\.file)) {
                        files[index] = table.recordedPath(at: index) { unit.string($0, lineBytes) }
                    }
                    return LineRows(rows: rows, files: files)
                } catch {
                    throw DWARFError(.line, endingAt: line.range.upperBound, error)
                }
            }
        }
    }
}

extension LineTable {
    /// A file's name after its directory, where that is not the compilation directory: entry 0,
    /// which is in the table since version 5.
    func recordedPath(at index: Int, _ text: (AttributeValue) -> String?) -> String? {
        guard let file = file(at: index), let name = text(file.name) else { return nil }
        let position = version >= 5 ? file.directory : file.directory - 1
        guard file.directory > 0, !name.isAbsolutePath, directories.indices.contains(position) else { return name }
        return (text(directories[position]) ?? "").appendingPath(name)
    }
}

extension LineTable {
    /// All rows of the table's program, in its order.
    /// - Parameter bytes: the contribution, from its initial length on.
    func rows(_ bytes: RawSpan) throws(ReadError) -> [LineTableRow] {
        var rows: [LineTableRow] = []
        try forEachRow(bytes) { registers, _, endsSequence in
            rows.append(
                LineTableRow(
                    address: LinkAddress(registers.address), file: registers.row.file, line: registers.row.line,
                    discriminator: registers.row.discriminator, endsSequence: endsSequence))
        }
        return rows
    }
}
