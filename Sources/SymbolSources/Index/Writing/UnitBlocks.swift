internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles

/// Makes blocks of units, one after another, for one task.
struct UnitBlocks {
    /// Data that all tasks share, read only.
    struct Shared: Sendable {
        var object: ObjectFile
        var coverage: SymbolCoverage
        /// The key of the first byte of the symbols' names, less its position in the file.
        var symbolKeys: SymbolKeys
        var keys: NameKeys
        /// Base of the image: a function that begins before it has no offset, and no entry.
        var base: UInt64
    }

    private let shared: Shared
    private var collector: WholeUnitCollector
    private var encoder: BlockEncoder
    private(set) var usedKeys = KeySet()
    /// For each file of the unit, from 1, the index of its path in `paths`.
    private(set) var files: [Int32] = []
    /// The calls of all units.
    private(set) var calls: CallSiteRecords

    private var roots: [Int32] = []

    /// - Parameter unitWidth: width of a unit's number, in bits.
    init(_ reader: DWARFReader, _ shared: Shared, unitWidth: Int) throws(DWARFError) {
        self.shared = shared
        calls = CallSiteRecords(base: shared.base)
        collector = try WholeUnitCollector(reader, shared.keys, readsCalls: !shared.object.holdsCode)
        encoder = BlockEncoder(unitWidth: unitWidth)
    }

    var paths: [String] { collector.paths.paths }
    var texts: EntryTexts { collector.texts }
    var starts: [UInt64] { encoder.starts }
    /// Start and size of each block: u64, u32.
    var blockRecords: [UInt8] {
        var writer = BitFieldWriter()
        for (start, size) in zip(encoder.starts, encoder.sizes) {
            writer.append(start & 0xffff_ffff, 32)
            writer.append(start >> 32, 32)
            writer.append(UInt64(size), 32)
        }
        return writer.bytes
    }
    var bytes: [UInt8] { encoder.bytes }

    mutating func make(_ unit: OwnedUnit) throws(DWARFError) {
        try collector.collect(unit)
        if let unit = collector.calls { calls.add(unit) }
        let numbers = numberFiles()
        encoder.begin(unit: unit.number)
        addCalls(numbers)
        merge(unit.ranges, numbers)
        encoder.finishBlock()
        if encoder.hasOverflown {
            throw DWARFError(.info, at: unit.offset, "the unit has functions that are too large or too far apart")
        }
    }

    /// - Returns: for each number of the unit's file table its number in the index; 0 without a
    ///   path.
    private mutating func numberFiles() -> [UInt32] {
        files.removeAll(keepingCapacity: true)
        return collector.files.map { path in
            guard path >= 0 else { return 0 }
            files.append(path)
            return UInt32(files.count)
        }
    }

    private mutating func addCalls(_ numbers: [UInt32]) {
        roots.removeAll(keepingCapacity: true)
        let subroutines = collector.subroutines
        for (index, subroutine) in subroutines.enumerated() {
            let parent = Int(subroutine.parent)
            if subroutine.name != NameKeys.none { usedKeys.insert(subroutine.name) }
            roots.append(!subroutine.isInlined ? Int32(index) : parent >= 0 ? roots[parent] : -1)
            let isCalledByFunction = parent < 0 || !subroutines[parent].isInlined
            let file = subroutine.callFile.map { Int($0) < numbers.count ? numbers[Int($0)] : 0 } ?? 0
            encoder.add(
                BlockEncoder.Call(
                    parent: isCalledByFunction ? -1 : subroutine.parent, name: subroutine.name, file: file,
                    line: file > 0 ? subroutine.callLine : 0, column: file > 0 ? subroutine.callColumn : 0))
        }
    }

