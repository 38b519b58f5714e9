internal import BinaryPrimitives

/// GDB's layout of debug files by build ID: `root/.build-id/nn/rest.debug` for the debug file,
/// without the ending for the executable. Distributions install debug packages so, below
/// `/usr/lib/debug`.
package struct BuildIDFolder: FixedLayoutLocator {
    package let root: String

    package init(root: String) { self.root = root }

    /// Folder of this machine's installed debug packages.
    package static let system = BuildIDFolder(root: "/usr/lib/debug")

    package var location: String { "build IDs below \(root)" }
    var origin: SymbolFileCandidate.Origin { .buildID(root: root) }

    package func expectedPaths(for request: ImageRequest) -> [String] {
        guard let id = request.id?.hexadecimal, id.utf8.count > 2 else { return [] }
        let split = id.utf8.index(id.startIndex, offsetBy: 2)
        let stem = root + "/.build-id/" + String(id[..<split]) + "/" + String(id[split...])
        return [stem + ".debug", stem]
    }
}
