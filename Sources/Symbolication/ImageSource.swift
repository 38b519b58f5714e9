public import ObjectFiles
public import SymbolFiles
public import SymbolSources

/// Opens the source that answers from the files of one image.
public enum ImageSource {
    /// - Parameters:
    ///   - files: files of one image; the one with debug information, if there is one, comes first.
    ///   - search: finds the names of an app that was uploaded without them.
    public static func open(_ files: [any SymbolFile], hiddenNames search: BCSymbolMapSearch) -> any SymbolSource {
        let objects = files.compactMap { $0 as? ObjectFile }
        let source = ObjectSource(objects)
        guard let map = search.map(for: objects) else { return source }
        return RenamedSource(source) { map.revealing($0) }
    }
}
