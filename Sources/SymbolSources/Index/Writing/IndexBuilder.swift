internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles
internal import Synchronization

/// Makes the index of an object file: unit by unit, on all cores. The same file gives the same
/// bytes, however many cores work on it.
///
/// The memory used is the size of the tables of names and locations, and of the largest unit of each core: the
/// blocks are stored in a temporary file.
struct IndexBuilder {
    private let object: ObjectFile
    private let threads: Int

    /// - Parameter threads: how many read units; `nil` for as many as there are cores.
    init(_ object: ObjectFile, threads: Int? = nil) {
        self.object = object
        self.threads = max(1, threads ?? Parallel.processors)
    }

    /// - Throws: `IndexRefusal` if the index could not resolve every address as the file itself
    ///   does.
    func build() throws(IndexRefusal) -> IndexContents {
        guard let reader = DWARFReader(object, readsAll: true) else { throw IndexRefusal("it has no debug information") }
        return try build(reader, OwnedUnits(reader))
    }

    func build(_ reader: DWARFReader, _ first: OwnedUnits) throws(IndexRefusal) -> IndexContents {
        try check()
        let object = object
        let functions = SymbolCoverage.functionRanges(of: object)
        let shared = LazyValue { Result { () throws(IndexRefusal) in try Self.shared(object, reader, functions) } }
        var units = first
        var made = makeBlocks(reader, shared, units, functions)
        let contents = try shared.get().get()
        if let failure = units.failure { throw IndexRefusal(failure.description) }
        if !units.areConsistent || Self.unitWidth(units.count) != Self.unitWidth(units.expectedCount) {
            made = MadeBlocks()
            units = units.corrected()
            made = makeBlocks(reader, shared, units, functions)
        }
        if let refusal = made.refusal { throw refusal.reason }
        let symbols = PlacedSymbols(object, contents.coverage, contents.symbolKeys, made.parts)
        return IndexContents(object: object, symbols: symbols, keys: contents.keys, made: made, unitWidth: Self.unitWidth(units.count))
    }

    /// Reads the addresses that symbols name, and the keys of all names.
    private static func shared(
        _ object: ObjectFile, _ reader: DWARFReader, _ functions: LazyValue<[Range<LinkAddress>]>
    ) throws(IndexRefusal) -> UnitBlocks.Shared {
        let coverage: SymbolCoverage
        do throws(ObjectFileError) { coverage = try SymbolCoverage(object, functions) } catch { throw IndexRefusal(error.description) }
        object.file.releasePages()
        Allocation.returnFreeMemory()
        let symbolKeys = SymbolKeys(coverage)
        let keys: NameKeys
        do throws(DWARFError) { keys = try NameKeys(reader.sections, first: symbolKeys.end) } catch {
            throw IndexRefusal(error.description)
        }
        guard keys.end < UInt64(SymbolIndexLayout.entryFlag) else { throw IndexRefusal("its names take more than 2 GB") }
        return UnitBlocks.Shared(
            object: object, coverage: coverage, symbolKeys: symbolKeys, keys: keys, base: object.baseAddress.value)
    }

    /// Width of a unit's number in a block, in bits.
    static func unitWidth(_ count: Int) -> Int { BitFieldWriter.width(of: UInt64(max(1, count) - 1)) }

    /// Rejects objects whose results an index cannot hold.
    private func check() throws(IndexRefusal) {
        let description = object.description
        guard !description.sectionsArePlaced, description.kind != .relocatable else {
            throw IndexRefusal("it is relocatable: offsets count from its sections")
        }
        guard !description.segments.isEmpty else { throw IndexRefusal("it has no list of its mapped segments") }
        guard description.segments.count <= object.limits.mappedSegments else {
            throw IndexRefusal("it maps \(description.segments.count) segments, expected at most \(object.limits.mappedSegments)")
        }
        guard GoLineSource(object) == nil else { throw IndexRefusal("it is a Go program, which carries a line table of its own") }
        let packed: ObjectFile?
        do throws(ObjectFileError) { packed = object.hasFullSymbolTable ? nil : try object.miniDebugInformation() } catch {
            throw IndexRefusal(error.description)
        }
        guard packed == nil else { throw IndexRefusal("further symbols are packed in it") }
        let hasStubs = description.sections.contains { $0.name == "__stubs" && !$0.fileRange.isEmpty }
        guard !hasStubs, !object.namesMethods, (try? object.exports())?.isEmpty ?? false else {
            throw IndexRefusal("the dynamic linker's tables, or Objective-C's, name functions in it")
        }
        guard (object.identity?.bytes.count ?? 0) <= SymbolIndexLayout.identitySize else { throw IndexRefusal("its build ID is too long") }
    }

    /// - Parameter units: one thread goes over them, and all make blocks.
    private func makeBlocks(
        _ reader: DWARFReader, _ shared: LazyValue<Result<UnitBlocks.Shared, IndexRefusal>>, _ units: OwnedUnits,
        _ functions: LazyValue<[Range<LinkAddress>]>
    ) -> MadeBlocks {
        let made = Mutex(MadeBlocks())
        Parallel.run(onThreads: threads) {
            let task = made.withLock { $0.addTask() }
            let maker = BlockMaker(reader, shared, units, task: task)
            func make(_ unit: OwnedUnit) {
                let result = maker.make(unit)
                if case .failure = result { units.stop() }
                made.withLock { $0.add(result, of: unit.number) }
                units.recycle(unit)
            }
            if task == 0 {
                units.forEachUnit(make)
                // The others wait for the symbols, which are read by one.
                if !units.isStreamed { _ = functions.get() }
            } else {
                _ = shared.get()
            }
            while let unit = units.next() { make(unit) }
            let part = maker.finish()
            made.withLock { $0.add(part, ofTask: task) }
        }
        return made.withLock { $0 }
    }
}
