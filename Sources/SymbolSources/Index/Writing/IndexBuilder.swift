internal import BinaryPrimitives
internal import DWARF
internal import Dispatch
internal import ObjectFiles
internal import Synchronization

/// Makes the index of an object file: unit by unit, on all cores. The same file gives the same
/// bytes, however many cores work on it.
///
/// Memory is that of the tables of names and places, and of the largest unit of each core: the
/// blocks wait in a temporary file.
struct IndexBuilder {
    private let object: ObjectFile
    private let threads: Int

    /// - Parameter threads: how many tasks read units; `nil` for as many as there are cores.
    init(_ object: ObjectFile, threads: Int? = nil) {
        self.object = object
        self.threads = max(1, threads ?? Parallel.processors)
    }

    /// - Throws: `IndexRefusal` if the index could not resolve every address as the file itself
    ///   does.
    func build() throws(IndexRefusal) -> IndexContents {
        guard let reader = DWARFReader(object) else { throw IndexRefusal("it has no debug information") }
        try check()
        let (coverage, ownership) = try survey(reader)
        object.file.releasePages()
        Allocation.returnFreeMemory()
        let symbolKeys = SymbolKeys(coverage)
        let keys: NameKeys
        do throws(DWARFError) { keys = try NameKeys(reader.sections, first: symbolKeys.end) } catch {
            throw IndexRefusal(error.description)
        }
        guard keys.end < UInt64(SymbolIndexLayout.entryFlag) else { throw IndexRefusal("its names take more than 2 GB") }
        let units = Self.units(ownership)
        let shared = UnitBlocks.Shared(
            object: object, coverage: coverage, symbolKeys: symbolKeys, keys: keys,
            unitWidth: BitFieldWriter.width(of: UInt64(max(1, units.count) - 1)),
            base: object.baseAddress.value)
        let made = try makeBlocks(reader, shared, units)
        Allocation.returnFreeMemory()
        return try IndexContents(object: object, shared: shared, blocks: made)
    }

