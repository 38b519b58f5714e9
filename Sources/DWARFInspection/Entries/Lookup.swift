internal import DWARF

/// Finds what is around an address (`--lookup`).
struct Lookup {
    struct Place {
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
        /// Of the function, which may have it from its origin.
        var startFile: [UInt8]?
        var startLine: UInt64 = 0
    }

    let context: DumpContext
    let address: UInt64
    /// `.debug_aranges`
    let table: SectionBytes

    /// - Returns: `nil` if no unit covers the address.
    func place() -> Place? {
        guard let unit = unit() else { return nil }
        var place = Place(unit: unit, function: function(in: unit))
        if let function = place.function { place.block = block(in: function) }
        return place
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
        while offset < table.count, let ranges = AddressRangeTable(at: offset, of: table), ranges.isEnded {
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

    /// The last function or call that covers the address: children come after their parents.
    private func function(in unit: DumpUnit) -> DumpEntry? {
        var found: DumpEntry?
        context.forEachEntry(of: unit) { entry in
            if entry.tag == Tag.subprogram || entry.tag == Tag.inlinedSubroutine, covers(entry) { found = entry }
        }
        return found
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
    func line(_ place: Place) -> Line? {
        var result = Line()
        guard let root = context.bases(of: place.unit).lineTable, root < UInt64(context.lines.count),
            let header = try? LineTableHeader(at: Int(root), of: context.lines, unit: place.unit)
        else { return nil }
        func name(_ number: UInt64) -> [UInt8]? {
            let index = header.version >= 5 ? number : number &- 1
            guard index < UInt64(header.files.count), let name = header.files[Int(index)].name else { return nil }
            return header.text(name, context, context.lines)?.bytes
        }
        if let function = place.function {
            // LLVM does not look up a file whose number is in the abbreviation.
            let file = context.inherited([Attribute.declFile], of: function)
            result.startFile = file.flatMap { $0.form == Form.implicitConst ? nil : $0.unsignedConstant }.flatMap { name($0) }
            result.startLine = context.inherited([Attribute.declLine], of: function)?.unsignedConstant ?? 0
        }
        if let row = row(header, place.unit), let file = name(UInt64(row.file)) {
            (result.file, result.line, result.column) = (file, row.line, row.column)
        }
        return result.file == nil && result.startFile == nil && result.startLine == 0 ? nil : result
    }

    /// The last row at or before the address, in the sequence that ends first after it.
    private func row(_ header: LineTableHeader, _ unit: DumpUnit) -> LineProgramRow? {
        var best: (end: UInt64, row: LineProgramRow)?
        var (first, before): (UInt64?, LineProgramRow?) = (nil, nil)
        let program = LineProgram(
            header: header, lines: context.lines, addressSize: unit.addressSize, reportsOpcodes: false, place: { context.place($0) })
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
        var place = unit.root
        var depth = 0
        while place < unit.end {
            if bytes[place] == 0 {
                place += 1
                depth -= 1
                if depth <= 0 { return }
                continue
            }
            guard let entry = entry(at: place, in: unit), let end = end(of: entry) else { return }
            body(entry)
            if entry.abbreviation.hasChildren { depth += 1 } else if depth == 0 { return }
            place = end
        }
    }
}
