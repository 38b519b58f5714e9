package import BinaryPrimitives
package import ObjectFiles
internal import Synchronization

/// The images of shared caches (dyld): the libraries of Apple's systems, which exist nowhere else since iOS 3 and macOS 11.
package struct SharedCacheFiles: DebugFileLocator {
    package let location: String
    private let paths: @Sendable () -> [String]

    /// - Parameter path: a file of a cache that the user named.
    package init(cache path: String) {
        location = "the images of the shared cache \(path)"
        paths = { [path] }
    }

    /// - Parameter systems: folders that are a system's `/`.
    package init(below root: String, systems: @escaping @Sendable () -> [String]) {
        location = "the system's shared caches below \(root)"
        let found = LazyValue { systems().flatMap { Self.caches(ofSystem: $0) } }
        paths = { found.get() }
    }

    init(location: String, paths: @escaping @Sendable () -> [String]) { (self.location, self.paths) = (location, paths) }

    /// Folders of a system that have its caches: macOS 11 and 12; macOS 13 and later, which keep the system on a volume of its own
    /// (a cryptex); iOS and its relatives, 3 to 15; 16 and later; drivers; macOS 10.
    private static let folders = [
        "System/Library/dyld", "System/Volumes/Preboot/Cryptexes/OS/System/Library/dyld", "System/Cryptexes/OS/System/Library/dyld",
        "System/Library/Caches/com.apple.dyld", "System/Cryptexes/OS/System/Library/Caches/com.apple.dyld",
        "private/preboot/Cryptexes/OS/System/Library/Caches/com.apple.dyld", "System/DriverKit/System/Library/dyld", "private/var/db/dyld",
    ]

    /// The main files of the caches in a system's folders.
    static func caches(ofSystem root: String) -> [String] {
        folders.flatMap { folder in
            let path = Path.join(root, folder)
            return Directory.entries(in: path, limit: 10_000).map(\.name).filter(SharedCache.isMainFile(named:)).sorted()
                .map { Path.join(path, $0) }
        }
    }

    package func expectedPaths(for request: ImageRequest) -> [String] { [] }

    /// The image of the identity. If no cache has it, or the log gives none, those at the image's path.
    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        var others: [SymbolFileCandidate] = []
        for path in paths() {
            guard let list = (try? OpenSharedCaches.shared.list(at: path)) ?? nil else { continue }
            func candidate(_ index: Int) -> SymbolFileCandidate {
                SymbolFileCandidate(path: list.memberPath(of: index), origin: .sharedCache(list.path))
            }
            if let id = request.id {
                let index = list.hasIDs ? list.image(id: id) : ((try? OpenSharedCaches.shared.cache(at: path)) ?? nil)?.image(id: id)
                if let index { return [candidate(index)] }
            }
            guard others.count < DirectoryTree.maxOtherBuilds, let own = request.path, let index = list.image(path: own) else { continue }
            others.append(candidate(index))
        }
        return others
    }

    /// The cache with that UUID of its own.
    package func cache(id: ImageID) -> SharedCache? {
        for path in paths() {
            guard let list = (try? OpenSharedCaches.shared.list(at: path)) ?? nil, list.header.id == id else { continue }
            if let cache = (try? OpenSharedCaches.shared.cache(at: path)) ?? nil { return cache }
        }
        return nil
    }

    package func remarks(for request: ImageRequest) -> [String] {
        paths().flatMap { path -> [String] in
            do throws(ObjectFileError) {
                guard let cache = try OpenSharedCaches.shared.cache(at: path) else { return ["\(path) is not a shared cache"] }
                let count = "\(path): \(cache.images.count) images"
                return [count] + cache.files.compactMap { file in file.problem.map { "\(file.path) \($0)" } }
            } catch { return [error.description] }
        }
    }
}

extension LocatorChain {
    /// The shared cache with that UUID of its own.
    package func sharedCache(id: ImageID) -> SharedCache? {
        locators.lazy.compactMap { ($0 as? SharedCacheFiles)?.cache(id: id) ?? ($0 as? TreeSharedCaches)?.cache(id: id) }.first
    }
}

/// The shared caches below a folder that the user named, such as Xcode's `iOS DeviceSupport` or an unpacked firmware.
package final class TreeSharedCaches: WalkedFolder {
    private let tree: DirectoryTree
    private let caches: SharedCacheFiles

    /// - Parameter tree: the same that is searched for its files, so that it is walked once.
    package init(_ tree: DirectoryTree) {
        self.tree = tree
        caches = SharedCacheFiles(location: "the shared caches below \(tree.root)") { tree.cachePaths() }
    }

    var root: String { tree.root }
    var isAtHand: Bool { tree.isAtHand }
    var isBeingRead: Bool { tree.isBeingRead }
    package var location: String { caches.location }
    package func expectedPaths(for request: ImageRequest) -> [String] { [] }
    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] { caches.candidates(for: request) }
    package func cache(id: ImageID) -> SharedCache? { caches.cache(id: id) }
    package func remarks(for request: ImageRequest) -> [String] { caches.remarks(for: request) }
}
