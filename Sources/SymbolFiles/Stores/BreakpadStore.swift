internal import BinaryPrimitives

/// Breakpad's layout of symbol files (`SimpleSymbolSupplier`): `name/ID/name.sym`, the ID as the
/// file's first record has it. The log gives a build ID or a UUID, and 16 bytes may be either: both
/// spellings are looked for, the UUID's first. Of Windows it is the PDB file's name, and its ID.
package struct BreakpadStore: FixedLayoutLocator {
    package let root: String

    package init(root: String) { self.root = root }

    package var location: String { "Breakpad's layout below \(root)" }
    var origin: SymbolFileCandidate.Origin { .store("breakpad", root: root) }

    package func expectedPaths(for request: ImageRequest) -> [String] {
        if let file = request.debugFile, let id = request.debugIdentifier, !id.isEmpty, Self.isName(file) {
            let stem = file.lowercased().hasSuffix(".pdb") ? String(file.dropLast(4)) : file
            return ["\(root)/\(file)/\(id)/\(stem).sym"]
        }
        let name = request.name
        guard let id = request.id, Self.isName(name) else { return [] }
        return [BreakpadID.machO(id), BreakpadID.elf(id)].compactMap { $0 }.map { "\(root)/\(name)/\($0)/\(name).sym" }
    }

    private static func isName(_ name: String) -> Bool { !name.isEmpty && name != ".." && !name.utf8.contains(UInt8(ascii: "/")) }
}
