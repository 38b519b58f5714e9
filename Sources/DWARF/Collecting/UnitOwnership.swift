internal import BinaryPrimitives
internal import ObjectFiles

/// Which unit resolves each address: for all addresses at once what `UnitFinder` finds for some.
///
/// The least offset among the units that `.debug_aranges` names; then among those that it does not
/// describe, by what their root entries cover; then among those that it does; then among those that
/// say nothing, by what their functions cover; and at last among all, by the same.
package struct UnitOwnership: Sendable {
    /// Ascending, none over another; the owner is a place in `units`.
    package let pieces: [AddressClaims.Piece]
    /// The offsets of all units' headers in `.debug_info`, ascending.
    package let units: [Int]

    /// - Throws: `DWARFError` if data about what units cover cannot be read: an address may then
    ///   have a result that is missing here.
    package init(_ reader: DWARFReader) throws(DWARFError) {
        let sections = reader.sections
        let table = try UnitTable(sections)
        let buffer = ReadBuffer()
        let headers = table.allHeaders()
        var places: [Int: Int] = [:]
        for (place, header) in headers.enumerated() { places[header.offset] = place }
        var claims = AddressClaims()
        var sets = AddressRangeSets()
        AddressRangeTable(sections).read(buffer, &sets)
        sets.described.sort()
        for (range, unit) in sets.ranges {
            guard let place = places[unit] else {
                throw DWARFError(.aranges, at: 0, "it names a unit at 0x\(String(unit, radix: 16)), where none begins")
            }
            claims.add(range, rank: UInt64(place), owner: place)
        }
        var collected = sections.collectedRanges()
        var extents = SubroutineCollector(nil)
        for (place, header) in headers.enumerated() where header.coversCode {
            // Abbreviations and ranges are read through the mapping.
            if place % 256 == 255 { sections.file.releasePages() }
            let unit = try table.unitHead(header)
            let isDescribed = sets.described.contains(header.offset)
            // Skeletons without code represent clang modules.
            if unit.root.splitName != nil, isDescribed || unit.hasRanges || unit.root.hasChildren {
                throw DWARFError(.info, at: header.offset, "the unit is split: its functions are in another file")
            }
            if unit.hasRanges {
                collected.removeAll()
                try unit.appendRanges(low: unit.root.lowPC, high: unit.root.highPC, ranges: unit.root.ranges, to: &collected)
                let rank = UInt64(isDescribed ? 2 : 1) << 32 | UInt64(place)
                for range in collected.ranges { claims.add(range.start..<range.end, rank: rank, owner: place) }
            } else if unit.root.hasChildren, !isDescribed {
                try table.withUnit(header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in
                    try extents.run(unit, bytes, table, wanted: [])
                }
                for (start, end) in zip(extents.starts, extents.ends) {
                    claims.add(start..<end, rank: 3 << 32 | UInt64(place), owner: place)
                }
            }
        }
        if let unclaimed = UnclaimedFunctions(table, buffer) {
            for (range, unit) in unclaimed.ranges(of: headers.filter(\.coversCode), where: { _ in true }) {
                guard let place = places[unit] else { continue }
                claims.add(range, rank: 4 << 32 | UInt64(place), owner: place)
            }
        }
        if let problem = table.problem { throw problem }
        pieces = claims.resolved()
        units = headers.map(\.offset)
    }
}

/// All of `.debug_aranges`. (`Aranges` keeps what covers some addresses.)
private struct AddressRangeSets: AddressRangeVisitor {
    private(set) var ranges: [(range: Range<UInt64>, unit: Int)] = []
    /// The units that have a set of their own.
    var described = DescribedUnits()

    mutating func describe(unit: Int) { described.add(unit) }

    mutating func claim(_ range: Range<UInt64>, unit: Int) { ranges.append((range, unit)) }
}
