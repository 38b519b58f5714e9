internal import BinaryPrimitives
internal import ObjectFiles
internal import Synchronization

/// A folder with debug files, executables and dSYM bundles anywhere below it: a build folder, an
/// `.xcarchive`, a folder where a team keeps its symbols.
///
/// It is walked once, when it is first searched. The identities of all files are read once, when an
/// identity is first looked up.
package final class DirectoryTree: DebugFileLocator {
    package let root: String
    private let limits: TreeNames.TreeLimits
    private let open: SymbolFileOpener
    private let seen: TreeCache?
    private let names = Mutex<TreeNames?>(nil)
    private let identities = Mutex<TreeIdentities?>(nil)

    /// - Parameters:
    ///   - cache: the folder where identities are kept for the next run; `nil` for nowhere.
    ///   - open: how files are opened.
    package convenience init(root: String, cache: String? = nil, open: @escaping SymbolFileOpener) {
        self.init(root: root, cache: cache, limits: TreeNames.TreeLimits(), open: open)
    }

    init(root: String, cache: String? = nil, limits: TreeNames.TreeLimits, open: @escaping SymbolFileOpener) {
        self.root = root
        self.limits = limits
        self.open = open
        seen = cache.flatMap { TreeCache(root: root, folder: $0) }
    }

    package var location: String { "any file below \(root)" }

    package func expectedPaths(for request: ImageRequest) -> [String] { [] }

    /// Files with the image's identity, under any name; then those with the image's name. If the
    /// log gives no identity they may be the image's, and if it does they are refused with a
    /// reason.
    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        let names = walked()
        var paths = request.id.map { identified(names).paths(of: $0) } ?? []
        let known = Set(paths)
        var added = known
        paths += names.paths(named: request).filter { added.insert($0).inserted }
        return paths.map { SymbolFileCandidate(path: $0, origin: .tree(root: root)) }
    }

    package func files(atMost count: Int) -> [SymbolFileCandidate] {
        let names = walked()
        guard !names.isCut, names.paths.count <= count else { return [] }
        return names.paths.map { SymbolFileCandidate(path: $0, origin: .tree(root: root)) }
    }

    package func remarks(for request: ImageRequest) -> [String] {
        let names = walked()
        let count = "\(names.paths.count) file\(names.paths.count == 1 ? "" : "s") that may hold symbols"
        return [names.isCut ? "\(count); the tree is larger than what is looked through" : count]
    }

    /// The archives below the folder, as far as their endings show.
    func archivePaths() -> [String] { walked().archives }

    private func walked() -> TreeNames {
        names.withLock { known in
            if let known { return known }
            let walked = TreeNames(root: root, limits: limits)
            known = walked
            return walked
        }
    }

    private func identified(_ names: TreeNames) -> TreeIdentities {
        identities.withLock { known in
            if let known { return known }
            let read = TreeIdentities(names.paths, seen: seen, open: open)
            known = read
            return read
        }
    }
}
