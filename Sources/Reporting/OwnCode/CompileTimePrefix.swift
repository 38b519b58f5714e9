/// Beginnings that build systems put in front of a source's path, and that lead nowhere when the
/// build is over.
package enum CompileTimePrefix {
    /// - Returns: the path from the directory in which the sources were compiled; unchanged if that directory
    ///   is not known.
    package static func removed(from path: String) -> String {
        // Bazel compiles below `…/execroot/WORKSPACE`, and its sandboxes below
        // `…/sandbox/STRATEGY/NUMBER/execroot/WORKSPACE`; the files there mirror the workspace
        // (https://bazel.build/remote/output-directories). The last one counts: sandboxes may be nested.
        if let range = lastRange(of: "/execroot/", in: path) {
            let rest = path[range...]
            if let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) { return String(rest[rest.utf8.index(after: slash)...]) }
        }
        // `-fdebug-prefix-map=$PWD=/proc/self/cwd` (Bazel's toolchains since 2016): the compiler's working
        // directory, which is not known.
        if path.hasPrefix("/proc/self/cwd/") { return String(path.dropFirst("/proc/self/cwd/".count)) }
        return path
    }

    /// Index of the first character after the last `text` in a path.
    private static func lastRange(of text: String, in path: String) -> String.Index? {
        let bytes = Array(path.utf8)
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in stride(from: bytes.count - wanted.count, through: 0, by: -1)
        where bytes[start..<start + wanted.count].elementsEqual(wanted) {
            return path.utf8.index(path.utf8.startIndex, offsetBy: start + wanted.count)
        }
        return nil
    }
}
