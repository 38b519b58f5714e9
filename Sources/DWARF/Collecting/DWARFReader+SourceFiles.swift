internal import BinaryPrimitives
internal import ObjectFiles

extension DWARFReader {
    /// The paths of the source files that the line tables of all units have (DWARF 5, section 6.2.4), each once, as they are joined from the compilation
    /// directory, the file's directory and its name. Tables that cannot be read are left out.
    package func sourceFiles() -> [String] {
        guard let units = try? UnitTable(sections) else { return [] }
        var paths = CollectedPaths()
        // Several units may share one table: partial and type units use their unit's.
        var seen: Set<Int> = []
        let (buffer, lineBuffer) = (ReadBuffer(), ReadBuffer())
        for header in units.allHeaders() {
            try? units.withUnit(header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in
                guard let line = try unit.lineContribution(), seen.insert(line.range.lowerBound).inserted else { return }
                let directory = unit.string(unit.root.directory, bytes)
                line.contents.withBytes(in: line.range, lineBuffer) { lineBytes in
                    guard let table = try? LineTable(lineBytes, addressSize: unit.header.addressSize, unit.header.byteOrder) else { return }
                    for index in table.files.indices {
                        _ = paths.index(of: table.version >= 5 ? index : index + 1, table, unit, lineBytes, directory: directory)
                    }
                }
            }
        }
        return paths.paths
    }
}
