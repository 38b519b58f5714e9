internal import BinaryPrimitives

/// Breakpad's layout of symbol files (`SimpleSymbolSupplier`): `name/ID/name.sym`, the ID as the
/// file's first record has it. The log gives a build ID or a UUID, and 16 bytes may be either: both
/// spellings are looked for, the UUID's first.
package struct BreakpadStore: LaidOutPlace {
    package let root: String

    package init(root: String) { self.root = root }

    package var place: String { "Breakpad's layout below \(root)" }
    var origin: SymbolFileCandidate.Origin { .store("breakpad", root: root) }

    package func expectedPaths(for request: ImageRequest) -> [String] {
        let name = request.name
        guard let id = request.id, !name.isEmpty, name != "..", !name.utf8.contains(UInt8(ascii: "/")) else { return [] }
        return [BreakpadID.machO(id), BreakpadID.elf(id)].compactMap { $0 }.map { "\(root)/\(name)/\($0)/\(name).sym" }
    }
}
