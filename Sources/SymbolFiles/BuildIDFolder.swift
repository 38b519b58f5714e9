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
        guard let path = request.id.flatMap(Self.path) else { return [] }
        let stem = root + "/.build-id/" + path
        return [stem + ".debug", stem]
    }

    /// `ab/8d96dcc9de627ace64ea0173e42adb457cb353`; `nil` for an identity of one byte.
    static func path(of id: ImageID) -> String? {
        let id = id.hexadecimal
        guard id.utf8.count > 2 else { return nil }
        let split = id.utf8.index(id.startIndex, offsetBy: 2)
        return String(id[..<split]) + "/" + String(id[split...])
    }
}
