internal import BinaryPrimitives
internal import ObjectFiles

extension DWARFReader {
    /// Gives the unit that covers an address to `body`, or its split unit if that unit is a
    /// skeleton; gives nothing if no unit covers it.
    func withUnit(covering address: UInt64, _ body: (Unit, RawSpan, UnitTable, SourcePaths) -> Void) {
        guard let units = try? UnitTable(sections) else { return }
        guard let offset = UnitFinder(sections, units, ReadBuffer()).units(covering: [address]).first, offset >= 0 else { return }
        withUnit(at: offset, units, body)
    }

    /// The same for the unit at an offset of `.debug_info`.
    func withUnit(at offset: Int, _ units: UnitTable, _ body: (Unit, RawSpan, UnitTable, SourcePaths) -> Void) {
        guard let header = try? units.header(at: offset) else { return }
        let paths = SourcePaths()
        try? units.withUnit(header, ReadBuffer()) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in
            if let found = (try? SplitUnits(of: sections).find(for: unit, bytes)) ?? nil {
                try found.units.withUnit(found.header, ReadBuffer(), skeleton: unit, contribution: found.contribution) {
                    (splitUnit: Unit, splitBytes: RawSpan) throws(DWARFError) in
                    body(splitUnit, splitBytes, found.units, paths)
                }
            } else {
                body(unit, bytes, units, paths)
            }
        }
    }
}
