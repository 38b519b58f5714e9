internal import BinaryPrimitives

/// Opens the entries that attributes refer to, wherever they lead: in the unit itself, in another
/// one, in the supplementary file.
struct EntryReferences {
    let units: UnitTable

    /// Gives the entry that a reference means to `body`.
    /// - Parameters:
    ///   - unit: has the reference, and is in `part`.
    ///   - bytes: the unit, from its header to its end.
    /// - Returns: `nil` where there is no such entry.
    func open<Result>(
        _ reference: AttributeValue?, from unit: Unit, _ bytes: RawSpan, in part: EntryLocation.Part,
        _ body: (Unit, RawSpan, EntryLocation, EntryContent) -> Result?
    ) -> Result? {
        guard let reference, let location = EntryLocation(reference, from: unit, in: part, units) else { return nil }
        if location.part == part, (unit.header.offset..<unit.header.end).contains(location.offset) {
            guard let content = EntryContent(at: location.offset - unit.header.offset, of: unit, bytes) else { return nil }
            return body(unit, bytes, location, content)
        }
        guard let table = location.part.table(of: units), let header = table.header(containing: location.offset) else { return nil }
        let result = try? table.withMappedUnit(header) { (other: Unit, otherBytes: RawSpan) throws(DWARFError) -> Result? in
            guard let content = EntryContent(at: location.offset - header.offset, of: other, otherBytes) else { return nil }
            return body(other, otherBytes, location, content)
        }
        return result ?? nil
    }
}
