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
}

extension FileStamp {
    /// Whether a file was modified after an instant, or does not exist.
    /// - Parameter instant: nanoseconds since 1970; with `nil` the result is `false`.
    package static func isModified(_ path: String, after instant: Int64?) -> Bool {
        instant.map { instant in (FileStamp(path: path)?.modified ?? .max) > instant } ?? false
    }
}

extension Path {
    /// The absolute path without links and dots (`realpath(3)`); `nil` if nothing is there.
    package static func resolved(_ path: String) -> String? {
        guard let text = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}

extension FileDescriptor {
    /// The first bytes of a file, fewer where it is shorter; empty where it cannot be read. For
    /// files of which only the beginning is wanted, which are not worth a mapping.
    package static func head(of path: String, count: Int) -> [UInt8] {
        // Other kinds of files, or unreadable ones, have no such bytes: opening a pipe would wait
        // for its other end.
        guard PathKind(path: path) == .file, let descriptor = try? open(path) else { return [] }
        defer { close(descriptor) }
        return (try? readSome(from: descriptor, limit: count, path: path)) ?? []
    }
}
