public import ObjectFiles

/// Opens a file of any format that holds symbols, by its content.
public enum SymbolFileReader {
    /// - Parameter path: a file, or a dSYM bundle's directory.
    /// - Returns: one image's symbols, or one for each architecture of a universal file; never empty.
    /// - Throws: `ObjectFileError` where it is none of the formats, or damaged.
    public static func openAll(path: String) throws(ObjectFileError) -> [any SymbolFile] {
        try ObjectFiles.openAll(path: path)
    }
}
