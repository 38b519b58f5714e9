internal import BinaryPrimitives
internal import CrashLogModel

/// The mappings of one process, and what the addresses in its stacks mean.
///
/// perf has printed two things in the address column of a stack: up to Linux 6.3 where the
/// instruction is in its file (`map__map_ip`: the address less the mapping's start, and the
/// mapping's file offset), since 6.4 the address itself ("perf script: Add new output field
/// 'dsoff'", 2023). The output does not say which. One run prints one kind, so any row of it can
/// show it.
struct PerfMaps {
    enum AddressKind {
        case runtimeAddress
        case fileOffset
        /// It follows neither from the mappings nor from the addresses themselves.
        case unknown
    }

    private var mappings: [MemoryMapRow] = []
    private var map = MemoryMap()
    private var ids: [String: ImageID] = [:]
    /// The files whose first mapping is known: perf records those of code alone unless an option
    /// says otherwise (`--data`, or stacks by DWARF).
    private var whole: Set<String> = []

    mutating func add(_ mapping: PerfMapping) {
        guard mappings.count < Limits.standard.images, mapping.row.path.hasPrefix("/"), !mapping.row.path.hasPrefix("//") else { return }
        mappings.append(mapping.row)
        if mapping.row.fileOffset == 0, !mapping.row.permissions.contains("x") { whole.insert(mapping.row.path) }
        if let id = mapping.id { ids[mapping.row.path] = id }
    }

    /// The images in the order of their first mappings. One whose first mapping is not among them
    /// has no base: code need not lie in memory as it is in the file (LLVM's linker puts a page
    /// between its segments), so its base does not follow from a mapping of code.
    func images() -> [BinaryImage] {
        var map = MemoryMap()
        for mapping in mappings where whole.contains(mapping.path) { map.add(mapping) }
        var images = map.all
        var known = whole
        for mapping in mappings where known.insert(mapping.path).inserted {
            images.append(BinaryImage(name: Path.foreignName(of: mapping.path), path: mapping.path))
        }
        for index in images.indices { images[index].id = images[index].path.flatMap { ids[$0] } }
        return images
    }

    func hasWhole(_ path: String) -> Bool { whole.contains(path) }

    /// The mapping of a file that an address is in.
    func mapping(of path: String, at address: UInt64) -> MemoryMapRow? {
        mappings.last { $0.path == path && $0.start.value <= address && address < $0.end.value }
    }

    /// The mapping of code that a position in a file is in.
    func mapping(of path: String, atFileOffset offset: UInt64) -> MemoryMapRow? {
        mappings.last { row in
            row.path == path && row.permissions.contains("x") && row.fileOffset <= offset
                && offset - row.fileOffset < row.end.value - row.start.value
        }
    }

    /// What the addresses of these rows mean.
    func meaning(of rows: some Sequence<PerfRow>) -> AddressKind {
        var isOffset = false
        for row in rows where row.isOfFile && !row.isKernel {
            guard let path = row.object else { continue }
            // `+dsoff` came with the change. No file's code is a gigabyte after its beginning;
            // programs and libraries in memory are, but for those that are not
            // position-independent.
            if row.fileOffset != nil || row.address >= 1 << 30 || mapping(of: path, at: row.address) != nil { return .runtimeAddress }
            // A library is never loaded so low.
            if mapping(of: path, atFileOffset: row.address) != nil || path.hasSuffix(".so") || path.contains(".so.") { isOffset = true }
        }
        return isOffset ? .fileOffset : .unknown
    }
}