    /// What an index does not hold.
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
        guard !hasStubs, (try? object.exports())?.isEmpty ?? false else {
            throw IndexRefusal("the dynamic linker's tables name functions in it")
        }
        guard (object.identity?.bytes.count ?? 0) <= SymbolIndexLayout.identitySize else { throw IndexRefusal("its build ID is too long") }
    }

    /// What the symbols name, and which unit resolves which address: two questions for two
    /// cores.
    private func survey(_ reader: DWARFReader) throws(IndexRefusal) -> (SymbolCoverage, UnitOwnership) {
        let coverage = Mutex<Result<SymbolCoverage, ObjectFileError>?>(nil)
        let ownership = Mutex<Result<UnitOwnership, DWARFError>?>(nil)
        let object = object
        Self.perform(min(2, threads), of: 2) { task in
            if task == 0 {
                let result = Result { () throws(DWARFError) in try UnitOwnership(reader) }
                ownership.withLock { $0 = result }
            } else {
                let result = Result { () throws(ObjectFileError) in try SymbolCoverage(object) }
                coverage.withLock { $0 = result }
            }
        }
        guard let first = coverage.withLock({ $0 }), let second = ownership.withLock({ $0 }) else { throw IndexRefusal("nothing was read") }
        switch (first, second) {
        case (.success(let coverage), .success(let ownership)): return (coverage, ownership)
        case (.failure(let error), _): throw IndexRefusal(error.description)
        case (_, .failure(let error)): throw IndexRefusal(error.description)
        }
    }

    /// A unit that resolves addresses.
    struct WantedUnit: Sendable {
        /// Its header's, in `.debug_info`.
        var offset: Int
        /// Ascending, none over another.
        var ranges: [Range<UInt64>]
    }

    /// Ascending by their offsets.
    private static func units(_ ownership: UnitOwnership) -> [WantedUnit] {
        var ranges = [[Range<UInt64>]](repeating: [], count: ownership.units.count)
        for piece in ownership.pieces { ranges[piece.owner].append(piece.start..<piece.end) }
        return zip(ownership.units, ranges).compactMap { $1.isEmpty ? nil : WantedUnit(offset: $0, ranges: $1) }
    }

    /// What was made of one unit.
    struct MadeUnit: Sendable {
        /// Where its blocks begin in its task's file; after them, for each, its start and its size,
        /// 12 bytes.
        var position: Int
        var blocksSize: Int
        var blockCount: Int
        /// Its files: of the paths that the task found.
        var files: [Int32]
        var task: Int
    }

    /// What was made of all units.
    struct MadeBlocks: Sendable {
        var units: [MadeUnit?]
        /// By task.
        var paths: [[String]]
        /// In no order, some several times.
        var keys: [UInt32]
        /// By task: the blocks.
        var files: [MappedFile]
        /// Bytes of all blocks.
        var blocksSize: Int
    }

    private func makeBlocks(_ reader: DWARFReader, _ shared: UnitBlocks.Shared, _ units: [WantedUnit]) throws(IndexRefusal) -> MadeBlocks {
        struct State {
            var units: [MadeUnit?]
            var paths: [[String]]
            var files: [MappedFile?]
            var keys: [UInt32] = []
            var blocksSize = 0
            var refusal: (unit: Int, reason: String)?
        }
        let tasks = max(1, min(threads, units.count))
        let state = Mutex(
            State(
                units: [MadeUnit?](repeating: nil, count: units.count), paths: [[String]](repeating: [], count: tasks),
                files: [MappedFile?](repeating: nil, count: tasks)))
        let next = Atomic(0)
        Self.perform(tasks, of: tasks) { task in
            do throws(DWARFError) {
                var blocks = try UnitBlocks(reader, shared)
                // Each task has a file of its own: none waits until another has written.
                var spool = UnlinkedFile()
                while true {
                    let number = next.add(1, ordering: .relaxed).oldValue
                    guard number < units.count else { break }
                    do {
                        try blocks.make(unitAt: units[number].offset, number: number, wanted: units[number].ranges)
                        let bytes = blocks.bytes
                        let unit = MadeUnit(
                            position: spool.count, blocksSize: bytes.count, blockCount: blocks.starts.count, files: blocks.files, task: task
                        )
                        try spool.append(bytes)
                        try spool.append(blocks.places)
                        state.withLock { state in
                            state.blocksSize += unit.blocksSize
                            state.units[number] = unit
                        }
                    } catch {
                        // The first unit's, so that every run reports the same.
                        state.withLock { state in
                            if state.refusal.map({ number < $0.unit }) ?? true { state.refusal = (number, "\(error)") }
                        }
                        next.store(units.count, ordering: .relaxed)
                    }
                }
                let file: MappedFile?
                var problem: String?
                do throws(FileError) { file = try spool.finish(path: "blocks") } catch { (file, problem) = (nil, error.problem) }
                state.withLock { state in
                    state.paths[task] = blocks.paths
                    state.keys += blocks.usedKeys.keys
                    state.files[task] = file
                    if let problem, state.refusal == nil { state.refusal = (units.count, "its blocks cannot be stored: \(problem)") }
                }
            } catch {
                state.withLock { $0.refusal = $0.refusal ?? (0, error.description) }
            }
        }
        return try state.withLock { state throws(IndexRefusal) in
            if let refusal = state.refusal { throw IndexRefusal(refusal.reason) }
            let files = state.files.compactMap { $0 }
            guard files.count == tasks else { throw IndexRefusal("its blocks cannot be stored") }
            return MadeBlocks(units: state.units, paths: state.paths, keys: state.keys, files: files, blocksSize: state.blocksSize)
        }
    }

    /// Calls `body` with the numbers below `count`, on some threads.
    private static func perform(_ threads: Int, of count: Int, _ body: @Sendable (Int) -> Void) {
        if threads > 1 { DispatchQueue.concurrentPerform(iterations: count, execute: body) } else { for task in 0..<count { body(task) } }
    }
}
