internal import CCairn
internal import LibC

/// A folder that appears whole or not at all: it is filled beside `path` under a hidden name, and
/// renamed at the end, replacing a folder with that name.
///
/// The hidden name is derived from the name: the remains of a killed process are removed when the
/// next one begins.
package struct FolderReplacement: ~Copyable {
    package let path: String
    private let temporary: String
    private var isDone = false

    /// Begins the folder.
    /// - Parameter path: final path of the folder; its parent folder is created if it is missing.
    package init(path: String) throws(FileError) {
        // A link stays one, and leads to the new folder.
        let whole = Self.withoutSlashes(Path.resolved(path) ?? path)
        let parent = Path.directory(of: whole)
        if PathKind(path: parent) == nil { try FileReplacement.makeDirectory(parent) }
        let hidden = Path.join(parent, ".cairn-new-" + Path.name(of: whole))
        for left in [hidden, hidden + "-old"] where SymbolicLink.entryKind(at: left) == .directory { Self.remove(left) }
        guard unsafe mkdir(hidden, 0o777) == 0 else { throw FileError(path: hidden, errorNumber: errno) }
        self.path = whole
        temporary = hidden
    }

    deinit {
        // Not finished: nothing of it stays.
        if !isDone { Self.remove(temporary) }
    }

    /// Makes a folder in it.
    package func makeFolder(_ name: String) throws(FileError) { try FileReplacement.makeDirectory(Path.join(temporary, name)) }

    /// Writes a file of it.
    /// - Parameter name: its path in the folder.
    package func write(_ bytes: [UInt8], to name: String) throws(FileError) {
        let file = Path.join(temporary, name)
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw FileError(path: Path.join(path, name), errorNumber: errno) }
        defer { close(descriptor) }
        try FileDescriptor.write(bytes, to: descriptor, path: Path.join(path, name))
    }

    /// Gives the folder its name. What had it before is removed; where that cannot be exchanged in
    /// one step, a reader may find nothing for a moment, and never a part.
    package mutating func finish() throws(FileError) {
        if PathKind(path: path) == nil {
            guard unsafe rename(temporary, path) == 0 else { throw FileError(path: path, errorNumber: errno) }
        } else if Self.exchange(temporary, path) {
            Self.remove(temporary)
        } else {
            let aside = temporary + "-old"
            guard unsafe rename(path, aside) == 0 else { throw FileError(path: path, errorNumber: errno) }
            guard unsafe rename(temporary, path) == 0 else {
                let number = errno
                unsafe _ = rename(aside, path)
                throw FileError(path: path, errorNumber: number)
            }
            Self.remove(aside)
        }
        isDone = true
    }

    private static func withoutSlashes(_ path: String) -> String {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    private static func exchange(_ first: String, _ second: String) -> Bool {
        #if canImport(Glibc)
            unsafe renameat2(AT_FDCWD, first, AT_FDCWD, second, UInt32(cairn_rename_exchange)) == 0
        #elseif canImport(Musl)
            false
        #else
            unsafe renamex_np(first, second, UInt32(RENAME_SWAP)) == 0
        #endif
    }

    /// Removes a folder with everything in it; links are removed, and not followed.
    static func remove(_ path: String) {
        for name in (try? Directory.names(in: path)) ?? [] {
            let inner = Path.join(path, name)
            if SymbolicLink.entryKind(at: inner) == .directory { remove(inner) } else { unsafe _ = unlink(inner) }
        }
        Directory.removeEmpty(path)
    }
}
