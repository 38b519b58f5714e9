internal import LibC

/// The parts of a path as text. Only `resolved` reads the file system.
package enum Path {
    /// The last part: the file name. Trailing slashes do not count.
    package static func name(of path: String) -> String {
        var end = path.utf8.endIndex
        while end > path.utf8.startIndex, path.utf8[path.utf8.index(before: end)] == UInt8(ascii: "/") {
            end = path.utf8.index(before: end)
        }
        guard let slash = path.utf8[..<end].lastIndex(of: UInt8(ascii: "/")) else { return String(path[..<end]) }
        return String(path[path.utf8.index(after: slash)..<end])
    }

    /// File name in a path that another system wrote, Windows' `C:\src\main.c` among them: the text
    /// after its last `/` or `\`, or the path itself if there is no text.
    package static func foreignName(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) else { return path }
        let name = path[path.utf8.index(after: slash)...]
        return name.isEmpty ? path : String(name)
    }

    /// The directory that contains `path`, without a trailing slash; `.` for a bare name.
    package static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Without `.`, `//`, and `..` after a name. The file system is not read, so links do not
    /// count.
    package static func normalised(_ path: String) -> String {
        var parts: [Substring] = []
        let isAbsolute = path.hasPrefix("/")
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else if part != ".." || !isAbsolute {
                parts.append(part)
            }
        }
        return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
    }

    /// `directory` and `name` with one slash between them.
    package static func join(_ directory: String, _ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }

    /// The absolute path without links and dots (`realpath(3)`); `nil` if nothing is there.
    package static func resolved(_ path: String) -> String? {
        guard let text = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}
