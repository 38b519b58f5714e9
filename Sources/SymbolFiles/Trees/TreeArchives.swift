internal import BinaryPrimitives
public import ObjectFiles
internal import Synchronization

/// The archives below a folder, as CI leaves them there: asked after the folder's own files, and only for what those do not have.
///
/// They are told by their endings, because to look into every file of a large tree would take long; what they are is decided by their bytes.
public final class TreeArchives: DebugFileLocator {
    private let tree: DirectoryTree
    private let cache: String?
    private let open: SymbolFileOpener
    private let archives = Mutex<[ArchivedFiles]?>(nil)

    /// - Parameter tree: the same that is asked for its files, so that it is walked once.
    public init(_ tree: DirectoryTree, cache: String? = nil, open: @escaping SymbolFileOpener) {
        self.tree = tree
        self.cache = cache
        self.open = open
    }

    public var place: String { "the archives below \(tree.root)" }

    public func expectedPaths(for request: ImageRequest) -> [String] { [] }

    public func candidates(for request: ImageRequest) -> [SymbolFileCandidate] { found().flatMap { $0.candidates(for: request) } }

    public func remarks(for request: ImageRequest) -> [String] {
        let archives = found()
        let count = "\(archives.count) archive\(archives.count == 1 ? "" : "s")"
        return [count] + archives.flatMap { $0.remarks(for: request).dropFirst() }
    }

    private func found() -> [ArchivedFiles] {
        archives.withLock { known in
            if let known { return known }
            let found = tree.archivePaths().map { ArchivedFiles(archive: $0, cache: cache, open: open) }
            known = found
            return found
        }
    }
}
