internal import BinaryPrimitives

/// Libraries by their names in the folders where the system keeps them, of this machine or below another root.
///
/// A debug package has no code, and rules to unwind stacks by are with the code. Some dumps have only a library's own name,
/// `libc.so.6`. A file counts only with the build ID that the log has; other files of its name are not mentioned.
struct LibraryFolders: DebugFileLocator {
    let root: String
    /// Whether they are searched only for the code of images whose debug file was found.
    let completesOnly: Bool

    init(root: String, completesOnly: Bool = false) {
        self.root = root
        self.completesOnly = completesOnly
    }

    var location: String { "the system's libraries below \(root), by name and build ID" }

    func expectedPaths(for request: ImageRequest) -> [String] {
        let name = Path.name(of: request.path ?? request.name)
        guard request.id != nil, name.contains(".so"), !name.utf8.contains(0) else { return [] }
        return folders(request.architecture).map { Path.join(root, $0 + "/" + name) }
    }

    func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        // `/lib` is a link to `/usr/lib` on most systems.
        var seen: Set<String> = []
        return expectedPaths(for: request).filter { PathKind(path: $0) == .file && seen.insert(Path.resolved($0) ?? $0).inserted }
            .map { SymbolFileCandidate(path: $0, origin: .libraryFolder(root: root)) }
    }

    /// Folders of the Filesystem Hierarchy Standard (3.0, sections 3.9 and 4.6), and those of Debian for several architectures.
    private func folders(_ architecture: Architecture?) -> [String] {
        let own = Self.names[architecture?.family ?? ""] ?? []
        return own.map { "usr/lib/" + $0 } + ["usr/lib64", "usr/lib"] + own.map { "lib/" + $0 } + ["lib64", "lib"]
            + own.map { "usr/local/lib/" + $0 } + ["usr/local/lib64", "usr/local/lib"] + own.map { "usr/" + $0 + "/lib" }
    }

    /// The GNU system types of architectures (`gcc -print-multiarch`).
    private static let names: [String: [String]] = [
        "x86_64": ["x86_64-linux-gnu"], "i386": ["i386-linux-gnu"], "arm64": ["aarch64-linux-gnu"],
        "arm": ["arm-linux-gnueabihf", "arm-linux-gnueabi"], "ppc64": ["powerpc64le-linux-gnu", "powerpc64-linux-gnu"],
        "ppc": ["powerpc-linux-gnu"], "riscv64": ["riscv64-linux-gnu"], "s390x": ["s390x-linux-gnu"],
        "mips64": ["mips64el-linux-gnuabi64", "mips64-linux-gnuabi64"], "mips": ["mipsel-linux-gnu", "mips-linux-gnu"],
        "loongarch64": ["loongarch64-linux-gnu"], "sparcv9": ["sparc64-linux-gnu"], "sparc": ["sparc-linux-gnu"],
    ]
}
