internal import BinaryPrimitives
internal import ObjectFiles

/// Which files of a tree have which identity.
struct TreeIdentities: Sendable {
    private let paths: PackedPaths
    /// Twice the numbers of paths, and one more for a file without debug information, by identity: the sixteen bytes that Breakpad keeps
    /// of one, or fewer.
    private let files: HashTable

    /// Minimum number of files of a tree whose states are saved: fewer are read again in some
    /// milliseconds.
    private static let worthKeeping = 64
    /// Files that are read before their identities are noted.
    private static let chunk = 4096

    /// Reads the identities, several files at once, of those that were not seen before as they are
    /// now.
    init(_ paths: PackedPaths, seen: TreeCache?, open: SymbolFileOpener) {
        let known = seen?.known() ?? TreeCache.Known()
        // Trees that are quick to read are not worth a cache file.
        var writing = paths.count >= Self.worthKeeping ? seen?.writing() : nil
        var kept = 0
        var isChanged = false
        self.init(paths, known: known.file(at:)) { path, known in
            Self.readFile(at: path, known: known, open)
        } keep: { path, file, known in
            kept += 1
            isChanged = isChanged || file != known
            writing?.add(path, file)
        }
        if isChanged || kept != known.count { writing?.finish() }
    }

    /// - Parameters:
    ///   - known: state of a file at an earlier run.
    ///   - readFile: reads the images of a file, given its known state.
    ///   - keep: receives the current state of each file, and that at the earlier run.
    init(
        _ paths: PackedPaths, known: @Sendable (String) -> TreeCache.File?,
        readFile: @Sendable (String, TreeCache.File?) -> TreeCache.File?,
        keep: (_ path: String, _ file: TreeCache.File, _ known: TreeCache.File?) -> Void
    ) {
        self.paths = paths
        var entries: [(hash: UInt64, number: UInt32)] = []
        var next = paths.makeIterator()
        var number: UInt32 = 0
        while true {
            var chunk: [String] = []
            while chunk.count < Self.chunk, let path = next.next() { chunk.append(path) }
            if chunk.isEmpty { break }
            let found = Parallel.map(chunk) { path in
                let before = known(path)
                return (before, readFile(path, before))
            }
            for (path, (before, file)) in zip(chunk, found) {
                if let file {
                    // Two slices of a file have two identities; two members of one identity in one file come
                    // once.
                    for hash in Set(file.images.flatMap(Self.hashes)) {
                        let isDebug = file.images.contains { $0.hasDebugInformation && Self.hashes($0).contains(hash) }
                        if number < .max / 2 { entries.append((hash, number * 2 + (isDebug ? 0 : 1))) }
                    }
                    keep(path, file, before)
                }
                number += 1
            }
        }
        files = HashTable(entries)
    }

    private static func hash(_ id: ImageID) -> UInt64 { HashTable.hash(id.bytes.prefix(16)) }
    private static func hash(code: String) -> UInt64 { HashTable.hash(("code/" + code).utf8) }
    private static func hashes(_ image: TreeCache.Image) -> [UInt64] { [hash(image.id)] + (image.code.map { [hash(code: $0)] } ?? []) }

    static func readFile(at path: String, known: TreeCache.File?, _ open: SymbolFileOpener) -> TreeCache.File? {
        guard let stamp = FileStamp(path: path) else { return nil }
        if let known, known.stamp == stamp { return known }
        var file = TreeCache.File(stamp: stamp, images: [])
        guard SymbolFileMagic.begins(FileDescriptor.head(of: path, count: 4)), let objects = try? open(path) else { return file }
        file.images = objects.compactMap { object in
            object.identity.map { id in
                TreeCache.Image(id: id, hasDebugInformation: object.hasDebugInformation, code: object.codeIdentifier)
            }
        }
        return file
    }

    /// The files that an identity of a log means (`ImageID.matches`), those with debug information first. A file of another build ID with
    /// the same first sixteen bytes may be among them: whoever opens it sees that.
    func paths(of id: ImageID) -> [String] { paths(Self.hash(id)) }

    /// The files of a Windows image by its timestamp and size.
    func paths(ofCode code: String) -> [String] { paths(Self.hash(code: code)) }

    private func paths(_ hash: UInt64) -> [String] {
        let numbers = files.numbers(of: hash)
        return (numbers.filter { $0 % 2 == 0 } + numbers.filter { $0 % 2 == 1 }).map { paths[Int($0 / 2)] }
    }
}
