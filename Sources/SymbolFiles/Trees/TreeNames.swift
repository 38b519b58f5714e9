internal import BinaryPrimitives
internal import ObjectFiles

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
    private(set) var paths: [String] = []
    /// The same by name.
    private(set) var files: [String: [String]] = [:]
    /// Files of Linux' kernel by the one spelling of their names.
    private(set) var kernelFiles: [String: [String]] = [:]
    /// Files of Windows by the one spelling of their names.
    private(set) var windowsFiles: [String: [String]] = [:]
    /// Archives by their endings, in the order of the walk. They are not among the files above.
    private(set) var archives: [String] = []
    /// The walk stopped before its end.
    private(set) var isCut = false

    /// - Parameter keepsMaps: property lists called by a UUID count too: they lead from a dSYM to
    ///   the names of an app that was uploaded without them.
    init(root: String, limits: TreeLimits, keepsMaps: Bool = false) {
        var left = limits.entries
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
                } else if kind == .file, !Self.holdsNoSymbols(entry.name) || keepsMaps && Self.isMap(entry.name) {
                    add(path, name: entry.name)
                }
            }
            folders += inner.reversed()
        }
        if left <= 0 { isCut = true }
    }

    /// Files that are known already: those in an archive.
    init(paths: [String]) {
        for path in paths { add(path, name: Path.name(of: path)) }
    }

    private mutating func add(_ path: String, name: String) {
        paths.append(path)
        files[name, default: []].append(path)
        if let key = KernelFileName.key(name) { kernelFiles[key, default: []].append(path) }
        if let key = WindowsFileName.key(name) { windowsFiles[key, default: []].append(path) }
    }

    /// The files called like the image, members of dSYM bundles first: they hold the debug
    /// information.
    func paths(named request: ImageRequest) -> [String] {
        var found: [String] = []
        for name in [request.name] + (request.path.map { [Path.name(of: $0)] } ?? []) where !name.isEmpty {
            for called in [name] + ImageRequest.symbolEndings.map({ name + $0 }) { found += files[called] ?? [] }
            if let key = KernelFileName.key(name) { found += kernelFiles[key] ?? [] }
            if let key = WindowsFileName.key(name) { found += (windowsFiles[key] ?? []).filter { !found.contains($0) } }
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
        return names.paths + names.archives.flatMap { ArchiveListing($0, cache: nil).paths }
    }
}
