internal import BinaryPrimitives
internal import ObjectFiles

/// Files and dSYM bundles that the user named. Each is a candidate for every image: its name may
/// differ from the image's, and its identity decides.
package struct GivenFiles: DebugFileLocator {
    /// The files, bundles resolved to their members, each followed by the members of the bundle
    /// beside it.
    package let candidates: [SymbolFileCandidate]

    /// - Parameter paths: files, dSYM bundles, and members of archives
    ///   (`base.apk!/lib/arm64-v8a/libfoo.so`). A path where nothing exists is left out; the caller
    ///   that took it from the user reports it.
    package init(_ paths: [String]) {
        var candidates: [SymbolFileCandidate] = []
        for path in paths {
            switch PathKind(path: path) {
            // The images of a shared cache are looked for by their identities (`SharedCacheFiles`).
            case .file where SharedCache.isCache(path): break
            case .file:
                candidates.append(SymbolFileCandidate(path: path, origin: .given))
                candidates += DSYMBundle.membersBeside(path).map { SymbolFileCandidate(path: $0, origin: .besideBinary) }
            case .directory: candidates += DSYMBundle.members(of: path).map { SymbolFileCandidate(path: $0, origin: .given) }
            case .other: break
            case nil:
                if OpenArchives.shared.hasMember(at: path) { candidates.append(SymbolFileCandidate(path: path, origin: .given)) }
            }
        }
        self.candidates = candidates
    }

    package var location: String { "the given files" }

    package func expectedPaths(for request: ImageRequest) -> [String] { candidates.map(\.path) }

    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        let named = candidates.filter { request.isNamedLike(fileAt: $0.path) }
        return named + candidates.filter { !request.isNamedLike(fileAt: $0.path) }
    }
}
