internal import BinaryPrimitives
internal import ObjectFiles

/// Rows of line tables outside of their units' ranges and functions, and of units without either: gcc 10 puts thunks after a function that its
/// unit's ranges leave out, JIT compilers write line tables alone.
///
/// They are looked for in functions of the symbol table that no unit covers. In a file with little debug information
/// (`Limits.unclaimedInformation`) they may be in any unit. In others only thunks are looked for, in the unit that `.debug_aranges` names for
/// the code just before: most functions that no unit covers have no debug information at all.
struct UnclaimedRows {
    private let table: UnitTable
    private let buffer: ReadBuffer
    private let lineBuffer = ReadBuffer()

    init(_ table: UnitTable, _ buffer: ReadBuffer) {
        self.table = table
        self.buffer = buffer
    }

    /// Distances before a function at which its unit's code is looked for: padding has up to 15 bytes, and several thunks of some hundred
    /// bytes may follow one another.
    private static let distances = [1] + stride(from: 16, through: 1024, by: 16).map { UInt64($0) }

    private var isSmall: Bool { table.size <= table.sections.limits.unclaimedInformation }
    /// Whether there is a unit in which rows are looked for.
    var areSearched: Bool { isSmall || table.sections.has(.aranges) }

    /// A function of the symbol table in which rows are looked for.
    struct Function {
        var range: Range<UInt64>
        var isThunk: Bool
    }

    /// Returns a symbol as a function in which rows are looked for; `nil` if they are not.
    /// - Parameter symbol: a function whose end is in the address space.
    func function(_ symbol: Symbol) -> Function? {
        guard let object = table.sections.object, let range = symbol.beginningOfName else { return nil }
        let beginning = object.file.bytes(in: range)
        return function(symbol, beginning.span.rawBytes)
    }

    /// The same for nearly all symbols of a file.
    /// - Parameter bytes: the file's.
    func function(_ symbol: Symbol, in bytes: RawSpan) -> Function? {
        symbol.beginningOfName.flatMap { function(symbol, bytes.clamped(to: $0)) }
    }

    private func function(_ symbol: Symbol, _ beginning: RawSpan) -> Function? {
        let isThunk = beginning.isThunk
        guard isThunk || isSmall else { return nil }
        return Function(range: symbol.address.value..<symbol.address.value &+ symbol.size, isThunk: isThunk)
    }

    /// Finds the units that have rows of some addresses that no unit covers.
    /// - Parameters:
    ///   - addresses: ascending.
    ///   - headers: all units.
    /// - Returns: for each address the unit's offset; `nil` where there is none.
    func units(of addresses: [UInt64], _ headers: @autoclosure () -> [UnitHeader]) -> [Int?] {
        guard areSearched else { return addresses.map { _ in nil } }
        let symbols = table.sections.object?.functionSymbols(around: addresses) { function($0) != nil } ?? []
        let functions = symbols.compactMap { $0.flatMap { function($0) } }
        let found = functions.isEmpty ? [] : ranges(in: functions, headers())
        return addresses.map { address in found.first { $0.range.contains(address) }?.unit }
    }

    /// Finds the parts of functions of the symbol table that units have rows of. A row that begins before a function is that of the code before
    /// it, as sequences may end where a section does; but a thunk's compiler may write one row for it and the function before it.
    /// - Parameters:
    ///   - functions: those that no unit covers.
    ///   - headers: all units.
    /// - Returns: ranges, in the units' order.
    func ranges(in functions: [Function], _ headers: [UnitHeader]) -> [(range: Range<UInt64>, unit: Int)] {
        var found: [(range: Range<UInt64>, unit: Int)] = []
        let units = isSmall ? [] : self.units(before: functions.map(\.range.lowerBound))
        let wanted = Set(units.compactMap { $0 })
        for header in headers where isSmall || wanted.contains(header.offset) {
            let own = isSmall ? functions : functions.indices.filter { units[$0] == header.offset }.map { functions[$0] }
            let ascending = own.sorted { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
            for row in rows(header) {
                var index = max(0, ascending.partitionPoint { $0.range.lowerBound > row.lowerBound } - 1)
                while index < ascending.count, ascending[index].range.lowerBound < row.upperBound {
                    let function = ascending[index]
                    index += 1
                    guard function.range.overlaps(row), function.isThunk || function.range.contains(row.lowerBound) else { continue }
                    found.append((row.clamped(to: function.range), header.offset))
                }
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

extension Symbol {
    /// Range in the file of the first four bytes of its name, or of fewer before the string table's end.
    fileprivate var beginningOfName: Range<Int>? {
        guard let start = Int(exactly: name.position.value), let end = Int(exactly: name.tableEnd.value), start <= end else { return nil }
        return start..<start + min(4, end - start)
    }
}

extension RawSpan {
    /// `_ZTh`, `_ZTv` and `_ZTc` begin the names of thunks (Itanium C++ ABI, 5.1.4.2).
    fileprivate var isThunk: Bool {
        guard byteCount == 4 else { return false }
        return byte(at: 0) == UInt8(ascii: "_") && byte(at: 1) == UInt8(ascii: "Z") && byte(at: 2) == UInt8(ascii: "T")
            && isOne(byte(at: 3), of: "hvc")
    }
}
