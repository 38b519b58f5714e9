internal import BinaryPrimitives
internal import DWARF

/// Finds what is around an address (`--lookup`).
struct Lookup {
    struct Location {
        var unit: DumpUnit
        /// The innermost function or inlined call.
        var function: DumpEntry?
        /// A lexical block in it.
        var block: DumpEntry?
    }

    struct Line {
        /// As the line table has it, without its folder.
        var file: [UInt8]?
        var line: UInt32 = 0
        var column: UInt16 = 0
        /// File of the function, perhaps from its origin.
        var startFile: [UInt8]?
        var startLine: UInt64 = 0
    }

    let context: DumpContext
    let address: UInt64
    /// `.debug_aranges`
    let table: SectionBytes

    /// - Returns: `nil` if no unit covers the address.
    func location() -> Location? {
        guard let unit = unit() else { return nil }
        var location = Location(unit: unit, function: function(in: unit))
        if let function = location.function { location.block = block(in: function) }
        return location
    }

    /// The unit of the ranges that cover the address: the section's ranges, and for units that it
    /// leaves out, their own ranges. Of several units the one that is known from the address range
    /// before goes on, as LLVM has it.
    private func unit() -> DumpUnit? {
        var points: [(address: UInt64, unit: Int, isStart: Bool)] = []
        var known: Set<Int> = []
        func add(_ bounds: RangeLists.Bounds, _ unit: Int) {
            guard bounds.low < bounds.high else { return }
            points.append((bounds.low, unit, true))
            points.append((bounds.high, unit, false))
        }
        var offset = 0
        while offset < table.count, let ranges = DumpAddressRangeTable(at: offset, of: table), ranges.isEnded {
            for range in ranges.ranges { add(range, Int(clamping: ranges.unitOffset)) }
            known.insert(Int(clamping: ranges.unitOffset))
            offset = ranges.end
        }
        for unit in context.infoUnits where !unit.isTypeUnit && !known.contains(unit.offset) {
            guard let root = context.entry(at: unit.root, in: unit) else { continue }
            guard let ranges = context.ranges(of: root) else {
                context.report("the ranges of the unit at \(hexadecimal(unit.offset)) cannot be read")
                continue
            }
            for range in ranges { add(range, unit.offset) }
        }
        points.sort { ($0.address, $0.unit, $0.isStart ? 0 : 1) < ($1.address, $1.unit, $1.isStart ? 0 : 1) }
        var open: [Int: Int] = [:]
        var last: (high: UInt64, unit: Int)?
        var previous = UInt64.max
        for point in points {
            if previous < point.address, let first = open.keys.min() {
                let unit = last.flatMap { $0.high == previous && open[$0.unit] != nil ? $0.unit : nil } ?? first
                last = (point.address, unit)
                if (previous..<point.address).contains(address) { return context.unit(containing: unit) }
            }
            if point.isStart {
                open[point.unit, default: 0] += 1
            } else if let count = open[point.unit] {
                open[point.unit] = count > 1 ? count - 1 : nil
            }
            previous = point.address
        }
        return nil
    }

    private func covers(_ entry: DumpEntry) -> Bool {
        context.ranges(of: entry)?.contains { $0.low <= address && address < $0.high } ?? false
    }

    /// Finds the innermost function or inlined call at the address, as LLVM does (`DWARFUnit::updateAddressDieMap`): each entry's ranges replace
    /// those of earlier entries, and children come after their parents. A function that the linker removed begins at 0; it keeps only the
    /// addresses below the next function's start.
    private func function(in unit: DumpUnit) -> DumpEntry? {
        // Sorted by their starts.
        var ranges: [(low: UInt64, high: UInt64, function: DumpEntry)] = []
        func firstIndex(after low: UInt64) -> Int { ranges.partitionPoint { $0.low > low } }
        func insert(_ low: UInt64, _ high: UInt64, _ function: DumpEntry) {
            let index = firstIndex(after: low)
            if index > 0, ranges[index - 1].low == low {
                ranges[index - 1] = (low, high, function)
            } else {
                ranges.insert((low, high, function), at: index)
            }
        }
        context.forEachEntry(of: unit) { entry in
            guard entry.tag == Tag.subprogram || entry.tag == Tag.inlinedSubroutine else { return }
            for range in context.ranges(of: entry) ?? [] where range.low < range.high {
                let index = firstIndex(after: range.low) - 1
                if index >= 0, range.low < ranges[index].high {
                    let outer = ranges[index]
                    ranges[index].high = max(range.low, outer.low)
                    if range.high < outer.high { insert(range.high, outer.high, outer.function) }
                }
                insert(range.low, range.high, entry)
            }
        }
        let index = firstIndex(after: address) - 1
        return index >= 0 && address < ranges[index].high ? ranges[index].function : nil
    }

