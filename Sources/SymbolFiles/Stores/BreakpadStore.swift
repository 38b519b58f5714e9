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
        Self.paths(of: RequestedImage(request)).map { root + "/" + $0 }
    }

    /// Paths below a store's root.
    static func paths(of image: RequestedImage) -> [String] {
        if let file = image.debugFile, let id = image.debugIdentifier, [file, id].allSatisfy(SymbolServerStore.isFileName) {
            let stem = file.lowercased().hasSuffix(".pdb") ? String(file.dropLast(4)) : file
            return ["\(file)/\(id)/\(stem).sym"]
        }
        let name = image.name
        guard let id = image.id, SymbolServerStore.isFileName(name) else { return [] }
        return [BreakpadID.machO(id), BreakpadID.elf(id)].compactMap { $0 }.map { "\(name)/\($0)/\(name).sym" }
    }
}
