internal import BinaryPrimitives
internal import ObjectFiles

/// The objects of a file that is dumped, and their names, as in llvm-dwarfdump.
enum DumpedFiles {
    typealias Object = (name: String, object: Result<ObjectFile, ObjectFileError>)

    /// Returns every object: those of a dSYM bundle, the slices of a universal file, the members of a static
    /// library.
    static func objects(_ path: String) throws(ObjectFileError) -> [Object] {
        let results = try ObjectFiles.openEach(path: path)
        if !results.contains(where: { (try? $0.get()) != nil }), let members = try ObjectFiles.openMembers(ofArchive: path) {
            return members.map { ("\(path)(\($0.member))", $0.object) }
        }
        return results.map { result in
            guard case .success(let object) = result else { return (path, result) }
            let isSlice = object.slice != 0..<object.file.size
            return (isSlice ? "\(object.path)(\(object.architecture))" : object.path, result)
        }
    }

    /// Total size in bytes of all objects of a file.
    static func size(_ objects: Result<[Object], ObjectFileError>) -> Int {
        ((try? objects.get()) ?? []).reduce(0) { $0 + ((try? $1.object.get()).map(size) ?? 0) }
    }

    /// The images of a kernel cache share one file: the sections of each are counted.
    private static func size(_ object: ObjectFile) -> Int {
        object.isFilesetEntry ? object.description.sections.reduce(0) { $0 + $1.fileRange.count } : object.slice.count
    }
}
