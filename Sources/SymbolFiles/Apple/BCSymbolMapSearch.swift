internal import BinaryPrimitives
package import ObjectFiles

/// Finds the map of hidden names (`BCSymbolMap`) of an image.
///
/// It is named by the UUID of the uploaded file. The store's dSYM has another UUID, and gives the
/// original one in `Contents/Resources/UUID.plist`, under `DBGOriginalUUID`; `dsymutil` looks for
/// both files in these folders too. In an Xcode archive the maps are in `BCSymbolMaps`, beside the
/// folder `dSYMs`.
package struct BCSymbolMapSearch: Sendable {
    private let folders: [String]

    /// - Parameter paths: files and folders that the user named.
    package init(symbols paths: [String] = []) {
        folders = paths.flatMap { path in
            PathKind(path: path) == .directory ? [path, Path.join(path, "BCSymbolMaps")] : [Path.directory(of: path)]
        }
    }

    /// - Parameter objects: the files of one image.
    /// - Returns: `nil` if there is none, which is the usual case.
    package func map(for objects: [ObjectFile]) -> BCSymbolMap? {
        for object in objects where object.description.usesBundles {
            for path in files(for: object.path, object.identity).maps {
                if let file = try? MappedFile(path: path), let map = BCSymbolMap(file) { return map }
            }
        }
        return nil
    }

    /// Versions of the other files that a Mach-O file's names and source paths depend on: symbol maps,
    /// property lists, and the `Resources` folder of a dSYM bundle, where new ones may appear.
    package func versions(for file: any SymbolFile) -> [SymbolFileVersion] {
        guard let object = file as? ObjectFile, object.description.usesBundles else { return [] }
        let found = files(for: object.path, object.identity)
        let folder = Path.directory(of: object.path)
        let resources = Path.name(of: folder) == "DWARF" ? [Path.directory(of: folder)] : []
        return (resources + found.lists + found.maps).compactMap { SymbolFileVersion($0) }
    }

    /// Existing property lists and symbol maps of a file, the likeliest first.
    private func files(for path: String, _ id: ImageID?) -> (lists: [String], maps: [String]) {
        guard let id, id.uuid != nil else { return ([], []) }
        let searched = folders(around: path) + folders
        let lists = paths(id, ".plist", searched)
        let identities = [id] + lists.compactMap(originalIdentity)
        return (lists, identities.flatMap { paths($0, ".bcsymbolmap", searched) })
    }

    /// The file's own folder; of the member of a dSYM, the bundle's `Resources`, the folder that
    /// the bundle is in, and an archive's maps.
    private func folders(around path: String) -> [String] {
        let folder = Path.directory(of: path)
        guard Path.name(of: folder) == "DWARF" else { return [folder] }
        let resources = Path.directory(of: folder)
        let beside = Path.directory(of: Path.directory(of: Path.directory(of: resources)))
        return [resources, beside, Path.join(Path.directory(of: beside), "BCSymbolMaps")]
    }

    /// Apple's tools write the UUID in capitals; other tools that keep such files do not.
    private func paths(_ identity: ImageID, _ ending: String, _ folders: [String]) -> [String] {
        guard let uuid = identity.uuid else { return [] }
        return folders.flatMap { [Path.join($0, uuid + ending), Path.join($0, uuid.lowercased() + ending)] }
            .filter { PathKind(path: $0) == .file }
    }

    private func originalIdentity(_ path: String) -> ImageID? {
        PropertyList.read(path: path)?["DBGOriginalUUID"]?.string.flatMap { ImageID(text: $0) }
    }
}
