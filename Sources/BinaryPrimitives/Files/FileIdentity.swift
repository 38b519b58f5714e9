internal import LibC

/// The file that a path leads to, symbolic links followed: two paths with one identity are one file.
package struct FileIdentity: Hashable, Sendable {
    /// `st_dev`
    private let device: UInt64
    /// `st_ino`
    private let inode: UInt64

    /// - Returns: `nil` if there is no file.
    package init?(path: String) {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    init(_ information: stat) {
        device = UInt64(truncatingIfNeeded: information.st_dev)
        inode = UInt64(truncatingIfNeeded: information.st_ino)
    }
}
