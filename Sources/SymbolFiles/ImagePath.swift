internal import BinaryPrimitives

/// The image itself, where the log says it was: the log of a program that crashed on this very machine. Its dSYM bundle beside it, too.
public struct ImagePath: LaidOutPlace {
    public init() {}

    public var place: String { "the image's own path, on this machine" }
    var origin: SymbolFileCandidate.Origin { .imagePath }

    public func expectedPaths(for request: ImageRequest) -> [String] {
        // A relative path says nothing without the folder that the process ran in.
        guard let path = request.path, path.hasPrefix("/") else { return [] }
        return DSYMBundle.membersBeside(path) + [path]
    }
}
