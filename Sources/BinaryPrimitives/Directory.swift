#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What is at a path (`stat(2)`, symbolic links followed).
public enum PathKind: Sendable, Hashable {
    case file, directory, other

    /// - Returns: `nil` if nothing is there, or it cannot be asked.
    public init?(path: String) {
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
public enum Directory {
    /// The names in a directory without `.` and `..`, in the order of their bytes, so that a walk is the same everywhere.
    /// - Throws: `FileError` if the directory cannot be opened or read.
    public static func names(in path: String) throws(FileError) -> [String] {
        guard let stream = unsafe opendir(path) else { throw FileError(path: path, errorNumber: errno) }
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        while true {
            // The end and an error both answer NULL; only an error sets `errno`.
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
}
