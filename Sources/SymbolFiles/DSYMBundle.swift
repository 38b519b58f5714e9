internal import BinaryPrimitives

/// The folder `X.dSYM` that dsymutil makes: `Contents/Resources/DWARF/` holds one Mach-O file or
/// several, each possibly universal.
package enum DSYMBundle {
    /// Whether `path` is called like a bundle.
    package static func isNamed(_ path: String) -> Bool { Path.name(of: path).utf8.suffix(5).elementsEqual(".dSYM".utf8) }

    /// Path of a binary's member in a bundle, whether it exists or not.
    static func member(_ name: String, of bundle: String) -> String { Path.join(bundle, "Contents/Resources/DWARF/" + name) }

    /// Files in the bundle at `path`, in the order of their names; empty if it is not a bundle.
    package static func members(of path: String) -> [String] {
        let folder = Path.join(path, "Contents/Resources/DWARF")
        return Directory.entries(in: folder, limit: 1024)
            // Names with a dot in front are the Finder's (`.DS_Store`) and those that archives
            // leave (`._App`).
            .filter { !$0.name.hasPrefix(".") }
            .map { Path.join(folder, $0.name) }
            .filter { PathKind(path: $0) == .file }
    }

    /// The members of the bundle beside the binary at `path` (`path.dSYM`).
    static func membersBeside(_ path: String) -> [String] { members(of: path + ".dSYM") }
}
