internal import BinaryPrimitives
internal import ObjectFiles
internal import Synchronization

/// The archives below a folder, as CI leaves them there: searched after the folder's own files, and
/// only for what those do not have.
///
/// They are found by their endings, because looking into every file of a large tree would take
/// long; their bytes decide what they are.
package final class TreeArchives: WalkedFolder {
    private let tree: DirectoryTree
    private let cache: String?
    private let open: SymbolFileOpener
    private let archives = Mutex<[ArchivedFiles]?>(nil)

    /// - Parameter tree: the same that is searched for its files, so that it is walked once.
    package init(_ tree: DirectoryTree, cache: String? = nil, open: @escaping SymbolFileOpener) {
        self.tree = tree
        self.cache = cache
        self.open = open
    }

    var root: String { tree.root }
    var isAtHand: Bool { tree.isAtHand }
    var isBeingRead: Bool { tree.isBeingRead }

    package var location: String { "the archives below \(tree.root)" }

    package func expectedPaths(for request: ImageRequest) -> [String] { [] }

    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] { found().flatMap { $0.candidates(for: request) } }

    package func remarks(for request: ImageRequest) -> [String] {
        let archives = found()
        let count = "\(archives.count) archive\(archives.count == 1 ? "" : "s")"
        return [count] + archives.flatMap { $0.remarks(for: request).dropFirst() }
    }

    private func found() -> [ArchivedFiles] {
        let paths = tree.archivePaths()
        return archives.withLock { known in
            if let known, known.map(\.archive) == paths { return known }
            let found = paths.map { ArchivedFiles(archive: $0, cache: cache, open: open) }
            known = found
            return found
        }
    }
}
