internal import BinaryPrimitives
internal import CrashLogModel

/// A source file's path as kernel people write it: from the top of the source tree,
/// `net/core/sock.c`, wherever the tree was when it was built.
///
/// decode_stacktrace.sh and syzkaller remove what comes before `init/main.c` in the path of a
/// function that is known to be there. One frame's result does not have that function; so the path
/// begins at its first folder that the tree has at its top. It is a suffix of the compiler's path
/// in any case.
enum KernelSourcePath {
    private static let top: Set<String> = [
        "arch", "block", "certs", "crypto", "drivers", "fs", "include", "init", "io_uring", "ipc", "kernel", "lib", "mm", "net", "rust",
        "samples",
        "scripts", "security", "sound", "tools", "usr", "virt",
    ]

    static func shortened(_ path: String) -> String {
        let parts = path.split(separator: "/")
        // Only of a path with a root the first folder may be the machine's own:
        // `/usr/src/linux/mm/slab.c`.
        let skipped = path.hasPrefix("/") ? 1 : 0
        guard let start = parts.dropLast().dropFirst(skipped).firstIndex(where: { top.contains(String($0)) }) else {
            return path.hasPrefix("/") ? Path.foreignName(of: path) : path
        }
        return parts[start...].joined(separator: "/")
    }

    /// ` net/core/sock.c:12`, after a blank; nothing without a location.
    static func text(_ location: SourceLocation?) -> String {
        guard let location else { return "" }
        return " " + PlainText.line(shortened(location.file)) + ":\(location.line)"
    }
}
