internal import BinaryPrimitives
internal import ObjectFiles

/// All files of a tree, or of an archive, that may hold symbols.
package enum SymbolTree {
    /// - Parameter root: a folder, or an archive.
    /// - Returns: paths in the order of a walk, members of archives as `ARCHIVE!/MEMBER`. Files
    ///   whose ending shows that they are something else are left out, except the maps of hidden
    ///   names and their property lists.
    package static func files(below root: String) -> [String] {
        guard PathKind(path: root) == .directory else { return ArchiveListing(root, cache: nil).paths }
        let names = TreeNames(root: root, limits: TreeNames.TreeLimits(), keepsMaps: true)
        return names.paths + names.archives.flatMap { ArchiveListing($0, cache: nil).paths }
    }
}