    /// Cuts the wanted addresses where the innermost subroutine, the row or the symbol changes.
    private mutating func merge(_ wanted: [Range<UInt64>], _ numbers: [UInt32]) {
        let subroutines = collector.subroutines
        let (segmentStarts, segments) = (collector.segmentStarts, collector.segmentSubroutines)
        let (rowStarts, rows, discriminators) = (collector.rowStarts, collector.rows, collector.discriminators)
        let (symbolStarts, results) = (shared.coverage.starts, shared.coverage.results)
        var (segment, row) = (-1, -1)
        // The root of the last piece, which most pieces share.
        var (lastSymbol, lastFunction): (Int32, Int32) = (.min, .min)
        var lastRoot = BlockEncoder.Root(name: NameKeys.none, entry: nil)
        for range in wanted {
            var position = range.lowerBound
            var symbol = symbolStarts.lastIndex(notAbove: position)
            while position < range.upperBound {
                while segment + 1 < segmentStarts.count, segmentStarts[segment + 1] <= position { segment += 1 }
                while row + 1 < rowStarts.count, rowStarts[row + 1] <= position { row += 1 }
                while symbol + 1 < symbolStarts.count, symbolStarts[symbol + 1] <= position { symbol += 1 }
                var end = range.upperBound
                if segment + 1 < segmentStarts.count { end = min(end, segmentStarts[segment + 1]) }
                if row + 1 < rowStarts.count { end = min(end, rowStarts[row + 1]) }
                if symbol + 1 < symbolStarts.count { end = min(end, symbolStarts[symbol + 1]) }
                defer { position = end }
                let subroutine = segment >= 0 ? segments[segment] : -1
                let packed = row >= 0 ? rows[row] : PackedRow.none
                var (file, line, column): (UInt32, UInt32, UInt32) = (0, 0, 0)
                if packed != PackedRow.none, PackedRow.file(packed) < numbers.count, numbers[PackedRow.file(packed)] > 0 {
                    file = numbers[PackedRow.file(packed)]
                    (line, column) = (PackedRow.line(packed), PackedRow.column(packed))
                }
                guard subroutine >= 0 || file > 0 else { continue }
                let isInlined = subroutine >= 0 && subroutines[Int(subroutine)].isInlined
                let function = subroutine >= 0 ? roots[Int(subroutine)] : -1
                if results[symbol] != lastSymbol || function != lastFunction {
                    (lastSymbol, lastFunction) = (results[symbol], function)
                    lastRoot = root(lastSymbol, function)
                }
                encoder.add(
                    position..<end, lastRoot, call: isInlined ? subroutine : -1, file: file, line: line, column: column,
                    discriminator: row >= 0 ? discriminators[row] : 0)
            }
        }
    }

    /// Returns the root of a piece, named by the symbol table, because it has the linker's names: gcc's parts
    /// of functions are symbols of their own (`ObjectLookup`).
    private mutating func root(_ symbol: Int32, _ function: Int32) -> BlockEncoder.Root {
        // A stub is not a function of the debug information.
        if symbol >= 0, Int(symbol) < shared.coverage.symbols.count {
            guard let found = namingSymbol(Int(symbol), function) else {
                let found = collector.subroutines[Int(function)]
                return BlockEncoder.Root(name: found.name, entry: found.start < shared.base ? nil : found.start)
            }
            let key = shared.symbolKeys.key(found)
            usedKeys.insert(key)
            return BlockEncoder.Root(name: key, entry: found.address < shared.base ? nil : found.address)
        }
        guard function >= 0 else { return BlockEncoder.Root(name: NameKeys.none, entry: nil) }
        let found = collector.subroutines[Int(function)]
        return BlockEncoder.Root(name: found.name, entry: found.start < shared.base ? nil : found.start)
    }
}

extension UnitBlocks {
    /// Returns the symbol that names a function: of several at one address, the one whose lines are given
    /// (`ObjectLookup.name`).
    /// - Returns: `nil` where the function of the debug information has no symbol there.
    private func namingSymbol(_ symbol: Int, _ function: Int32) -> SymbolCoverage.Named? {
        let preferred = shared.coverage.symbols[symbol]
        guard function >= 0, collector.subroutines[Int(function)].start == preferred.address else { return preferred }
        let key = collector.subroutines[Int(function)].name
        guard key != NameKeys.none else { return preferred }
        let functions = shared.coverage.functions(besideSymbol: symbol)
        guard functions.count > 1, let name = shared.keys.text(key, collector.texts) else { return preferred }
        return functions.first {
            FunctionNames.isSame(shared.coverage.name(of: $0, in: shared.object).withoutSymbolVersion, as: name)
        }
    }
}

/// The keys of symbols' names, and after them those of stubs.
struct SymbolKeys: Sendable {
    private let first: UInt64
    private let firstStub: UInt64
    /// One past the last key.
    let end: UInt64

    init(_ coverage: SymbolCoverage) {
        first = coverage.symbols.map(\.position).min() ?? 0
        let last = coverage.symbols.map(\.position).max() ?? 0
        firstStub = SymbolIndexLayout.firstNameKey + (last - first) + 1
        end = firstStub + UInt64(coverage.stubs.count)
    }

    /// The key of a stub's name, by its index among the stubs.
    func key(ofStub index: Int) -> UInt32 { UInt32(truncatingIfNeeded: firstStub + UInt64(index)) }

    /// The index of the stub whose name has a key; `nil` for other keys.
    func stub(_ key: UInt32) -> Int? { (firstStub..<end).contains(UInt64(key)) ? Int(UInt64(key) - firstStub) : nil }

    func key(_ symbol: SymbolCoverage.Named) -> UInt32 {
        UInt32(truncatingIfNeeded: SymbolIndexLayout.firstNameKey + (symbol.position - first))
    }

    /// Position in the file of a symbol name's text; `nil` for other keys.
    func position(_ key: UInt32) -> UInt64? {
        (SymbolIndexLayout.firstNameKey..<firstStub).contains(UInt64(key)) ? UInt64(key) - SymbolIndexLayout.firstNameKey + first : nil
    }
}

extension [UInt64] {
    /// In an ascending array, the index of the last element that is not above `value`; -1 if all
    /// are.
    func lastIndex(notAbove value: UInt64) -> Int {
        let low = (0..<count).partitionPoint { self[$0] > value }
        return low - 1
    }
}
