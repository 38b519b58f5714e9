#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The few questions that are asked of folders and paths. Nothing here opens a file.
public enum FileSystem {
    public enum Kind: Sendable, Hashable {
        case file
        case folder
        /// A pipe, a device, a socket.
        case other
    }

    /// What stands at `path`, links followed; `nil` if there is nothing that can be seen.
    public static func kind(of path: String) -> Kind? {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else { return nil }
        switch information.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// An entry of a folder.
    public struct Entry: Sendable, Hashable {
        public var name: String
        /// `nil` where the folder does not tell (then `kind(of:)` does); a symbolic link is `nil` too.
        public var kind: Kind?

        public init(name: String, kind: Kind?) {
            self.name = name
            self.kind = kind
        }
    }

    /// The entries of a folder in the order of their names' bytes, without `.` and `..`; empty if it cannot be read.
    /// - Parameter limit: entries beyond this many are left out.
    public static func entries(of folder: String, limit: Int) -> [Entry] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe _ = closedir(stream) }
        var entries: [Entry] = []
        while entries.count < limit, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            let kind: Kind? =
                switch unsafe Int(entry.pointee.d_type) {
                case Int(DT_REG): .file
                case Int(DT_DIR): .folder
                case Int(DT_UNKNOWN), Int(DT_LNK): nil
                default: .other
                }
            entries.append(Entry(name: name, kind: kind))
        }
        return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The last part of a path: its file name. Trailing slashes do not count.
    public static func name(of path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? ""
    }

    /// The path of the folder that `path` stands in, without a trailing slash; `.` for a bare name.
    public static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// `folder` and `name` with one slash between them.
    public static func join(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
}
