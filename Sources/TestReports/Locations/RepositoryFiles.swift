internal import BinaryPrimitives
internal import Reporting
internal import Synchronization

/// The files of a repository by their names, found by a walk at the first lookup. What version
/// control and package managers keep, and links, are left out.
final class RepositoryFiles: Sendable {
    enum Found: Sendable {
        /// From the root on, sorted.
        case some([String])
        /// There are more files than this, and they were not all looked at: none can be said to be
        /// the only one of its name.
        case tooMany(Int)
    }

    private let root: String
    private let index = Mutex<Index?>(nil)

    /// Linux has 90,000 files, Chromium 450,000.
    private static let fileLimit = 1_000_000
    private static let depthLimit = 64

    private struct Index {
        var paths: [String: [String]] = [:]
        var isWhole = true
    }

    init(root: String) { self.root = root }

    func paths(named name: String) -> Found {
        index.withLock { index in
            let current = index ?? Self.walk(root)
            index = current
            return current.isWhole ? .some(current.paths[name] ?? []) : .tooMany(Self.fileLimit)
        }
    }

    private static func walk(_ root: String) -> Index {
        var index = Index()
        var count = 0
        var folders: [(path: String, depth: Int)] = [("", 0)]
        while let (folder, depth) = folders.popLast() {
            for entry in Directory.entries(in: folder.isEmpty ? root : Path.join(root, folder), limit: fileLimit) {
                let path = folder.isEmpty ? entry.name : folder + "/" + entry.name
                switch entry.kind ?? kind(Path.join(root, path)) {
                case .directory:
                    guard entry.name != ".git", DependencyFolders.reason(folder: entry.name, behind: Path.name(of: folder)) == nil else {
                        continue
                    }
                    if depth < depthLimit { folders.append((path, depth + 1)) }
                case .file:
                    count += 1
                    guard count <= fileLimit else {
                        index.isWhole = false
                        return index
                    }
                    index.paths[entry.name, default: []].append(path)
                case .other, nil: break
                }
            }
        }
        for name in index.paths.keys { index.paths[name]?.sort() }
        return index
    }

    /// Kind of an entry whose folder does not tell it; `nil` for links.
    private static func kind(_ path: String) -> PathKind? {
        switch SymbolicLink.entryKind(at: path) {
        case .link, .nothing: nil
        case .directory, .other: PathKind(path: path)
        }
    }
}
