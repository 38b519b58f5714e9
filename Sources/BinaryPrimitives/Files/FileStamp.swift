internal import LibC

/// Size and time of a file's last change (`stat(2)`): while both stay the same, its contents count
/// as unchanged.
package struct FileStamp: Hashable, Sendable {
    /// Bytes.
    package var size: UInt64
    /// Nanoseconds since 1970 (`st_mtime`).
    package var modified: Int64

    package init(size: UInt64, modified: Int64) {
        self.size = size
        self.modified = modified
    }

    /// - Returns: `nil` if there is no regular file, symbolic links followed.
    package init?(path: String) {
        var information = stat()
        guard unsafe stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(information)
    }

    init(_ information: stat) {
        #if canImport(Darwin)
            let time = information.st_mtimespec
        #else
            let time = information.st_mtim
        #endif
        size = UInt64(clamping: information.st_size)
        modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Whether a file was modified after an instant, or does not exist.
    /// - Parameter instant: nanoseconds since 1970; with `nil` the result is `false`.
    package static func isModified(_ path: String, after instant: Int64?) -> Bool {
        instant.map { instant in (FileStamp(path: path)?.modified ?? .max) > instant } ?? false
    }
}
