internal import BinaryPrimitives

/// The layout of Microsoft's symbol stores (`symstore`) with the keys of SSQP for other systems
/// (dotnet/symstore, "SSQP Key Conventions"): a folder by name, one by identity, the file.
///
///     libfoo.so/elf-buildid-…/libfoo.so       _.debug/elf-buildid-sym-…/_.debug
///     app/mach-uuid-…/app                     _.dwarf/mach-uuid-sym-…/_.dwarf
///
/// Names and identities are in lower case. A store with a file `index2.txt` has a further folder in
/// front, by the name's first two characters.
package struct SymbolServerStore: FixedLayoutLocator {
    package let root: String

    package init(root: String) { self.root = root }

    package var location: String { "the symbol store \(root)" }
    var origin: SymbolFileCandidate.Origin { .store("symbol-server", root: root) }

    package func expectedPaths(for request: ImageRequest) -> [String] {
        guard let id = request.id?.hexadecimal, !request.name.isEmpty, !request.name.utf8.contains(UInt8(ascii: "/")) else { return [] }
        let name = request.name.lowercased()
        let isTwoTier = PathKind(path: root + "/index2.txt") == .file
        let keys = [
            ("_.debug", "elf-buildid-sym-" + id), (name, "elf-buildid-" + id), ("_.dwarf", "mach-uuid-sym-" + id),
            (name, "mach-uuid-" + id),
        ]
        return keys.map { name, key in
            (isTwoTier ? "\(root)/\(name.prefix(2))" : root) + "/\(name)/\(key)/\(name)"
        }
    }
}
