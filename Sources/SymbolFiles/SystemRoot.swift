internal import BinaryPrimitives

/// The file system of the machine that a log comes from, or a container's, as a folder on this one
/// (`--sysroot`): the images' own paths below it, and its debug packages.
package struct SystemRoot: DebugFileLocator {
    package let root: String
    private let packages: BuildIDFolder

    package init(root: String) {
        self.root = root
        packages = BuildIDFolder(root: Path.join(root, "usr/lib/debug"))
    }

    package var location: String { "the target system's files below \(root)" }

    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        packages.candidates(for: request)
            + ownPaths(for: request).filter { PathKind(path: $0) == .file }
            .map { SymbolFileCandidate(path: $0, origin: .systemRoot(root: root)) }
    }

    package func expectedPaths(for request: ImageRequest) -> [String] { packages.expectedPaths(for: request) + ownPaths(for: request) }

    private func ownPaths(for request: ImageRequest) -> [String] {
        // `..` in a log's path does not lead out of the root.
        guard let path = request.path, path.hasPrefix("/"), !path.split(separator: "/").contains("..") else { return [] }
        let own = String(path.drop { $0 == "/" })
        return DSYMBundle.membersBeside(Path.join(root, own))
            + [Path.join(root, "usr/lib/debug/" + own + ".debug"), Path.join(root, own)]
    }
}
