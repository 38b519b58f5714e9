internal import BinaryPrimitives
internal import ObjectFiles

/// Places that are searched for symbol files.
package struct SearchLocations: Sendable {
    /// Files, dSYM bundles, archives, and folders with such files anywhere below, that the user
    /// named.
    package var symbols: [String]
    /// Folders that are another machine's file system.
    package var systemRoots: [String] = []
    /// Whether an image's own path on this machine counts.
    package var usesImagePaths = true
    /// Programs that ran on this machine: files of images that are called like them.
    package var programs: [String] = []
    /// Folder that keeps the identities of large trees for the next run; `nil`: they are not kept.
    package var cache: String?
    /// How folders that the user named are read.
    package var folderReading = FolderReading.whenNeeded
    /// Places beside the standard ones, searched after them.
    package var others: [any DebugFileLocator] = []

    package init(symbols: [String] = []) { self.symbols = symbols }

    /// The locations in their order: files and dSYM bundles that the user named; the files in archives
    /// that the user named, and the images of shared caches; in each folder that the user named, the locations that an identity gives
    /// in the stores' layouts, then any file below it, then the files in archives below it and the images of shared caches; the
    /// other machine's file system, if the user named one; this machine's debug packages, what
    /// debuginfod's client downloaded before, Xcode's folders, the images' own paths, and this machine's libraries of the same
    /// name and build ID, which without those paths only complete a debug file; the others.
    /// - Parameters:
    ///   - open: how files are opened, to read the identities in a tree.
    ///   - earlier: the locations until now. Folders that are read in the background are searched as they were, until they are
    ///     read again.
    package func locators(after earlier: LocatorChain? = nil, open: @escaping SymbolFileOpener) -> LocatorChain {
        let folders = symbols.filter { PathKind(path: $0) == .directory && DSYMBundle.members(of: $0).isEmpty }
        let archives = symbols.filter { OpenArchives.isArchive($0) }
        let caches = symbols.filter { SharedCache.isCache($0) }
        var locators: [any DebugFileLocator] = [GivenFiles(symbols.filter { !archives.contains($0) })]
        locators += archives.map { ArchivedFiles(archive: $0, cache: cache, open: open) }
        locators += caches.map { SharedCacheFiles(cache: $0) }
        for folder in folders {
            let known = earlier?.locators.lazy.compactMap { $0 as? DirectoryTree }.first { $0.root == folder }
            let archives = earlier?.locators.lazy.compactMap { $0 as? TreeArchives }.first { $0.root == folder }
            let tree = known?.renewed() ?? DirectoryTree(root: folder, cache: cache, reading: folderReading, open: open)
            locators += [
                BuildIDFolder(root: folder), UnifiedStore(root: folder), SymbolServerStore(root: folder), MappedUUIDFolder(root: folder),
                BreakpadStore(root: folder), tree, TreeArchives(tree, cache: cache, after: archives, open: open),
                TreeSharedCaches(tree),
            ]
        }
        locators += systemRoots.flatMap { root in
            [SystemRoot(root: root), LibraryFolders(root: root), SharedCacheFiles(below: root) { [root] }] as [any DebugFileLocator]
        }
        locators.append(BuildIDFolder.system)
        if let downloads = DebuginfodCache.standard() { locators.append(downloads) }
        if let xcode = XcodeFolders.standard() {
            locators += [xcode, SharedCacheFiles(below: xcode.root) { xcode.systems() }] as [any DebugFileLocator]
        }
        if usesImagePaths { locators.append(ImagePath(programs: programs)) }
        #if canImport(Darwin)
            if usesImagePaths { locators.append(SharedCacheFiles(below: "/") { ["/"] }) }
        #endif
        locators.append(LibraryFolders(root: "/", completesOnly: !usesImagePaths))
        return LocatorChain(locators + others)
    }
}
