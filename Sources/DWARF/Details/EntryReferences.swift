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
        _ reference: AttributeValue?, from unit: Unit, _ bytes: RawSpan, in part: EntryPlace.Part,
        _ body: (Unit, RawSpan, EntryPlace, EntryContent) -> Result?
    ) -> Result? {
        guard let reference, let place = EntryPlace(reference, from: unit, in: part, units) else { return nil }
        if place.part == part, (unit.header.offset..<unit.header.end).contains(place.offset) {
            guard let content = EntryContent(at: place.offset - unit.header.offset, of: unit, bytes) else { return nil }
            return body(unit, bytes, place, content)
        }
        guard let table = place.part.table(of: units), let header = table.header(containing: place.offset) else { return nil }
        let result = try? table.withMappedUnit(header) { (other: Unit, otherBytes: RawSpan) throws(DWARFError) -> Result? in
            guard let content = EntryContent(at: place.offset - header.offset, of: other, otherBytes) else { return nil }
            return body(other, otherBytes, place, content)
        }
        return result ?? nil
    }
}
