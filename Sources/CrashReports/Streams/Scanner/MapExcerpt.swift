internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// Rows of `/proc/PID/maps` in a log before, in or after a trace whose format does not cover them:
/// a program's own signal handler copies that file into its log, and so do Ruby's interpreter,
/// libSegFault and people who report bugs.
struct MapExcerpt: Sendable {
    private(set) var rows: [MemoryMapRow] = []
    /// After the last row, in bytes of the log.
    private(set) var end = 0

    private static let limit = Limits.standard.images

    /// Adds the next row. The kernel writes mappings in ascending order and they never overlap
    /// (proc(5)), so a row that begins before the end of the last one belongs to another map, and
    /// the earlier rows are removed.
    mutating func add(_ row: MemoryMapRow, endingAt position: Int) {
        end = position
        if let last = rows.last, row.start < last.end { rows = [] }
        guard rows.count < MapExcerpt.limit else { return }
        rows.append(row)
    }

    /// The mapping that an address is in.
    func row(containing address: RuntimeAddress) -> MemoryMapRow? {
        let low = rows.partitionPoint { $0.start > address }
        guard low > 0, address < rows[low - 1].end else { return nil }
        return rows[low - 1]
    }

    /// The images of which the map shows the first byte: each is where that is mapped. One whose
    /// first mapping is not among the rows has no base that follows from the others: its code need
    /// not lie in memory as it is in the file (LLVM's linker puts a page between segments). That
    /// is so for all images where somebody has picked out the mappings of code, even those at file
    /// offset 0: in a small file of that linker the first page holds code, too, and is mapped once
    /// more for it.
    var images: MemoryMap {
        var map = MemoryMap()
        guard rows.contains(where: { !$0.permissions.contains("x") }) else { return map }
        var whole: Set<String> = []
        for row in rows where row.fileOffset == 0 || whole.contains(row.path) {
            whole.insert(row.path)
            map.add(row)
        }
        return map
    }

    /// Whether a line announces a map: `Memory map:`, `======= Memory map: ========`,
    /// `* Process memory map:`, `/proc/self/maps:`.
    static func isHeading(_ line: Span<UInt8>) -> Bool {
        let text = line.trimmed()
        guard text.count < 80, text.contains("map") || text.contains("Map") || text.contains("MAP") else { return false }
        return text.contains("/maps") || [":", "=", "-", "*"].contains { text.hasSuffix($0) }
    }
}

/// The maps that a log has shown so far and that belong to no trace, the last of each writer.
struct MapExcerpts: Sendable {
    /// Maps of the 64 writers that wrote last; real logs have fewer at once.
    private var excerpts = RecentValues<LineOrigin, MapExcerpt>(count: 64)

    mutating func add(_ row: MemoryMapRow, of origin: LineOrigin, endingAt position: Int) {
        // Removed during the change, so that the array of rows has one owner and is not copied.
        var excerpt = excerpts.remove(origin) ?? MapExcerpt()
        excerpt.add(row, endingAt: position)
        excerpts.insert(excerpt, for: origin)
    }

    /// The last map that the writer of a trace wrote before it, if it is not too far away to belong
    /// to it.
    mutating func excerpt(for origin: LineOrigin, before position: Int, within distance: Int) -> MapExcerpt? {
        guard excerpts.count > 0, let found = excerpts.value(for: origin), found.end <= position, position - found.end <= distance else {
            return nil
        }
        return found
    }
}
