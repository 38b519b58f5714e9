package import ObjectFiles

/// Rules for when an index is used, and when one is made automatically.
///
/// - A stored index is used for every lookup in its object file: it gives the same results,
///   and faster (`IndexCache`).
/// - One is made within a run when that pays: the run is a **batch**, and the file is **large**.
///   Making libjvm's takes as long as resolving some ten thousand addresses from the file itself,
///   so a run over one log never gains from it, and never waits for one. A batch is a run over many
///   logs (`batchLogs`), or one that is fed more addresses than `batchAddresses`.
/// - One is made for a **large** file that is seen often: at its fourth run within thirty days (`frequentRuns`). Until then
///   runs have taken together about as long as making it does, and each later one takes milliseconds.
/// - One is made within a run, and not kept, when compressed debug information is searched again
///   and again (`IndexingSource`). A log of many short reports does so.
/// - Otherwise indexes are made by `cairn index` alone.
/// - With `--no-index` no index is used or made. No result needs one.
package enum IndexRule {
    /// The run within `frequentDays` at which a large file gets an index.
    static let frequentRuns = 4
    static let frequentDays: Int64 = 30
    /// Number of logs from which a run is a batch.
    package static let batchLogs = 16
    /// Number of addresses of one image from which an index in a temporary file (`IndexWriter.make`) costs less
    /// than the lookups.
    package static let batchAddresses = 50_000
    /// Number of the lookup from which an index is used for a file with compressed debug information. Making it
    /// costs about as much as inflating for this many lookups (glibc: 0.6 s, and 20 ms).
    static let manyLookups = 32
    /// Size of the inflated `.debug_info`, in bytes, from which a file is large; for compressed ones the limit
    /// is lower, because inflating is most of a lookup.
    static let largeInformation: UInt64 = 64 << 20
    static let largeCompressedInformation: UInt64 = 8 << 20

    /// Whether an index of the file pays in a batch.
    package static func isLarge(_ object: ObjectFile) -> Bool {
        guard let section = information(of: object) else { return false }
        return section.size >= (section.compression == nil ? largeInformation : largeCompressedInformation)
    }

    /// Whether the file's debug information is inflated for each lookup.
    static func isCompressed(_ object: ObjectFile) -> Bool { information(of: object)?.compression != nil }

    private static func information(of object: ObjectFile) -> Section? {
        object.section(named: ".debug_info") ?? object.section(named: "__debug_info")
    }
}

/// Decides which indexes a run uses and makes.
package struct IndexPolicy: Sendable {
    /// When a large file without an index gets one, which is made once for all processes of the machine.
    package enum Making: Sendable {
        case never
        /// In the fourth run within thirty days.
        case frequentFiles
        /// In this run, which is a batch.
        case allFiles
    }

    package var cache: IndexCache
    package var making: Making
    /// Whether an index of a file pays.
    private let isLarge: @Sendable (ObjectFile) -> Bool
    /// Gets the file's path and the number of its run before an index is made of a frequent file.
    private let note: @Sendable (_ path: String, _ run: Int) -> Void

    package init(
        cache: IndexCache, making: Making = .never, isLarge: @escaping @Sendable (ObjectFile) -> Bool = IndexRule.isLarge,
        note: @escaping @Sendable (_ path: String, _ run: Int) -> Void = { _, _ in }
    ) {
        self.cache = cache
        self.making = making
        self.isLarge = isLarge
        self.note = note
    }

    /// The index that is used for a file in this run; `nil` if the file itself is.
    package func index(for object: ObjectFile) -> SymbolIndex? {
        if let kept = cache.index(for: object) { return kept }
        guard making != .never, isLarge(object) else { return nil }
        if making == .frequentFiles {
            guard let run = cache.countRun(of: object), run >= IndexRule.frequentRuns else { return nil }
            note(object.path, run)
        }
        return try? cache.loadOrMakeIndex(object)
    }
}

extension ObjectSource {
    /// Opens a source over the files of one image: from an index of the first file, if there is one and the
    /// other files do not change its results.
    /// - Parameters:
    ///   - objects: object files, those with debug information first.
    ///   - indexes: rules for indexes; `nil`: no index is used.
    package static func open(_ objects: [ObjectFile], _ indexes: IndexPolicy?) -> any SymbolSource {
        guard let indexes, let first = objects.first, objects.count == 1 || first.description.isCompleteAlone else {
            return ObjectSource(objects)
        }
        if first.description.isInSharedCache { return ObjectSource(objects.map { indexes.withSymbolList($0) }) }
        if let index = indexes.index(for: first) { return IndexSource(index, objects) }
        return IndexRule.isCompressed(first) ? IndexingSource(objects) : ObjectSource(objects)
    }
}
