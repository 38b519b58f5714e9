/// Rewrites the beginnings of source paths: a build's folder for the folder where the sources lie
/// now.
package struct PathMap: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        /// A whole path, or the folders that it begins with.
        package var old: String
        package var new: String

        package init(old: String, new: String) {
            self.old = old
            self.new = new
        }
    }

    /// The longest old beginning first; of equal ones the one that was named last.
    private let entries: [Entry]

    package init(_ entries: [Entry] = []) {
        var seen: Set<String> = []
        self.entries = entries.reversed()
            .map { Entry(old: Self.withoutSlash($0.old), new: Self.withoutSlash($0.new)) }
            .filter { !$0.old.isEmpty && seen.insert($0.old).inserted }
            .sorted { $0.old.utf8.count > $1.old.utf8.count }
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The path by the longest entry that it begins with, up to a component's end: `/src` is a
    /// beginning of `/src/a.c` and not of `/srcs/a.c`.
    /// - Returns: `nil` if it begins with none.
    package func rewritten(_ path: String) -> String? {
        for entry in entries {
            guard let rest = Self.rest(of: path, behind: entry.old) else { continue }
            guard !entry.new.isEmpty else { return rest.isEmpty ? path : String(rest.drop { Self.isSeparator($0) }) }
            if rest.isEmpty { return entry.new }
            let isJoined = rest.first.map(Self.isSeparator) ?? false
            if entry.new == "/" { return isJoined ? String(rest) : "/" + rest }
            return entry.new + (isJoined ? "" : "/") + rest
        }
        return nil
    }

    /// Rest of the path after the prefix, with the separator in front.
    private static func rest(of path: String, behind old: String) -> Substring? {
        guard path.utf8.starts(with: old.utf8) else { return nil }
        let rest = path[path.utf8.index(path.startIndex, offsetBy: old.utf8.count)...]
        // `/` ends with the border.
        return rest.isEmpty || rest.first.map(isSeparator) ?? false || old.last.map(isSeparator) ?? false ? rest : nil
    }

    /// Windows' compilers write backslashes, and both.
    private static func isSeparator(_ character: Character) -> Bool { character == "/" || character == "\\" }

    private static func withoutSlash(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, let last = path.last, isSeparator(last) { path.removeLast() }
        return String(path)
    }
}
