internal import BinaryPrimitives
package import ObjectFiles
package import SymbolFiles
package import SymbolSources

/// Opens the source that resolves addresses from the files of one image.
package enum ImageSource {
    /// - Parameters:
    ///   - files: files of one image; the one with debug information, if there is one, comes first.
    ///   - search: finds the names of an app that was uploaded without them.
    ///   - indexes: `nil`: the files themselves are used.
    package static func open(
        _ files: [any SymbolFile], hiddenNames search: BCSymbolMapSearch, indexes: IndexPolicy? = nil
    ) -> any SymbolSource {
        let objects = files.compactMap { $0 as? ObjectFile }
        let others = files.compactMap { symbols(in: $0, base: objects.first?.baseAddress) }
        var sources = others
        // Files made from DWARF have less than it: no columns, no linkage names. A binary without DWARF has
        // names alone.
        if !objects.isEmpty || sources.isEmpty {
            sources.insert(ObjectSource.open(objects, indexes), at: objects.contains(where: \.hasDebugInformation) ? 0 : sources.count)
        }
        let source = sources.count == 1 ? sources[0] : LayeredSource(sources)
        guard let map = search.map(for: objects) else { return source }
        return RenamedSource(source, change: { map.change }) { map.revealing($0) }
    }

    /// The source of a file that is no object file.
    /// - Parameter base: link address of the image, if an object file gives it: the other formats do not, or
    ///   not always.
    private static func symbols(in file: any SymbolFile, base: LinkAddress?) -> (any SymbolSource)? {
        switch file {
        case let file as BreakpadFile: BreakpadSource(file, base: base)
        case let file as GSYMFile: GSYMSource(file, base: base)
        case let file as GeneratedCodeFile: GeneratedCodeSource(file)
        default: nil
        }
    }
}
