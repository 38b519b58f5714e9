internal import BinaryPrimitives

/// Folders in which builds leave their products and debug files. They are searched for the images
/// that a crash names, after the paths that the user gave.
enum BuildFolders {
    /// Names that builders give their folders: SwiftPM, Xcode, Cargo, Bazel, and the usual ones of
    /// CMake's and Meson's.
    private static let names = [
        ".build", "DerivedData", "build", "out", "target", "bazel-bin", "bazel-out", "builddir", "cmake-build-debug", "cmake-build-release",
        "cmake-build-relwithdebinfo", "_build",
    ]

    /// - Parameters:
    ///   - workingDirectory: of the command.
    ///   - root: of the repository.
    /// - Returns: the folders that are there, the nearest first.
    static func folders(workingDirectory: String?, root: String) -> [String] {
        var parents: [String] = []
        var current = workingDirectory
        while let folder = current {
            parents.append(folder)
            // No further than the repository reaches.
            current = folder == root || folder == "/" || !folder.hasPrefix(root) ? nil : Path.directory(of: folder)
        }
        var found: [String] = []
        for parent in parents {
            for name in names where PathKind(path: Path.join(parent, name)) == .directory { found.append(Path.join(parent, name)) }
            // A build inside the sources, or in a folder of another name.
            if PathKind(path: Path.join(parent, "CMakeCache.txt")) == .file { found.append(parent) }
            for name in (try? Directory.names(in: parent)) ?? [] where !names.contains(name) && !name.hasPrefix(".") {
                let folder = Path.join(parent, name)
                if PathKind(path: Path.join(folder, "CMakeCache.txt")) == .file { found.append(folder) }
            }
        }
        return found
    }
}
