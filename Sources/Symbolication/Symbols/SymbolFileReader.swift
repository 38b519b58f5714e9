internal import BinaryPrimitives
package import ObjectFiles
internal import SymbolSources

/// Opens a file of any format that holds symbols, by its content.
package enum SymbolFileReader {
    /// - Parameter path: a file, a dSYM bundle's directory, or a member of an archive:
    ///   `base.apk!/lib/arm64-v8a/libfoo.so`.
    /// - Returns: one image's symbols, or one for each architecture of a universal file; never
    ///   empty.
    /// - Throws: `ObjectFileError` if the file has none of the formats, or is damaged.
    package static func openAll(path: String) throws(ObjectFileError) -> [any SymbolFile] {
        if let image = try OpenSharedCaches.shared.image(at: path) { return [image] }
        // The folder of a bundle is not mapped, and a file that cannot be opened has a reason.
        guard let named = try OpenArchives.shared.contents(at: path) ?? (try? MappedFile(path: path)) else {
            return try ObjectFiles.openAll(path: path)
        }
        // Most files are ELF.
        guard named.bytes(in: 0..<4) != [0x7f, 0x45, 0x4c, 0x46] else { return try ObjectFiles.openAll(named) }
        let file = try CompressedFile.unpack(named) ?? named
        if let symbols = try openSymbols(file) { return [symbols] }
        return try ObjectFiles.openAll(file)
    }

    /// The formats that hold symbols alone, each detected by its first bytes.
    private static func openSymbols(_ file: MappedFile) throws(ObjectFileError) -> (any SymbolFile)? {
        if let symbols = BreakpadFile(file) { return symbols }
        if let symbols = try GSYMFile(file) { return symbols }
        if let symbols = GeneratedCodeFile(file) { return symbols }
        return nil
    }
}
