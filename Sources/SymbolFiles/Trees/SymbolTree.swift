internal import BinaryPrimitives

/// The files of a tree that may hold symbols, for those who want them all.
public enum SymbolTree {
    /// - Returns: paths in the order of a walk: files that are told to be something else by their ending are left out, except the maps of hidden names and their property lists.
    public static func files(below root: String) -> [String] {
        TreeNames(root: root, limits: TreeNames.TreeLimits(), keepsMaps: true).paths
    }
}
