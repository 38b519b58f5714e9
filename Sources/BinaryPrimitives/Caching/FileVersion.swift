internal import LibC

/// Identifies one version of a file: a file that replaces it at its path, and the same file after a write, have other versions.
///
/// Caches of file contents use it as their key. The path alone is not enough, because programs are rebuilt while cairn runs.
package struct FileVersion: Hashable, Sendable {
    package let path: String
    package let stamp: FileStamp
    package let isFolder: Bool
    private let identity: FileIdentity
    /// Nanoseconds since 1970 (`st_ctime`): no program can set it back, as `cp -p` and `touch -r` do `st_mtime`.
    private let changed: Int64

    /// - Returns: `nil` if there is no file or folder, symbolic links followed.
    package init?(path: String) {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else { return nil }
        self.path = path
        stamp = FileStamp(information)
        isFolder = information.st_mode & S_IFMT == S_IFDIR
        identity = FileIdentity(information)
        #if canImport(Darwin)
            let time = information.st_ctimespec
        #else
            let time = information.st_ctim
        #endif
        changed = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Whether the path still leads to this version.
    package var isCurrent: Bool { FileVersion(path: path) == self }
}
