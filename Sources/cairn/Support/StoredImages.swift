internal import BinaryPrimitives
internal import ObjectFiles
internal import SymbolFiles
internal import Symbolication

/// An image in a store of symbols.
struct StoredImage: Sendable {
    var id: String
    var architecture: String
    /// `debug` where it tells lines, `symbols` where only names.
    var kind: String
    /// Bytes of the file.
    var size: UInt64
    var path: String

    /// Identity, architecture, kind, size and path, with tabs between.
    var row: String { "\(id)\t\(PlainText.line(architecture))\t\(kind)\t\(size)\t\(PlainText.line(path))" }

    var json: WrittenJSON {
        .object([
            ("id", .string(id)), ("architecture", .string(architecture)), ("kind", .string(kind)), ("size", .unsigned(size)),
            ("path", .string(path)),
        ])
    }
}

enum StoredImages {
    /// The images below a folder, in the order of their identities.
    static func list(below root: String) -> [StoredImage] {
        let images = Parallel.map(SymbolTree.files(below: root)) { path -> [StoredImage] in
            guard let files = try? SymbolFileReader.openAll(path: path), let stamp = FileStamp(path: path) else { return [] }
            return files.compactMap { file in
                guard let id = file.identity else { return nil }
                return StoredImage(
                    id: id.description, architecture: file.machine?.name ?? "-", kind: file.hasDebugInformation ? "debug" : "symbols",
                    size: stamp.size, path: path)
            }
        }
        return images.flatMap { $0 }.sorted { ($0.id, $0.kind, $0.path) < ($1.id, $1.kind, $1.path) }
    }
}
