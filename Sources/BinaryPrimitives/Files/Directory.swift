internal import LibC

/// Kind of the file at a path (`stat(2)`, symbolic links followed).
package enum PathKind: Sendable, Hashable {
    case file, directory, other

    /// - Returns: `nil` if nothing is there, or its status cannot be read.
    package init?(path: String) {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else { return nil }
        switch information.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .directory
        default: self = .other
        }
    }
}

/// The contents of a directory (`opendir(3)`, `readdir(3)`).
package enum Directory {
    /// Makes a directory that only its owner can use, with a name that none had (`mkdtemp(3)`).
    /// - Returns: its path; `nil` where none can be made.
    package static func makeTemporary(in parent: String) -> String? {
        var template = Array(Path.join(parent, "cairn-XXXXXX").utf8CString)
        guard unsafe mkdtemp(&template) != nil else { return nil }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes a directory if nothing is in it.
    package static func removeEmpty(_ path: String) { unsafe _ = rmdir(path) }

    /// Makes the names in a directory durable (`fsync(2)`). Some file systems do not know that.
    package static func synchronize(_ path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }

    /// The directory that relative paths count from (`getcwd(3)`); `nil` if it cannot be
    /// determined: it was removed.
    package static var working: String? {
        guard let path = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    /// The names in a directory without `.` and `..`, in the order of their bytes, so that a walk
    /// is the same everywhere.
    /// - Throws: `FileError` if the directory cannot be opened or read.
    package static func names(in path: String) throws(FileError) -> [String] {
        guard let stream = unsafe opendir(path) else { throw FileError(path: path, errorNumber: errno) }
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        while true {
            // The end and an error both return NULL; only an error sets `errno`.
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw FileError(path: path, errorNumber: errno) }
                return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    /// An entry of a directory.
    package struct Entry: Sendable, Hashable {
        package var name: String
        /// The kind in the directory entry; `nil` if the entry has none, and for symbolic links:
        /// `PathKind` then looks.
        package var kind: PathKind?

        package init(name: String, kind: PathKind?) {
            self.name = name
            self.kind = kind
        }
    }

    /// The entries of a directory in the order of their names' bytes, without `.` and `..`; empty
    /// if it cannot be read. For walks over many files: no entry is looked at, so none costs a
    /// system call of its own.
    /// - Parameter limit: entries beyond this many are left out.
    package static func entries(in path: String, limit: Int) -> [Entry] {
        guard let stream = unsafe opendir(path) else { return [] }
        defer { unsafe _ = closedir(stream) }
        var entries: [Entry] = []
        while entries.count < limit, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
            }
            guard name != ".", name != ".." else { continue }
            let kind: PathKind? =
                switch unsafe Int(entry.pointee.d_type) {
                case Int(DT_REG): .file
                case Int(DT_DIR): .directory
                case Int(DT_UNKNOWN), Int(DT_LNK): nil
                default: .other
                }
            entries.append(Entry(name: name, kind: kind))
        }
        return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}
