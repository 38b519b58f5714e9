internal import BinaryPrimitives
internal import Synchronization

/// A folder with debug files, executables and dSYM bundles anywhere below it: a build folder, an `.xcarchive`, a folder where a team keeps its symbols.
///
/// It is walked once, when it is first asked, and only names are read.
public final class DirectoryTree: DebugFileLocator {
    public let root: String
    private let limits: TreeLimits
    private let catalogue = Mutex<Catalogue?>(nil)

    /// What a walk may do at most.
    public struct TreeLimits: Sendable {
        /// Files and folders looked at. An Xcode derived-data folder of a large project has about 100,000.
        public var entries = 2_000_000
        /// Folders inside folders.
        public var depth = 64

        public init() {}
    }

    public init(root: String, limits: TreeLimits = TreeLimits()) {
        self.root = root
        self.limits = limits
    }

    public var place: String { "any file below \(root)" }

    public func expectedPaths(for request: ImageRequest) -> [String] { [] }

    /// Files called like the image, then the file at its build ID's place, then, where an identity can decide, the other dSYM members
    /// and debug files, because a bundle's member may be called otherwise (a renamed product).
    public func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        let catalogue = catalogue.withLock { catalogue in
            if let known = catalogue { return known }
            let walked = Catalogue(root: root, limits: limits)
            catalogue = walked
            return walked
        }
        var paths: [String] = []
        var seen: Set<String> = []
        func add(_ more: some Sequence<String>) {
            for path in more where seen.insert(path).inserted { paths.append(path) }
        }
        let names = [request.name] + (request.path.map { [Path.name(of: $0)] } ?? [])
        for name in names where !name.isEmpty {
            for called in [name, name + ".debug", name + ".dbg"] { add(catalogue.files[called] ?? []) }
            if let key = KernelFileName.key(name) { add(catalogue.kernelFiles[key] ?? []) }
        }
        // Members of bundles before plain files of the same name: they hold the debug information.
        paths = paths.filter(catalogue.members.contains) + paths.filter { !catalogue.members.contains($0) }
        if let id = request.id {
            let name = id.hexadecimal
            add(catalogue.files[String(name.dropFirst(2)) + ".debug"] ?? [])
            add(catalogue.files[String(name.dropFirst(2))] ?? [])
            add(catalogue.files[name + ".debug"] ?? [])
            add(catalogue.memberList)
            add(catalogue.debugFiles)
        }
        return paths.map { SymbolFileCandidate(path: $0, origin: .tree(root: root)) }
    }
}

/// The names below a folder.
private struct Catalogue: Sendable {
    /// Every file that could be an object file, by its name.
    var files: [String: [String]] = [:]
    /// Files of Linux' kernel by the one spelling of their names.
    var kernelFiles: [String: [String]] = [:]
    /// The members of dSYM bundles.
    var members: Set<String> = []
    var memberList: [String] = []
    /// Files whose ending says that they hold debug information.
    var debugFiles: [String] = []

    init(root: String, limits: DirectoryTree.TreeLimits) {
        var left = limits.entries
        // Folders still to read. Links to folders are not followed, so the walk ends.
        var folders: [(path: String, depth: Int)] = [(root, 0)]
        while let (folder, depth) = folders.popLast(), left > 0 {
            let entries = Directory.entries(in: folder, limit: left)
            left -= entries.count
            var inner: [(String, Int)] = []
            for entry in entries {
                let path = Path.join(folder, entry.name)
                // A link may lead to a file (`libfoo.so` to `libfoo.so.1`), but not to a folder.
                let kind = entry.kind ?? (PathKind(path: path) == .file ? .file : nil)
                if kind == .directory {
                    if depth < limits.depth { inner.append((path, depth + 1)) }
                } else if kind == .file, !Self.isNoObject(entry.name) {
                    add(path, name: entry.name)
                }
            }
            folders += inner.reversed()
        }
    }

    private mutating func add(_ path: String, name: String) {
        files[name, default: []].append(path)
        if let key = KernelFileName.key(name) { kernelFiles[key, default: []].append(path) }
        if path.contains(".dSYM/Contents/Resources/DWARF/") {
            members.insert(path)
            memberList.append(path)
        } else if name.hasSuffix(".debug") || name.hasSuffix(".dbg") {
            debugFiles.append(path)
        }
    }

    /// Endings of the files that fill a build folder and are never linked images.
    private static func isNoObject(_ name: String) -> Bool {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return ["o", "d", "swift", "h", "c", "m", "mm", "cpp", "json", "plist", "strings", "swiftmodule", "txt", "md", "yaml", "png"]
            .contains(String(name[name.index(after: dot)...]))
    }
}