    /// LLVM looks at the last child first, and at its children before the one before it.
    private func block(in function: DumpEntry) -> DumpEntry? {
        var pending = [function]
        while let entry = pending.popLast() {
            if entry.tag == Tag.lexicalBlock, covers(entry) { return entry }
            context.forEachChild(of: entry) { child in
                pending.append(child)
                return true
            }
        }
        return nil
    }

    /// The line of the address, and where the function was declared.
    /// - Returns: `nil` if nothing is known.
    func line(_ location: Location) -> Line? {
        var result = Line()
        guard let header = lineTable(of: location.unit) else { return nil }
        if let function = location.function {
            // LLVM does not look up a file whose number is in the abbreviation.
            if let file = context.inherited([Attribute.declFile], of: function), file.form != Form.implicitConst,
                let number = file.unsignedConstant, let header = file.unit === location.unit ? header : lineTable(of: file.unit)
            {
                result.startFile = name(of: number, in: header)
            }
            result.startLine = context.inherited([Attribute.declLine], of: function)?.unsignedConstant ?? 0
        }
        if let row = row(header, location.unit), let file = name(of: UInt64(row.file), in: header) {
            (result.file, result.line, result.column) = (file, row.line, row.column)
        }
        return result.file == nil && result.startFile == nil && result.startLine == 0 ? nil : result
    }

    private func lineTable(of unit: DumpUnit) -> LineTableHeader? {
        guard let offset = context.bases(of: unit).lineTable, offset < UInt64(context.lines.count) else { return nil }
        return try? LineTableHeader(at: Int(offset), of: context.lines, unit: unit)
    }

    /// The name of a line table's file, without its folder.
    private func name(of number: UInt64, in header: LineTableHeader) -> [UInt8]? {
        let index = header.version >= 5 ? number : number &- 1
        guard index < UInt64(header.files.count), let name = header.files[Int(index)].name else { return nil }
        return header.text(name, context, context.lines)?.bytes
    }

    /// The last row at or before the address, in the sequence that ends first after it.
    private func row(_ header: LineTableHeader, _ unit: DumpUnit) -> DumpLineRow? {
        var best: (end: UInt64, row: DumpLineRow)?
        var (first, before): (UInt64?, DumpLineRow?) = (nil, nil)
        let program = DumpLineProgram(
            header: header, lines: context.lines, addressSize: unit.addressSize, reportsOpcodes: false,
            printedAddress: { context.printedAddress($0) })
        _ = program.run { event in
            guard case .row(let row) = event else { return }
            if first == nil { first = row.address }
            if !row.endsSequence {
                if row.address <= address { before = row }
                return
            }
            if let first, first <= address, address < row.address, let before, best.map({ row.address < $0.end }) ?? true {
                best = (row.address, before)
            }
            (first, before) = (nil, nil)
        }
        return best?.row
    }
}

extension DumpContext {
    /// Gives every entry of a unit to `body`, in the order of the section.
    func forEachEntry(of unit: DumpUnit, _ body: (DumpEntry) -> Void) {
        let bytes = section(of: unit)
        var position = unit.root
        var depth = 0
        while position < unit.end {
            if bytes[position] == 0 {
                position += 1
                depth -= 1
                if depth <= 0 { return }
                continue
            }
            guard let entry = entry(at: position, in: unit), let end = end(of: entry) else { return }
            body(entry)
            if entry.abbreviation.hasChildren { depth += 1 } else if depth == 0 { return }
            position = end
        }
    }
}
