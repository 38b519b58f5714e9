internal import BinaryPrimitives
package import ObjectFiles

/// Indexes that are stored for later runs: one file for each object file, below the cache directory. No result
/// depends on them.
///
/// A file is named after the image's identifier, the fingerprint that distinguishes files with one identifier,
/// and the format's version: `indexes/IDENTITY-FINGERPRINT.4.cairnidx`. Files without an identifier are not
/// stored: nothing would show that they changed. A file's modification time is the time of its last use; if all
/// files exceed the cap, the least recently used ones are removed first.
package struct IndexCache: Sendable {
    package let folder: String
    /// Maximum size of all indexes, in bytes.
    package var cap: UInt64

    /// Two hundred Java machines, or three hundred kernels.
    package static let standardCap: UInt64 = 4 << 30

    /// - Parameter cacheFolder: `CacheFolder.standard()`, or the one that the user named.
    package init(cacheFolder: String, cap: UInt64 = standardCap) {
        folder = Path.join(cacheFolder, "indexes")
        self.cap = cap
    }

    /// An index that is kept.
    package struct Entry: Sendable, Hashable {
        package var path: String
        /// Bytes.
        package var size: UInt64
        /// Nanoseconds since 1970.
        package var lastUse: Int64
    }

    static let ending = ".cairnidx"
    private static let countEnding = ".runs"

    /// Path of an object file's index, whether or not it exists; `nil` if the object has no identifier.
    package func path(for object: ObjectFile) -> String? {
        guard let identity = object.identity else { return nil }
        let fingerprint = String(ImageFingerprint.of(object), radix: 16)
        return Path.join(folder, "\(identity.hexadecimal)-\(fingerprint).\(SymbolIndexLayout.version)\(Self.ending)")
    }

    /// The index of an object file, if one is kept. One that cannot be used is removed.
    package func index(for object: ObjectFile) -> SymbolIndex? {
        // Most users keep none.
        guard object.hasDebugInformation, PathKind(path: folder) == .directory, let path = path(for: object), PathKind(path: path) == .file
        else { return nil }
        do throws(SymbolIndex.Failure) {
            let index = try SymbolIndex(path: path)
            guard index.identity == object.identity, index.fingerprint == ImageFingerprint.of(object) else { return nil }
            FileUse.touch(path)
            return index
        } catch {
            FileUse.remove(path)
            return nil
        }
    }

    /// Counts one more run that uses an object file without an index: a file of as many bytes as there were runs, until
    /// thirty days pass without one.
    /// - Returns: how many there were; `nil` if that cannot be kept.
    func countRun(of object: ObjectFile) -> Int? {
        guard let index = path(for: object), (try? makeFolder()) != nil else { return nil }
        let path = String(index.dropLast(Self.ending.utf8.count)) + Self.countEnding
        removeOldCount(path)
        return FileUse.appendByte(to: path)
    }

    private func removeOldCount(_ path: String) {
        guard let stamp = FileStamp(path: path) else { return }
        if WallClock.nanoseconds - stamp.modified > IndexRule.frequentDays * 86_400_000_000_000 { FileUse.remove(path) }
    }

    /// The index of an object file that is kept, or that is made and kept now. Of all processes and
    /// threads that want one at this time, one makes it, and the others wait for it.
    package func loadOrMakeIndex(_ object: ObjectFile) throws(IndexRefusal) -> SymbolIndex {
        if let kept = index(for: object) { return kept }
        try makeFolder()
        // One at a time in the whole folder: making one uses all processors.
        let lock = FolderLock(folder)
        defer { lock.release() }
        // Another may have made it meanwhile.
        if let kept = index(for: object) { return kept }
        return try make(object)
    }

    /// Makes the index of an object file and stores it instead of the stored one.
    package func make(_ object: ObjectFile, threads: Int? = nil) throws(IndexRefusal) -> SymbolIndex {
        guard let path = path(for: object) else {
            throw IndexRefusal("it has no build ID or UUID, so that its index could not be found again")
        }
        try makeFolder()
        FileReplacement.removeAbandoned(in: folder)
        try IndexWriter.write(object, to: path, threads: threads)
        prune(keeping: path)
        do throws(SymbolIndex.Failure) { return try SymbolIndex(path: path) } catch { throw IndexRefusal(error.description) }
    }

    func makeFolder() throws(IndexRefusal) {
        do throws(FileError) { try FileReplacement.makeDirectories(folder) } catch { throw IndexRefusal("\(error)") }
    }

    /// All indexes that are kept, of every version, the last used first.
    package func entries() -> [Entry] {
        let names = (try? Directory.names(in: folder)) ?? []
        let entries = names.filter { $0.hasSuffix(Self.ending) }.compactMap { name -> Entry? in
            let path = Path.join(folder, name)
            return FileStamp(path: path).map { Entry(path: path, size: $0.size, lastUse: $0.modified) }
        }
        return entries.sorted { ($1.lastUse, $0.path) < ($0.lastUse, $1.path) }
    }

    /// Removes indexes until the rest is within the cap, the least recently used first.
    /// A process that has a removed index open continues to use it.
    /// - Parameters:
    ///   - maxSize: bytes that may stay; `nil` for the cap.
    ///   - path: index that is never removed.
    /// - Returns: the removed indexes.
    @discardableResult
    package func prune(to maxSize: UInt64? = nil, keeping path: String? = nil) -> [Entry] {
        var left: UInt64 = 0
        var removed: [Entry] = []
        for name in (try? Directory.names(in: folder)) ?? [] where name.hasSuffix(Self.countEnding) {
            removeOldCount(Path.join(folder, name))
        }
        let entries = entries()
        // The index that must stay counts first.
        for entry in entries.filter({ $0.path == path }) + entries.filter({ $0.path != path }) {
            let (sum, overflow) = left.addingReportingOverflow(entry.size)
            if entry.path == path || (!overflow && sum <= maxSize ?? cap) {
                left = sum
            } else if FileUse.remove(entry.path) {
                removed.append(entry)
            }
        }
        return removed
    }
}
