internal import BinaryPrimitives

/// The unified layout of Sentry's symbol server and its `symsorter` (Symbolicator's documentation,
/// "Symbol Server Compatibility"): `id[0:2]/id[2:]/debuginfo` for the file with debug information,
/// `executable` for the binary; the id in lower case, ELF's whole build ID or Mach-O's UUID.
package struct UnifiedStore: FixedLayoutLocator {
    package let root: String

    package init(root: String) { self.root = root }

    package var location: String { "the unified layout below \(root)" }
    var origin: SymbolFileCandidate.Origin { .store("unified", root: root) }

    package func expectedPaths(for request: ImageRequest) -> [String] {
        guard let id = request.id?.hexadecimal, id.utf8.count > 2 else { return [] }
        let folder = root + "/" + id.prefix(2) + "/" + id.dropFirst(2)
        return ["debuginfo", "executable"].map { folder + "/" + $0 }
    }
}
