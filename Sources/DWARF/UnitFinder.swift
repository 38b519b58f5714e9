internal import BinaryPrimitives
internal import ObjectFiles

/// Finds the unit that covers each address.
///
/// `.debug_aranges` answers at once, where it is and where it is complete. Compilers leave units out of it (clang writes none, assemblers write their own), and
/// nothing is missed because a table was partial: what it does not cover is looked for in the units that it does not describe, then in those that it does, by the
/// ranges that their root entries tell, and at last in the functions of units that tell none.
struct UnitFinder {
    private let sections: DWARFSections
    private let table: UnitTable
    private let buffer: ReadBuffer

    init(_ sections: DWARFSections, _ table: UnitTable, _ buffer: ReadBuffer) {
        self.sections = sections
        self.table = table
        self.buffer = buffer
    }

    /// - Parameter wanted: addresses, ascending.
    /// - Returns: for each address the offset of a unit in `.debug_info`; -1 if no unit covers it.
    func units(covering wanted: [UInt64]) -> [Int] {
        let aranges = Aranges(sections, wanted: wanted, buffer)
        var found = aranges.units
        guard found.contains(-1) else { return found }
        let headers = table.allHeaders().filter(\.coversCode)
        let undescribed = headers.filter { !aranges.described.contains($0.offset) }
        let silent = search(undescribed, wanted, &found)
        if found.contains(-1), undescribed.count < headers.count {
            _ = search(headers.filter { aranges.described.contains($0.offset) }, wanted, &found)
        }
        searchFunctions(of: silent, wanted, &found)
        return found
    }

    /// Looks the missing addresses up in what the units' root entries say that they cover.
    /// - Returns: the units that do not say.
    private func search(_ headers: [UnitHeader], _ wanted: [UInt64], _ found: inout [Int]) -> [UnitHeader] {
        let missing = wanted.indices.filter { found[$0] < 0 }
        let addresses = missing.map { wanted[$0] }
        var silent: [UnitHeader] = []
        var collected = sections.collectedRanges()
        for header in headers {
            let unit: Unit
            do throws(DWARFError) { unit = try table.unitHead(header) } catch {
                table.note(error)
                continue
            }
            guard unit.root.tellsRanges else {
                if unit.root.hasChildren { silent.append(header) }
                continue
            }
            collected.removeAll()
            do throws(DWARFError) {
                try unit.appendRanges(low: unit.root.lowPC, high: unit.root.highPC, ranges: unit.root.ranges, to: &collected)
            } catch {
                table.note(error)
            }
            for range in collected.ranges {
                var index = addresses.firstIndex(notBelow: range.lowerBound)
                while index < addresses.count, addresses[index] < range.upperBound {
                    if found[missing[index]] < 0 { found[missing[index]] = header.offset }
                    index += 1
                }
            }
        }
        return silent
    }

    /// Units that do not tell what they cover: only their functions do.
    private func searchFunctions(of headers: [UnitHeader], _ wanted: [UInt64], _ found: inout [Int]) {
        for header in headers {
            let missing = wanted.indices.filter { found[$0] < 0 }
            if missing.isEmpty { break }
            do throws(DWARFError) {
                let chains = try table.withUnit(header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) -> [[Subroutine]] in
                    var finder = SubroutineFinder(unit, wanted: missing.map { wanted[$0] })
                    try finder.find(in: bytes)
                    return finder.chains
                }
                for (index, chain) in zip(missing, chains) where !chain.isEmpty { found[index] = header.offset }
            } catch {
                table.note(error)
            }
        }
    }
}
