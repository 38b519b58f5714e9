internal import BinaryPrimitives

/// GDB's layout of debug files by build ID: `root/.build-id/nn/rest.debug` for the debug file, without the ending for the executable.
/// Distributions install debug packages so, below `/usr/lib/debug`.
public struct BuildIDFolder: DebugFileLocator {
    public let root: String

    public init(root: String) { self.root = root }

    /// Where this machine's debug packages are installed.
    public static let system = BuildIDFolder(root: "/usr/lib/debug")

    public func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        guard let id = request.id?.hexadecimal, id.utf8.count > 2 else { return [] }
        let stem = root + "/.build-id/" + id.prefix(2) + "/" + id.dropFirst(2)
        return [stem + ".debug", stem]
            .filter { PathKind(path: $0) == .file }
            .map { SymbolFileCandidate(path: $0, origin: .buildID(root: root)) }
    }
}
