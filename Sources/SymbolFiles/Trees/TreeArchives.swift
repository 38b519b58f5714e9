internal import BinaryPrimitives
internal import ObjectFiles
internal import Synchronization

/// The archives below a folder, as CI leaves them there: searched after the folder's own files, and
/// only for what those do not have.
///
/// They are found by their endings, because looking into every file of a large tree would take
/// long; their bytes decide what they are.
package final class TreeArchives: WalkedFolder, NamedLocation {
    private let tree: DirectoryTree
    private let cache: String?
    private let open: SymbolFileOpener
    private let archives = Mutex<[Known]?>(nil)
    private let earlier: [Known]

    /// An archive as it was when it was first searched.
    private struct Known {
        var stamp: FileStamp?
        var files: ArchivedFiles
    }

    /// - Parameters:
    ///   - tree: the same that is searched for its files, so that it is walked once.
    ///   - earlier: the archives until now: those that have not changed are not read again.
    package init(_ tree: DirectoryTree, cache: String? = nil, after earlier: TreeArchives? = nil, open: @escaping SymbolFileOpener) {
        self.tree = tree
        self.cache = cache
        self.open = open
        self.earlier = earlier?.archives.withLock { $0 } ?? []
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

    func addNames(to found: inout FoundNames) {
        for archive in self.found() { archive.addNames(to: &found, called: tree.name(of: archive.archive)) }
    }

    private func found() -> [ArchivedFiles] {
        let paths = tree.archivePaths()
        return archives.withLock { known in
            if let known, known.map(\.files.archive) == paths { return known.map(\.files) }
            var before: [String: Known] = [:]
            for archive in known ?? earlier { before[archive.files.archive] = archive }
            let found = paths.map { path in
                let stamp = FileStamp(path: path)
                if let known = before[path], known.stamp == stamp, stamp != nil { return known }
                return Known(stamp: stamp, files: ArchivedFiles(archive: path, cache: cache, open: open))
            }
            known = found
            return found.map(\.files)
        }
    }
}
