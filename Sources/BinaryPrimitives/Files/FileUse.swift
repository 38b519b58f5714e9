internal import LibC

/// Files that are kept for a while: when they were last used, and their end.
package enum FileUse {
    /// Makes now the time of a file's last change (`utimensat(2)`). Where that is not allowed,
    /// nothing happens.
    package static func touch(_ path: String) { unsafe _ = utimensat(AT_FDCWD, path, nil, 0) }

    /// Appends one byte to a file, which is made if it is not there; links are not followed.
    /// - Returns: the file's size after it; `nil` if it cannot be written.
    package static func appendByte(to path: String) -> Int? {
        let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var (byte, information) = (UInt8(ascii: "."), stat())
        guard unsafe write(descriptor, &byte, 1) == 1, unsafe fstat(descriptor, &information) == 0 else { return nil }
        return Int(exactly: information.st_size)
    }

    /// Removes a file.
    /// - Returns: whether the file existed and was removed.
    @discardableResult
    package static func remove(_ path: String) -> Bool { unsafe unlink(path) == 0 }
}
