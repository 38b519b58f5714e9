internal import BinaryPrimitives
internal import ObjectFiles

/// Members of an archive that may hold symbols, those of archives in it included, and their cached
/// states.
struct ArchiveListing: Sendable {
    /// Members by their paths, `ARCHIVE!/MEMBER`.
    private(set) var paths: [String] = []
    /// Problems of reading the archive: one sentence each.
    private(set) var problems: [String] = []
    /// Members as they were when the archive, unchanged since, was last read.
    private(set) var seen: [String: TreeCache.File] = [:]
    private let archive: String
    private let stamp: FileStamp?
    private let store: TreeCache?
    private let isWorthKeeping: Bool

    /// - Parameter cache: folder of the cached listings.
    init(_ archive: String, cache: String?) {
        self.archive = archive
        stamp = FileStamp(path: archive)
        store = cache.flatMap { TreeCache(root: archive, folder: $0) }
        let known = store?.read() ?? [:]
        if let stamp, known[archive]?.stamp == stamp {
            // The cached listing has all members of the archive: a compressed tar archive need not
            // be unpacked again to list them.
            seen = known.filter { $0.key != archive && $0.value.stamp == stamp }
            paths = seen.keys.sorted()
            isWorthKeeping = false
            return
        }
        var isPacked = false
        var list: [(path: String, isOuter: Bool)] = [(archive, true)]
        while let (path, isOuter) = list.popLast() {
            do throws(ObjectFileError) {
                guard let opened = try OpenArchives.shared.archive(at: path) else { continue }
                isPacked = isPacked || ![.zip, .tar].contains(opened.format) || opened.members.contains(where: \.isPacked)
                for member in opened.members {
                    let inner = path + MemberPath.separator + member.name
                    // An app's split APKs (.apks, .xapk), and the ZIP files that CI makes of ZIP
                    // files.
                    if MemberName.isArchive(member.name) {
                        if isOuter { list.append((inner, false)) }
                    } else {
                        paths.append(inner)
                    }
                }
            } catch {
                problems.append(error.description)
            }
        }
        // Archives that are quick to read are not worth a cache file.
        isWorthKeeping = isPacked && problems.isEmpty
    }

    /// The identities of the objects in a member: the first bytes of a packed Mach-O file give
    /// them.
    func readFile(at path: String, known: TreeCache.File?, _ open: SymbolFileOpener) -> TreeCache.File? {
        if let known { return known }
        guard let stamp else { return nil }
        var file = TreeCache.File(stamp: stamp, images: [])
        guard let head = try? OpenArchives.shared.head(at: path, count: 32), SymbolFileMagic.begins(head) else { return file }
        let objects: [any SymbolFile]
        do throws(ObjectFileError) {
            if let count = SymbolFileMagic.lengthOfMachOHeader(head),
                let beginning = try OpenArchives.shared.beginning(at: path, count: count)
            {
                objects = try ObjectFiles.openAll(beginning)
            } else {
                objects = try open(path)
            }
        } catch { return file }
        file.images = objects.compactMap { object in
            object.identity.map { id in
                TreeCache.Image(id: id, hasDebugInformation: object.hasDebugInformation, code: object.codeIdentifier)
            }
        }
        return file
    }

    /// The members that are stored as they are from that byte of the archive on.
    func paths(beginningAt start: UInt64) -> [String] {
        guard let opened = (try? OpenArchives.shared.archive(at: archive)) ?? nil else { return [] }
        return opened.members.indices.filter { opened.start(of: $0).map { UInt64($0) == start } ?? false }
            .map { archive + MemberPath.separator + opened.members[$0].name }
    }

    /// Saves the members' states for the next run.
    func keep(_ files: [String: TreeCache.File]) {
        guard isWorthKeeping, let stamp else { return }
        var files = files
        // Its own line says that the others are all its members.
        files[archive] = TreeCache.File(stamp: stamp, images: [])
        store?.write(files, order: [archive] + paths)
    }
}
