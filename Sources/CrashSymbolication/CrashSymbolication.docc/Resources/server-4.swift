import CrashSymbolication

/// Symbol files in a directory for each release, as a build server keeps them:
/// `RELEASE/NAME.debug`.
struct ReleaseFolder: DebugFileLocator {
    let folder: String

    /// Name of this location in explanations of unresolved frames.
    var location: String { "the releases in \(folder)" }

    func expectedPaths(for request: ImageRequest) -> [String] {
        ["\(folder)/\(request.name).debug"]
    }

    func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        expectedPaths(for: request).map { SymbolFileCandidate(path: $0, origin: .given) }
    }
}

let symbolicator = Symbolicator(symbols: [], locators: [ReleaseFolder(folder: "/srv/releases/4.2")])
