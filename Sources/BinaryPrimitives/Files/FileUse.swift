internal import LibC

/// Files that are kept for a while: when they were last used, and their end.
package enum FileUse {
    /// Makes now the time of a file's last change (`utimensat(2)`). Where that is not allowed,
    /// nothing happens.
    package static func touch(_ path: String) { unsafe _ = utimensat(AT_FDCWD, path, nil, 0) }

    /// Removes a file.
    /// - Returns: whether it was there and is gone.
    @discardableResult
    package static func remove(_ path: String) -> Bool { unsafe unlink(path) == 0 }
}
