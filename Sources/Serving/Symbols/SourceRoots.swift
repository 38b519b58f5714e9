internal import BinaryPrimitives

/// The folders below which source files may be read.
package struct SourceRoots: Sendable {
    /// Paths of the folders, without links and dots.
    private let roots: [String]

    /// - Parameter folders: those that are not there allow nothing.
    package init(_ folders: [String]) { roots = folders.compactMap { Path.resolved($0) } }

    var isEmpty: Bool { roots.isEmpty }

    /// Opens the file that a path of the debug information means: that very file, or the one of
    /// that path in a root (`/src/a.c` is `/srv/checkout/src/a.c` below `/srv/checkout`).
    ///
    /// The path is resolved first, links and dots included; only a file below a root is opened.
    func open(_ path: String) -> MappedFile? {
        guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
        for candidate in (path.hasPrefix("/") ? [path] : []) + roots.map({ Path.join($0, String(path.drop { $0 == "/" })) }) {
            guard let real = Path.resolved(candidate), roots.contains(where: { real.hasPrefix($0 == "/" ? $0 : $0 + "/") }) else {
                continue
            }
            if let file = try? MappedFile(path: real) { return file }
        }
        return nil
    }
}
