internal import BinaryPrimitives

/// A dSYM bundle: a directory with the debug information of one or more images in
/// `Contents/Resources/DWARF`.
enum DSYMFiles {
    /// - Returns: the paths of the files with debug information, by name.
    static func members(_ path: String) throws(ObjectFileError) -> [String] {
        let folder = path + (path.hasSuffix("/") ? "" : "/") + "Contents/Resources/DWARF"
        guard PathKind(path: folder) == .directory else {
            let problem = path.hasSuffix(".dSYM") || path.hasSuffix(".dSYM/") ? "the dSYM bundle has no" : "a directory without"
            throw ObjectFileError(
                .unknownFormat, path: path, "\(problem) Contents/Resources/DWARF, expected a dSYM bundle or an object file")
        }
        let names: [String]
        do throws(FileError) { names = try Directory.names(in: folder) } catch {
            throw ObjectFileError(.unreadable, path: folder, error.problem)
        }
        // Names with a dot in front are the Finder's (`.DS_Store`) and those that archives leave
        // (`._App`).
        let members = names.filter { !$0.hasPrefix(".") }.map { folder + "/" + $0 }.filter { PathKind(path: $0) == .file }
        guard !members.isEmpty else {
            throw ObjectFileError(.unknownFormat, path: path, "the dSYM bundle's Contents/Resources/DWARF holds no file")
        }
        return members
    }
}
