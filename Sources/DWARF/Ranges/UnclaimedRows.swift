internal import BinaryPrimitives
internal import ObjectFiles

/// Rows of line tables outside of their units' ranges and functions, and of units without either: gcc 10 puts thunks after a function that its
/// unit's ranges leave out, JIT compilers write line tables alone.
///
/// They are looked for in functions of the symbol table that no unit covers. In a file with little debug information
/// (`Limits.unclaimedInformation`) they may be in any unit, in others in the unit that `.debug_aranges` names for the code just before.
struct UnclaimedRows {
    private let table: UnitTable
    private let buffer: ReadBuffer
    private let lineBuffer = ReadBuffer()

    init(_ table: UnitTable, _ buffer: ReadBuffer) {
        self.table = table
        self.buffer = buffer
    }

    /// How far before a function the code of its unit may end, and the steps in which it is looked for: padding has up to 15 bytes, and
    /// several thunks may follow one another.
    private static let distances = [1, 16, 32, 48, 64, 80, 96, 112, 128] as [UInt64]

    private var isSmall: Bool { table.size <= table.sections.limits.unclaimedInformation }

    /// Finds the units that have rows of some addresses.
    /// - Parameters:
    ///   - addresses: ascending.
    ///   - functions: for each address the function of the symbol table around it.
    ///   - headers: all units.
    /// - Returns: for each address the unit's offset; `nil` where there is none.
    func units(of addresses: [UInt64], in functions: [Range<UInt64>], _ headers: [UnitHeader]) -> [Int?] {
        let found = ranges(in: functions, headers)
        return addresses.map { address in found.first { $0.range.contains(address) }?.unit }
    }

    /// Finds the parts of functions of the symbol table that units have rows of. A row that begins before a function is that of the code before
    /// it: sequences may end where a section does.
    /// - Parameters:
    ///   - functions: those that no unit covers.
    ///   - headers: all units.
    /// - Returns: ranges, in the units' order.
    func ranges(in functions: [Range<UInt64>], _ headers: [UnitHeader]) -> [(range: Range<UInt64>, unit: Int)] {
        var found: [(range: Range<UInt64>, unit: Int)] = []
        let units = isSmall ? [] : self.units(before: functions.map(\.lowerBound))
        let wanted = Set(units.compactMap { $0 })
        for header in headers where isSmall || wanted.contains(header.offset) {
            let own = isSmall ? functions : functions.indices.filter { units[$0] == header.offset }.map { functions[$0] }
            let ascending = own.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
            for row in rows(header) {
                let index = ascending.partitionPoint { $0.lowerBound > row.lowerBound } - 1
                guard index >= 0, ascending[index].contains(row.lowerBound) else { continue }
                found.append((row.clamped(to: ascending[index]), header.offset))
            }
        }
        return found
    }

    /// For each address the unit that `.debug_aranges` names for the code that ends just before it.
    private func units(before addresses: [UInt64]) -> [Int?] {
        var probes: [UInt64] = []
        for address in addresses { probes += Self.distances.compactMap { address >= $0 ? address - $0 : nil } }
        let ascending = Array(Set(probes)).sorted()
        let aranges = Aranges(table.sections, wanted: ascending, buffer)
        return addresses.map { address in
            for distance in Self.distances where address >= distance {
                let index = ascending.firstIndex(notBelow: address - distance)
                guard index < ascending.count, ascending[index] == address - distance else { continue }
                if aranges.units[index] >= 0 { return aranges.units[index] }
            }
            return nil
        }
    }

    /// The rows of a unit's line table, by address, and the addresses that each covers.
    private func rows(_ header: UnitHeader) -> [Range<UInt64>] {
        // A unit that is damaged has none, or those before the damage.
        guard let unit = try? table.unitHead(header), let line = (try? unit.lineContribution()) ?? nil else { return [] }
        return line.contents.withBytes(in: line.range, lineBuffer) { bytes in
            guard let table = try? LineTable(bytes, addressSize: unit.header.addressSize, unit.header.byteOrder) else { return [] }
            var coverage = LineCoverage(table, unit)
            try? coverage.run(bytes)
            return coverage.resolved().map(\.range)
        }
    }
}
