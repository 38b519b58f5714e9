internal import BinaryPrimitives
internal import CrashLogModel
internal import Demangling
package import SymbolFiles
internal import SymbolSources

/// Rules for source paths in results: the user's map of paths, the maps in symbol files, and the directories
/// from which relative paths count.
package struct SourcePathRules: Sendable {
    /// The user's.
    package var map: PathMap
    private let roots: PathMap

    /// - Parameters:
    ///   - map: what is tried first, and again on what a symbol file's own map has made of a path.
    ///   - roots: folders; the path of a file below one, if it is there, is shown relative to it.
    package init(map: PathMap = PathMap(), roots: [String] = []) {
        self.map = map
        // A root is a beginning that is left out.
        self.roots = PathMap(roots.map { PathMap.Entry(old: $0, new: "") })
    }

    /// - Parameter own: the symbol file's maps, in the order in which they are tried.
    func reported(_ location: SourceLocation, _ own: [PathMap]) -> SourceLocation {
        guard !map.isEmpty || !own.isEmpty || !roots.isEmpty else { return location }
        var location = location
        if let path = map.rewritten(location.file) {
            location.file = path
        } else if let path = own.lazy.compactMap({ $0.rewritten(location.file) }).first {
            location.file = map.rewritten(path) ?? path
        }
        if let path = roots.rewritten(location.file), PathKind(path: location.file) == .file { location.file = path }
        return location
    }
}
