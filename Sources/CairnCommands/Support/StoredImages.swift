internal import BinaryPrimitives
internal import ObjectFiles
internal import SymbolFiles
internal import Symbolication

/// An image in a store of symbols.
struct StoredImage: Sendable {
    var id: String
    var architecture: String
    /// `debug` where it has lines, `symbols` where only names.
    var kind: String
    /// Bytes of the file.
    var size: UInt64
    /// The name of the file as it was added.
    var name: String
    var path: String

    /// Identity, architecture, kind, size, name and path, with tabs between.
    var row: String { "\(id)\t\(PlainText.line(architecture))\t\(kind)\t\(size)\t\(PlainText.line(name))\t\(PlainText.line(path))" }

    var json: WrittenJSON {
        .object([
            ("id", .string(id)), ("architecture", .string(architecture)), ("kind", .string(kind)), ("size", .unsigned(size)),
            ("name", .string(name)), ("path", .string(path)),
        ])
    }
}

enum StoredImages {
    /// The images below a folder, in the order of their identities. A universal file that a store
    /// keeps for each of its UUIDs is listed once at each place.
    static func list(below root: String) -> [StoredImage] {
        let store = SymbolStore(root: root)
        let images = Parallel.map(SymbolTree.files(below: root)) { path -> [StoredImage] in
            guard let files = try? SymbolFileReader.openAll(path: path), let stamp = FileStamp(path: path) else { return [] }
            func image(_ id: String, _ file: any SymbolFile, _ name: String?) -> StoredImage {
                StoredImage(
                    id: id, architecture: file.machine?.name ?? "-", kind: file.hasDebugInformation ? "debug" : "symbols", size: stamp.size,
                    name: name ?? Path.name(of: path), path: path)
            }
            let images = files.compactMap { file in file.identity.map { (file: file, id: $0) } }
            let own = images.filter { store.storedPath(of: $0.file, id: $0.id) == path }
            // Programs for Windows may have a timestamp and a size alone.
            let others = files.compactMap { file in file.identity == nil ? file.codeIdentifier.map { image($0, file, nil) } : nil }
            return others
                + (own.isEmpty ? images : own).map { file, id in image(id.description, file, own.isEmpty ? nil : store.name(of: id)) }
        }
        return images.flatMap { $0 }.sorted { ($0.id, $0.kind, $0.path) < ($1.id, $1.kind, $1.path) }
    }
}
