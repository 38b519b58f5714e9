internal import BinaryPrimitives
internal import ObjectFiles
internal import Synchronization

/// The names below a folder.
struct TreeNames: Sendable {
    /// Limits of a walk.
    struct TreeLimits: Sendable {
        /// Files and folders looked at. An Xcode derived-data folder of a large project has about
        /// 100,000.
        var entries = 2_000_000
        /// Folders inside folders.
        var depth = 64
    }

    /// Every file that could hold symbols, in the order of the walk.
    private(set) var paths = PackedPaths()
    /// Numbers of the paths by the keys of their names.
    private var byName = HashTable()
    /// Archives by their endings, in the order of the walk. They are not among the files above.
    private(set) var archives: [String] = []
    /// Main files of shared caches, in the order of the walk. They and the files beside them are not among the files above either.
    private(set) var sharedCaches: [String] = []
    /// The walk stopped before its end.
    private(set) var isCut = false

    /// - Parameter keepsMaps: property lists called by a UUID count too: they lead from a dSYM to
    ///   the names of an app that was uploaded without them.
    init(root: String, limits: TreeLimits, keepsMaps: Bool = false) {
        SymbolFileFigures.walks.add(1, ordering: .relaxed)
        var left = limits.entries
        var names: [(hash: UInt64, number: UInt32)] = []
        // Folders still to read. Links to folders are not followed, so the walk ends.
        var folders: [(path: String, depth: Int)] = [(root, 0)]
        while let (folder, depth) = folders.popLast(), left > 0 {
            let entries = Directory.entries(in: folder, limit: left)
            left -= entries.count
            var inner: [(String, Int)] = []
            // A file that is being written may be half of one.
            for entry in entries where !FileReplacement.isUnfinished(entry.name) {
                let path = Path.join(folder, entry.name)
                // A link may lead to a file (`libfoo.so` to `libfoo.so.1`), but not to a folder.
                let kind = entry.kind ?? (PathKind(path: path) == .file ? .file : nil)
                if kind == .directory {
                    if depth < limits.depth { inner.append((path, depth + 1)) } else { isCut = true }
                } else if kind == .file, MemberName.isArchive(entry.name) {
                    archives.append(path)
                } else if kind == .file, Self.isOfSharedCache(entry.name) {
                    if SharedCache.isMainFile(named: entry.name) { sharedCaches.append(path) }
                } else if kind == .file, !Self.holdsNoSymbols(entry.name) || keepsMaps && Self.isMap(entry.name) {
                    add(path, name: entry.name, &names)
                }
            }
            folders += inner.reversed()
        }
        if left <= 0 { isCut = true }
        byName = HashTable(names)
    }

    /// Files that are known already: those in an archive, and those that came later.
    init(paths: some Sequence<String>, separatesArchives: Bool = false) {
        var names: [(hash: UInt64, number: UInt32)] = []
        for path in paths {
            let name = Path.name(of: path)
            if separatesArchives, MemberName.isArchive(name) {
                archives.append(path)
            } else if separatesArchives, Self.isOfSharedCache(name) {
                if SharedCache.isMainFile(named: name) { sharedCaches.append(path) }
            } else {
                add(path, name: name, &names)
            }
        }
        byName = HashTable(names)
    }

    /// Whether a file of that name is looked into.
    static func mayHoldSymbols(_ name: String) -> Bool { MemberName.isArchive(name) || !holdsNoSymbols(name) }

    private static func isOfSharedCache(_ name: String) -> Bool { name.hasPrefix("dyld_shared_cache_") }

    private mutating func add(_ path: String, name: String, _ names: inout [(hash: UInt64, number: UInt32)]) {
        guard let number = UInt32(exactly: paths.count), paths.append(path) else {
            isCut = true
            return
        }
        for key in Key.all(of: name) { names.append((key.hash, number)) }
    }

    /// A spelling of a file's name.
    private enum Key: Hashable {
        case name(String)
        /// Linux' kernel and its modules have one spelling of their names.
        case kernel(String)
        /// So do files of Windows.
        case windows(String)

        static func all(of name: String) -> [Key] {
            [.name(name)]
                + [KernelFileName.key(name).map { .kernel($0) }, WindowsFileName.key(name).map { .windows($0) }].compactMap { $0 }
        }

        var hash: UInt64 {
            switch self {
            case .name(let text): HashTable.hash(text.utf8)
            // No name has a slash.
            case .kernel(let text): HashTable.hash(("kernel/" + text).utf8)
            case .windows(let text): HashTable.hash(("windows/" + text).utf8)
            }
        }
    }

    private func paths(_ key: Key) -> [String] {
        byName.numbers(of: key.hash).map { paths[Int($0)] }.filter { Key.all(of: Path.name(of: $0)).contains(key) }
    }

    /// The files called like the image, members of dSYM bundles first: they hold the debug
    /// information.
    func paths(named request: ImageRequest) -> [String] {
        var found: [String] = []
        for name in [request.name] + (request.path.map { [Path.name(of: $0)] } ?? []) where !name.isEmpty {
            for called in [name] + ImageRequest.symbolEndings.map({ name + $0 }) { found += paths(.name(called)) }
            if let key = KernelFileName.key(name) { found += paths(.kernel(key)) }
            if request.isNamedWithoutEnding { for key in WindowsFileName.keys(named: name) { found += paths(.windows(key)) } }
            if let key = WindowsFileName.key(name) { found += paths(.windows(key)).filter { !found.contains($0) } }
        }
        return found.filter(Self.isInBundle) + found.filter { !Self.isInBundle($0) }
    }

    private static func isInBundle(_ path: String) -> Bool { path.contains(".dSYM/Contents/Resources/DWARF/") }

    private static func isMap(_ name: String) -> Bool { name.hasSuffix(".plist") && ImageID(text: name.dropLast(".plist".count)) != nil }

    /// Endings of the files that fill a build folder and are never linked images.
    private static func holdsNoSymbols(_ name: String) -> Bool {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return ["o", "d", "swift", "h", "c", "m", "mm", "cpp", "json", "plist", "strings", "swiftmodule", "txt", "md", "yaml", "png"]
            .contains(String(name[name.index(after: dot)...]))
    }
}

/// All files of a tree, or of an archive, that may hold symbols.
package enum SymbolTree {
    /// - Parameter root: a folder, or an archive.
    /// - Returns: paths in the order of a walk, members of archives as `ARCHIVE!/MEMBER`. Files
    ///   whose ending shows that they are something else are left out, except the maps of hidden
    ///   names and their property lists.
    package static func files(below root: String) -> [String] {
        guard PathKind(path: root) == .directory else { return ArchiveListing(root, cache: nil).paths }
        let names = TreeNames(root: root, limits: TreeNames.TreeLimits(), keepsMaps: true)
        return Array(names.paths) + names.archives.flatMap { ArchiveListing($0, cache: nil).paths }
    }

    /// The main files of the shared caches below a folder.
    package static func sharedCaches(below root: String) -> [String] {
        TreeNames(root: root, limits: TreeNames.TreeLimits()).sharedCaches
    }
}
