internal import BinaryPrimitives

/// The unified layout of Sentry's symbol server and its `symsorter` (Symbolicator's documentation,
/// "Symbol Server Compatibility"): `id[0:2]/id[2:]/debuginfo` for the file with debug information,
/// `executable` for the binary, `breakpad` for Breakpad's text; the id in lower case, ELF's whole build ID or Mach-O's UUID.
package struct UnifiedStore: FixedLayoutLocator {
    package let root: String

    package init(root: String) { self.root = root }

    package var location: String { "the unified layout below \(root)" }
    var origin: SymbolFileCandidate.Origin { .store("unified", root: root) }

    package func expectedPaths(for request: ImageRequest) -> [String] {
        let image = RequestedImage(request)
        return (Self.paths(of: image, .debuginfo) + Self.paths(of: image, .executable)).map { root + "/" + $0 }
    }

    /// Paths below a store's root.
    static func paths(of image: RequestedImage, _ kind: RequestedFileKind) -> [String] {
        // Files of Windows are called by their GUID and age, as Breakpad writes them.
        guard let id = image.debugIdentifier?.lowercased() ?? image.id?.hexadecimal, id.utf8.count > 2, !id.utf8.contains(UInt8(ascii: "/"))
        else { return [] }
        return (kind == .debuginfo ? ["debuginfo", "breakpad"] : ["executable"]).map { id.prefix(2) + "/" + id.dropFirst(2) + "/" + $0 }
    }
}
