internal import BinaryPrimitives
internal import ObjectFiles

/// Which files of a tree have which identity.
struct TreeIdentities: Sendable {
    /// Files by identity, those with debug information first.
    private var files: [ImageID: [String]] = [:]
    /// Identities of more than sixteen bytes by those that Breakpad keeps of them.
    private var beginnings: [[UInt8]: Set<ImageID>] = [:]

    /// Minimum number of files of a tree whose states are saved: fewer are read again in some
    /// milliseconds.
    private static let worthKeeping = 64

    /// Reads the identities, several files at once, of those that were not seen before as they are
    /// now.
    init(_ paths: [String], seen: TreeCache?, open: SymbolFileOpener) {
        self.init(paths, known: seen?.read() ?? [:]) { path, known in
            Self.readFile(at: path, known: known, open)
        } keep: { files in
            // Trees that are quick to read are not worth a cache file.
            if paths.count >= Self.worthKeeping { seen?.write(files, order: paths) }
        }
    }

    /// - Parameters:
    ///   - known: state of the files at an earlier run.
    ///   - readFile: reads the images of a file, given its known state.
    ///   - keep: receives the current state of the files, if it differs from `known`.
    init(
        _ paths: [String], known: [String: TreeCache.File], readFile: @Sendable (String, TreeCache.File?) -> TreeCache.File?,
        keep: ([String: TreeCache.File]) -> Void
    ) {
        let found = Parallel.map(paths) { path in readFile(path, known[path]) }
        for isDebug in [true, false] {
            for (path, file) in zip(paths, found) {
                for image in file?.images ?? [] where image.hasDebugInformation == isDebug { add(path, image.id) }
            }
        }
        var now: [String: TreeCache.File] = [:]
        for (path, file) in zip(paths, found) { now[path] = file }
        if now != known { keep(now) }
    }

    private mutating func add(_ path: String, _ id: ImageID) {
        // Two slices of a file have two identities; two members of one identity in one file come
        // once.
        if files[id]?.contains(path) != true { files[id, default: []].append(path) }
        if id.bytes.count > 16 { beginnings[Array(id.bytes.prefix(16)), default: []].insert(id) }
    }

    private static func readFile(at path: String, known: TreeCache.File?, _ open: SymbolFileOpener) -> TreeCache.File? {
        guard let stamp = FileStamp(path: path) else { return nil }
        if let known, known.stamp == stamp { return known }
        var file = TreeCache.File(stamp: stamp, images: [])
        guard SymbolFileMagic.begins(FileDescriptor.head(of: path, count: 4)), let objects = try? open(path) else { return file }
        file.images = objects.compactMap { object in
            object.identity.map { TreeCache.Image(id: $0, hasDebugInformation: object.hasDebugInformation) }
        }
        return file
    }

    /// The files that an identity of a log means (`ImageID.matches`).
    func paths(of id: ImageID) -> [String] {
        let longer = id.bytes.count == 16 ? (beginnings[id.bytes] ?? []).sorted { $0.hexadecimal < $1.hexadecimal } : []
        let shorter = id.bytes.count > 16 ? ImageID(bytes: Array(id.bytes.prefix(16))).map { [$0] } ?? [] : []
        return ([id] + longer + shorter).flatMap { files[$0] ?? [] }
    }
}
