internal import BinaryPrimitives

/// Asks its members in their order.
public struct LocatorChain: DebugFileLocator {
    public let locators: [any DebugFileLocator]

    public init(_ locators: [any DebugFileLocator]) { self.locators = locators }

    /// Every member's candidates, the first member's first; a file that several members name comes once.
    public func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        var seen: Set<String> = []
        return locators.flatMap { $0.candidates(for: request) }.filter { seen.insert($0.path).inserted }
    }

    /// The places for paths that the user named: files and dSYM bundles first, folders after them, then this machine's debug packages and the
    /// images' own paths.
    /// - Parameter paths: files, dSYM bundles, folders.
    public static func standard(symbols paths: [String]) -> LocatorChain {
        let folders = paths.filter { PathKind(path: $0) == .directory && DSYMBundle.members(of: $0).isEmpty }
        var locators: [any DebugFileLocator] = [GivenFiles(paths)]
        for folder in folders {
            locators.append(BuildIDFolder(root: folder))
            locators.append(DirectoryTree(root: folder))
        }
        return LocatorChain(locators + [BuildIDFolder.system, ImagePath()])
    }
}
