internal import BinaryPrimitives
internal import DWARF

/// Makes the blocks of units, for one thread. The blocks are stored in a file of the thread's own, so that no
/// thread waits until another has written.
final class BlockMaker {
    private let reader: DWARFReader
    private let shared: LazyValue<Result<UnitBlocks.Shared, IndexRefusal>>
    private let units: OwnedUnits
    private let task: Int
    private var blocks: UnitBlocks?
    private var spool: UnlinkedFile? = UnlinkedFile()

    init(_ reader: DWARFReader, _ shared: LazyValue<Result<UnitBlocks.Shared, IndexRefusal>>, _ units: OwnedUnits, task: Int) {
        self.reader = reader
        self.shared = shared
        self.units = units
        self.task = task
    }

    func make(_ unit: OwnedUnit) -> Result<MadeBlocks.Unit, IndexRefusal> {
        do {
            if blocks == nil { blocks = try UnitBlocks(reader, shared.get().get(), unitWidth: IndexBuilder.unitWidth(units.expectedCount)) }
            try blocks?.make(unit)
            guard let blocks else { return .failure(IndexRefusal("nothing was read")) }
            let bytes = blocks.bytes
            let made = MadeBlocks.Unit(
                position: spool?.count ?? 0, blocksSize: bytes.count, blockCount: blocks.starts.count, files: blocks.files, task: task)
            try spool?.append(bytes)
            try spool?.append(blocks.blockRecords)
            return .success(made)
        } catch {
            return .failure(IndexRefusal("\(error)"))
        }
    }

    /// Returns the blocks and tables of this task after all units are made.
    func finish() -> Result<MadeBlocks.Part, IndexRefusal> {
        do throws(FileError) {
            let file = try spool.take()?.finish(path: "blocks")
            return .success(
                MadeBlocks.Part(
                    paths: blocks?.paths ?? [], texts: blocks?.texts, keys: blocks?.usedKeys.keys ?? [],
                    calls: blocks?.calls, file: file))
        } catch {
            return .failure(IndexRefusal("its blocks cannot be stored: \(error.problem)"))
        }
    }
}

/// The blocks that were made of all units.
struct MadeBlocks: Sendable {
    /// The blocks that were made of one unit.
    struct Unit: Sendable {
        /// Offset of its blocks in its task's file; after them follow, for each block, its start and its size,
        /// 12 bytes.
        var position: Int
        var blocksSize: Int
        var blockCount: Int
        /// Its files, as indices into the paths that the task found.
        var files: [Int32]
        var task: Int
    }

    /// The result of one task.
    struct Part: Sendable {
        var paths: [String] = []
        var texts: EntryTexts?
        /// Not sorted.
        var keys: [UInt32] = []
        var calls: CallSiteRecords?
        /// The blocks.
        var file: MappedFile?
    }

    /// By their numbers.
    private(set) var units: [Unit?] = []
    /// By task.
    private(set) var parts: [Part] = []
    /// Bytes of all blocks.
    private(set) var blocksSize = 0
    /// Refusal of the first unit that could not be made, so that every run reports the same.
    private(set) var refusal: (unit: Int, reason: IndexRefusal)?

    /// - Returns: the number of the new task.
    mutating func addTask() -> Int {
        parts.append(Part())
        return parts.count - 1
    }

    mutating func add(_ result: Result<Unit, IndexRefusal>, of number: Int) {
        switch result {
        case .failure(let reason): refuse(reason, of: number)
        case .success(let unit):
            if number >= units.count { units += [Unit?](repeating: nil, count: number + 1 - units.count) }
            units[number] = unit
            blocksSize += unit.blocksSize
        }
    }

    mutating func add(_ result: Result<Part, IndexRefusal>, ofTask task: Int) {
        switch result {
        case .failure(let reason): refuse(reason, of: .max)
        case .success(let part): parts[task] = part
        }
    }

    private mutating func refuse(_ reason: IndexRefusal, of number: Int) {
        if refusal.map({ number < $0.unit }) ?? true { refusal = (number, reason) }
    }
}
