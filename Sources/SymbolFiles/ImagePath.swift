internal import BinaryPrimitives

/// The image itself, where the log says it was: the log of a program that crashed on this very machine. Its dSYM bundle beside it, too.
public struct ImagePath: DebugFileLocator {
    public init() {}

    public func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        // A relative path says nothing without the folder that the process ran in.
        guard let path = request.path, path.hasPrefix("/") else { return [] }
        return (DSYMBundle.membersBeside(path) + [path])
            .filter { PathKind(path: $0) == .file }
            .map { SymbolFileCandidate(path: $0, origin: .imagePath) }
    }
}
