internal import BinaryPrimitives

/// Asks its members in their order.
public struct LocatorChain: DebugFileLocator {
    public let locators: [any DebugFileLocator]

    public init(_ locators: [any DebugFileLocator]) { self.locators = locators }

    public var place: String { "several places" }

    public func expectedPaths(for request: ImageRequest) -> [String] { locators.flatMap { $0.expectedPaths(for: request) } }

    /// Every member's candidates, the first member's first; a file that several members name comes once.
    public func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        var seen: Set<String> = []
        return locators.flatMap { $0.candidates(for: request) }.filter { seen.insert($0.path).inserted }
    }

    /// The places in their order: files and dSYM bundles that the user named; in each folder that the user named, the places that an identity tells in the stores' layouts, then
    /// any file below it; the other machine's file system, if the user named one; this machine's debug packages, what debuginfod's client downloaded before, and the images' own paths.
    /// - Parameters:
    ///   - paths: files, dSYM bundles, folders.
    ///   - systemRoots: folders that are another machine's file system.
    public static func standard(symbols paths: [String], systemRoots: [String] = []) -> LocatorChain {
        let folders = paths.filter { PathKind(path: $0) == .directory && DSYMBundle.members(of: $0).isEmpty }
        var locators: [any DebugFileLocator] = [GivenFiles(paths)]
        for folder in folders {
            locators += [
                BuildIDFolder(root: folder), UnifiedStore(root: folder), SymbolServerStore(root: folder), MappedUUIDFolder(root: folder),
                DirectoryTree(root: folder),
            ]
        }
        locators += systemRoots.map { SystemRoot(root: $0) }
        locators.append(BuildIDFolder.system)
        if let cache = DebuginfodCache.standard() { locators.append(cache) }
        return LocatorChain(locators + [ImagePath()])
    }
}
