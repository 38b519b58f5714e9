internal import BinaryPrimitives
package import ObjectFiles
internal import Synchronization

/// Makes an index and keeps it.
package enum IndexWriter {
    /// Writes the index of an object file: first to a file beside `path`, which is renamed to `path` when it is
    /// complete and durable, so that no reader sees a part of it. If two processes write it at once, one of the
    /// two files stays, which are identical.
    /// - Parameters:
    ///   - threads: how many tasks read units; `nil` for as many as there are processors.
    ///   - isNamed: whether the user has named the path.
    /// - Throws: `IndexRefusal` if the file cannot have one, or it cannot be written.
    package static func write(_ object: ObjectFile, to path: String, threads: Int? = nil, isNamed: Bool = false) throws(IndexRefusal) {
        let count = FileChanges.count
        let contents = try IndexBuilder(object, threads: threads).build()
        do {
            let file = Mutex(try FileReplacement(path: path, isNamed: isNamed))
            try contents.write({ bytes throws(FileError) in try file.withLock { file throws(FileError) in try file.append(bytes) } }) {
                bytes throws(FileError) in try file.withLock { file throws(FileError) in try file.replaceStart(with: bytes) }
            }
            // Without its end, nothing of the file stays.
            if let refusal = Self.refusal(object, count) { throw refusal }
            try file.withLock { file throws(FileError) in try file.finish() }
        } catch let error as IndexRefusal { throw error } catch { throw IndexRefusal("\(error)") }
    }

    /// - Parameter count: number of changes before anything was read.
    /// - Returns: why an index would not have the results of the file; `nil` if the file has not changed.
    private static func refusal(_ object: ObjectFile, _ count: Int) -> IndexRefusal? {
        if let change = object.file.change { return IndexRefusal(change.description) }
        // A file beside it: its split units.
        return FileChanges.count == count ? nil : IndexRefusal("a file that belongs to it changed while it was read")
    }

    /// Makes an index that nothing is kept of: in a temporary file without a name.
    package static func make(_ object: ObjectFile, threads: Int? = nil) throws(IndexRefusal) -> SymbolIndex {
        let count = FileChanges.count
        let contents = try IndexBuilder(object, threads: threads).build()
        let file = Mutex(UnlinkedFile())
        try contents.write({ bytes throws(FileError) in try file.withLock { file throws(FileError) in try file.append(bytes) } }) {
            bytes throws(FileError) in try file.withLock { file throws(FileError) in try file.replaceStart(with: bytes) }
        }
        if let refusal = refusal(object, count) { throw refusal }
        let mapped: MappedFile
        do throws(FileError) {
            mapped = try file.withLock { file throws(FileError) in try file.reading(path: "the index of \(object.path)") }
        } catch { throw IndexRefusal("\(error)") }
        do throws(SymbolIndex.Failure) { return try SymbolIndex(mapped) } catch { throw IndexRefusal(error.description) }
    }
}

/// Why no index is made of a file. The file is then searched directly, which is always possible.
package struct IndexRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence without a full stop.
    package var reason: String

    init(_ reason: String) { self.reason = reason }

    package var description: String { reason }
}
