internal import LibC

/// Symbolic links.
package enum SymbolicLink {
    /// Kind of the entry at a path itself, links not followed (`lstat(2)`).
    package enum EntryKind: Sendable, Hashable {
        case nothing
        /// A link, with the text in it.
        case link(to: String)
        case directory
        case other
    }

    package static func entryKind(at path: String) -> EntryKind {
        var information = stat()
        guard unsafe lstat(path, &information) == 0 else { return .nothing }
        switch information.st_mode & S_IFMT {
        case S_IFDIR: return .directory
        case S_IFLNK:
            var text = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = unsafe readlink(path, &text, text.count)
            guard count >= 0, count < text.count else { return .other }
            return .link(to: String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self))
        default: return .other
        }
    }

    /// Makes a link, replacing an existing entry with its name: at every moment the old or the new
    /// one exists (`rename(2)`).
    /// - Throws: `FileError` if it cannot be made; the old entry then still exists.
    package static func replace(_ path: String, target: String) throws(FileError) {
        // The number of the process keeps two of them apart; what an earlier one left is removed.
        let temporary = Path.join(Path.directory(of: path), ".cairn-link-\(getpid())")
        unsafe unlink(temporary)
        guard unsafe symlink(target, temporary) == 0 else { throw FileError(path: path, errorNumber: errno) }
        guard unsafe rename(temporary, path) == 0 else {
            let number = errno
            unsafe unlink(temporary)
            throw FileError(path: path, errorNumber: number)
        }
    }
}
