internal import BinaryPrimitives
internal import ObjectFiles
internal import Synchronization

/// A folder with debug files, executables and dSYM bundles anywhere below it: a build folder, an
/// `.xcarchive`, a folder where a team keeps its symbols.
///
/// It is walked once, when it is first searched. The identities of all files are read once, when an
/// identity is first looked up. Or both are read in the background, from the beginning.
package final class DirectoryTree: WalkedFolder, NamedLocation {
    package let root: String
    private let limits: TreeNames.TreeLimits
    private let open: SymbolFileOpener
    private let seen: TreeCache?
    private let cache: String?
    /// `nil`: the first request that needs the files reads them.
    private let background: BackgroundReading?
    private let patience: Duration
    /// Files that came after the folder was read, where the system reports them.
    private let additions: FolderAdditions?
    private let names = Mutex<TreeNames?>(nil)
    private let identities = Mutex<TreeIdentities?>(nil)

    /// - Parameters:
    ///   - cache: the folder where identities are kept for the next run; `nil` for nowhere.
    ///   - reading: when the files are read.
    ///   - open: how files are opened.
    package convenience init(
        root: String, cache: String? = nil, reading: FolderReading = .whenNeeded, open: @escaping SymbolFileOpener
    ) {
        self.init(root: root, cache: cache, limits: TreeNames.TreeLimits(), reading: reading, open: open)
    }

    /// - Parameters:
    ///   - earlier: what was known of the folder; it counts until the files are read.
    ///   - watched: what watches the folder already.
    init(
        root: String, cache: String? = nil, limits: TreeNames.TreeLimits, reading: FolderReading = .whenNeeded,
        after earlier: TreeContents? = nil, watched: FolderAdditions? = nil, open: @escaping SymbolFileOpener
    ) {
        self.root = root
        self.limits = limits
        self.open = open
        self.cache = cache
        let seen = cache.flatMap { TreeCache(root: root, folder: $0) }
        self.seen = seen
        switch reading {
        case .whenNeeded: (background, patience, additions) = (nil, .zero, nil)
        case .inBackground(let patience):
            self.patience = patience
            let additions = watched ?? FolderAdditions(root: root, limits: limits, open: open)
            self.additions = additions
            background = BackgroundReading(after: earlier) {
                if watched == nil { additions?.begin() }
                let names = TreeNames(root: root, limits: limits)
                return TreeContents(names: names, identities: TreeIdentities(names.paths, seen: seen, open: open))
            }
        }
    }

    /// The folder where files may have come: read again in the background, and until then as it is known. Files at the locations
    /// that their identities give are found without that.
    /// - Returns: `nil` for a folder that requests read themselves, which is to be made anew.
    func renewed() -> DirectoryTree? {
        guard let background else { return nil }
        // A few files are there before a request misses them.
        guard let earlier = background.contentsToRenew(small: Self.small) else { return self }
        let isSmall = earlier.names.paths.count <= Self.small
        if !isSmall, additions?.seesAll == true, background.age < Self.longest { return self }
        return DirectoryTree(
            root: root, cache: cache, limits: limits, reading: .inBackground(patience: patience), after: isSmall ? nil : earlier,
            watched: additions, open: open)
    }

    /// Folders are walked again after this time, whatever the system reports: other file systems may be mounted below.
    private static let longest = Duration.seconds(600)
    /// Files of the right name and other identities that are looked into.
    static let maxOtherBuilds = 16
    /// Number of files that are read within a request.
    private static let small = 1000

    var isAtHand: Bool { background?.isAtHand ?? true }
    var isBeingRead: Bool { background?.isBeingRead ?? false }

    package var location: String { "any file below \(root)" }

    package func expectedPaths(for request: ImageRequest) -> [String] { [] }

    /// Files with the image's identity, under any name; then those with the image's name. If the
    /// log gives no identity they may be the image's, and if it does they are refused with a
    /// reason.
    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        var added: Set<String> = []
        var paths: [String] = []
        if let names = walked() {
            paths += request.id.map { identified(names).paths(of: $0) } ?? []
            paths += request.codeIdentifier.map { identified(names).paths(ofCode: $0) } ?? []
            // All files of the identity are known: those of other builds are for the reasons alone.
            paths += request.id == nil ? names.paths(named: request) : Array(names.paths(named: request).prefix(Self.maxOtherBuilds))
        }
        if let additions = additions?.contents {
            paths += request.id.map { additions.identities.paths(of: $0) } ?? []
            paths += request.codeIdentifier.map { additions.identities.paths(ofCode: $0) } ?? []
            paths += additions.names.paths(named: request)
        }
        return paths.filter { added.insert($0).inserted }.map { SymbolFileCandidate(path: $0, origin: .tree(root: root)) }
    }

    package func files(atMost count: Int, where isWanted: (_ path: String) -> Bool) -> [SymbolFileCandidate] {
        guard let names = walked(), !names.isCut else { return [] }
        // Each is looked into.
        guard names.paths.count <= Self.small else { return [] }
        let paths = names.paths.filter(isWanted)
        return paths.count <= count ? paths.map { SymbolFileCandidate(path: $0, origin: .tree(root: root)) } : []
    }

    package func remarks(for request: ImageRequest) -> [String] {
        guard let names = walked() else { return ["its files are still being read"] }
        let count = "\(names.paths.count) file\(names.paths.count == 1 ? "" : "s") that may hold symbols"
        var remarks = [names.isCut ? "\(count); the tree is larger than what is looked through" : count]
        if request.asUnnamed != nil, !names.paths.isEmpty, files(atMost: ImageRequest.maxTriedFiles, where: request.isPossible).isEmpty {
            let kind = request.architecture == .wasm32 ? "WebAssembly modules" : "files"
            let most = ImageRequest.maxTriedFiles
            if names.isCut || names.paths.count > Self.small || files(atMost: .max, where: request.isPossible).count > most {
                remarks.append("more than \(most) \(kind), so that none was tried under another name: name the file")
            }
        }
        return remarks
    }

    func addNames(to found: inout FoundNames) {
        guard let names = walked() else { return found.noteGap() }
        if names.isCut { found.noteGap() }
        for path in names.paths { found.add(path, name: name(of: path)) }
        for path in additions?.contents.map({ Array($0.names.paths) }) ?? [] { found.add(path, name: name(of: path)) }
    }

    /// A path below the folder, from the folder on.
    func name(of path: String) -> String {
        let rest = path.dropFirst(root.utf8.count)
        return rest.hasPrefix("/") ? String(rest) : "/" + rest
    }

    /// The archives below the folder, as far as their endings show.
    func archivePaths() -> [String] {
        let paths = walked()?.archives ?? []
        let others = additions?.contents?.names.archives ?? []
        return others.isEmpty ? paths : paths + others.filter { !paths.contains($0) }
    }

    /// The main files of the shared caches below the folder.
    func cachePaths() -> [String] {
        let paths = walked()?.sharedCaches ?? []
        return paths + (additions?.contents?.names.sharedCaches ?? []).filter { !paths.contains($0) }
    }

    /// - Returns: `nil` where they are still being read.
    private func walked() -> TreeNames? {
        if let background { return background.contents(patience: patience)?.names }
        return names.withLock { known in
            if let known { return known }
            let walked = TreeNames(root: root, limits: limits)
            known = walked
            return walked
        }
    }

    private func identified(_ names: TreeNames) -> TreeIdentities {
        if let known = background?.contents(patience: patience)?.identities { return known }
        return identities.withLock { known in
            if let known { return known }
            let read = TreeIdentities(names.paths, seen: seen, open: open)
            known = read
            return read
        }
    }
}
