package import BinaryPrimitives
internal import LibC

/// Files that elfutils' debuginfod client has downloaded before (debuginfod_find_debuginfo(3)):
/// `ID/debuginfo` and `ID/executable` below its cache folder. Only files that exist; nothing is
/// fetched.
package struct DebuginfodCache: FixedLayoutLocator {
    package let root: String

    package init(root: String) { self.root = root }

    /// This user's.
    package static func standard() -> DebuginfodCache? { standard(environment: environmentVariable) }

    /// The folder that the client uses: the value of `DEBUGINFOD_CACHE_PATH`, else the older
    /// `~/.debuginfod_client_cache` if it exists, else `debuginfod_client` in the user's cache
    /// folder.
    /// - Returns: `nil` without a home.
    package static func standard(environment: (String) -> String?) -> DebuginfodCache? {
        if let path = environment("DEBUGINFOD_CACHE_PATH"), !path.isEmpty { return DebuginfodCache(root: path) }
        let home = environment("HOME").flatMap { $0.isEmpty ? nil : $0 }
        if let home, PathKind(path: home + "/.debuginfod_client_cache") == .directory {
            return DebuginfodCache(root: home + "/.debuginfod_client_cache")
        }
        if let caches = environment("XDG_CACHE_HOME"), !caches.isEmpty { return DebuginfodCache(root: caches + "/debuginfod_client") }
        return home.map { DebuginfodCache(root: $0 + "/.cache/debuginfod_client") }
    }

    /// The folder that downloads are written to: the client's, else one for this user among the temporary files. Workers of Spark and services have no
    /// `HOME`.
    /// - Throws: `FileError` where the folder cannot be made, or is another user's, who could put other files there.
    package static func forDownloads(environment: (String) -> String?) throws(FileError) -> DebuginfodCache {
        if let standard = standard(environment: environment) { return standard }
        let parent = environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        let folder = Path.join(parent, "cairn-debuginfod-\(geteuid())")
        guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw FileError(path: folder, errorNumber: errno) }
        var information = stat()
        guard unsafe lstat(folder, &information) == 0 else { throw FileError(path: folder, errorNumber: errno) }
        guard information.st_mode & S_IFMT == S_IFDIR, information.st_uid == geteuid(), information.st_mode & 0o077 == 0 else {
            throw FileError(path: folder, errorNumber: EPERM)
        }
        return DebuginfodCache(root: folder)
    }

    package var location: String { "debuginfod's downloads in \(root)" }
    var origin: SymbolFileCandidate.Origin { .store("debuginfod-cache", root: root) }

    /// The client records a file that no server has as an empty file, which is not a candidate.
    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        expectedPaths(for: request).filter { (try? MappedFile(path: $0)).map { $0.size > 0 } ?? false }
            .map { SymbolFileCandidate(path: $0, origin: origin) }
    }

    package func remarks(for request: ImageRequest) -> [String] {
        expectedPaths(for: request).filter { (try? MappedFile(path: $0))?.size == 0 }.map { "\($0) records that no server had it" }
    }

    package func expectedPaths(for request: ImageRequest) -> [String] {
        guard let id = request.id?.hexadecimal else { return [] }
        return ["debuginfo", "executable"].map { root + "/" + id + "/" + $0 }
    }
}
