package import BinaryPrimitives
package import ObjectFiles
internal import SymbolFiles

/// Kernel caches: files of hundreds of images that are linked next to each other, of which an
/// address chooses one.
extension ImageFile {
    /// The images that addresses of a file are looked up in: each entry of a kernel cache; of any
    /// other file the one that is meant.
    /// - Parameters:
    ///   - path: an object file or a dSYM bundle.
    ///   - architecture: the slice; `nil` for the only one, or this machine's.
    package static func each(path: String, architecture: Architecture?) throws(ObjectFileError) -> [ImageFile] {
        try each(mainMember(of: try ObjectFiles.openAll(path: path), path: path), path: path, architecture: architecture)
    }

    /// As `each(path:architecture:)`, of objects that are open.
    package static func each(
        _ objects: [ObjectFile], path: String, architecture: Architecture?
    ) throws(ObjectFileError) -> [ImageFile] {
        let companions = Companions(fetched: .inUse())
        guard objects.contains(where: \.isFilesetEntry) else {
            return [try ImageFile(objects, path: path, architecture: architecture, companions)]
        }
        // Each entry alone: another architecture is rejected as in any file.
        var files: [ImageFile] = []
        for object in objects { files.append(try ImageFile([object], path: object.path, architecture: architecture, companions)) }
        return files
    }

    /// - Parameter alternative: another way to name the entry, for the message.
    /// - Throws: `ObjectFileError` where an entry of a kernel cache has to be named and is not.
    package static func requireEntry(
        _ objects: [ObjectFile], path: String, or alternative: String? = nil
    ) throws(ObjectFileError) {
        guard objects.count > 1, let first = objects.first(where: \.isFilesetEntry) else { return }
        let example = objects.first { $0.description.entryName == "com.apple.kernel" } ?? first
        throw ObjectFileError(
            .noSuchSlice, path: path,
            "a kernel cache of \(objects.count) images: expected one of them, such as \(example.path)\(alternative.map { ", or \($0)" } ?? "")"
        )
    }
}
