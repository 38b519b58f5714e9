public import BinaryPrimitives

/// Opens object files of every container: ELF, Mach-O, universal Mach-O, dSYM bundles.
public enum ObjectFiles {
    /// Opens the object that is meant.
    /// - Parameters:
    ///   - path: a file, or a dSYM bundle's directory.
    ///   - choice: which of several objects is meant; never decided by the order in the file.
    public static func open(path: String, choosing choice: SliceChoice = .only) throws(ObjectFileError) -> ObjectFile {
        try choice.choose(from: try openAll(path: path), path: path)
    }

    /// Opens every object: all slices of a universal file, all members of a dSYM bundle.
    /// - Returns: at least one object, in the order of the file, and of the members' names.
    public static func openAll(path: String) throws(ObjectFileError) -> [ObjectFile] {
        let file: MappedFile
        do throws(FileError) { file = try MappedFile(path: path) } catch { throw ObjectFileError(.unreadable, path: path, error.problem) }
        return try openAll(file)
    }

    /// Opens every object of a file that is mapped, or in memory.
    public static func openAll(_ file: MappedFile) throws(ObjectFileError) -> [ObjectFile] {
        if let object = try ELFReader.open(file) { return [object] }
        throw ObjectFileError(.unknownFormat, path: file.path, unknownFormat(file))
    }

    private static func unknownFormat(_ file: MappedFile) -> String {
        let expected = "expected ELF, Mach-O or a dSYM bundle"
        return file.size == 0 ? "the file is empty, \(expected)" : "not an object file, \(expected)"
    }
}
