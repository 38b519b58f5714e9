internal import BinaryPrimitives

/// Classifies members of archives by their names.
package enum MemberName {
    /// Whether it may hold symbols: members of dSYM bundles; libraries, debug files, kernels and
    /// their modules; Breakpad's and GSYM files; files without an ending, as programs are and the
    /// binaries in Apple's bundles.
    ///
    /// Positive, because an APK has thousands of members of dozens of kinds, and to look into each
    /// would mean to inflate it.
    package static func mayHoldSymbols(_ name: String) -> Bool {
        // The file that macOS writes beside each file for its attributes is named `._` and the
        // file's name.
        let own = Path.name(of: name)
        guard !own.isEmpty, !own.hasPrefix("."), !name.hasSuffix("/"), !name.hasPrefix("__MACOSX/"), !name.contains(MemberPath.separator)
        else { return false }
        if name.contains(".dSYM/Contents/Resources/DWARF/") { return true }
        if name.contains(".dSYM/Contents/") { return false }
        guard let dot = own.utf8.lastIndex(of: UInt8(ascii: ".")) else { return true }
        if own.hasPrefix("vmlinux") || own.contains(".so.") { return true }
        return ["so", "debug", "dbg", "sym", "gsym", "dylib", "ko", "elf", "axf", "out", "node"]
            .contains(own[own.index(after: dot)...].lowercased())
    }

    /// Whether an archive lists it: it may be what the archive was opened for, or be an archive
    /// that has such members.
    static func isWanted(_ name: String, for purpose: FileArchive.Purpose) -> Bool {
        switch purpose {
        case .symbols: mayHoldSymbols(name) || isArchive(name) && !name.contains(MemberPath.separator)
        case .logs: mayBeLog(name)
        }
    }

    /// Files, but those that tools and systems keep for themselves: a crash log may be called
    /// anything.
    private static func mayBeLog(_ name: String) -> Bool {
        let own = Path.name(of: name)
        return !own.isEmpty && !name.hasSuffix("/") && !name.hasPrefix("__MACOSX/") && !name.contains(MemberPath.separator)
            && !name.hasPrefix(".") && !name.contains("/.")
    }

    /// Endings of archives (`FileArchive`): also of those that are ZIP files under another name, and of single compressed files with an ending
    /// of symbol files: `vmlinux.xz`, `snd-hda-intel.ko.zst`.
    package static func isArchive(_ name: String) -> Bool {
        let name = name.lowercased()
        let isNamed = [
            ".zip", ".apk", ".apks", ".xapk", ".apkm", ".aab", ".aar", ".jar", ".ipa", ".tar", ".tgz", ".txz", ".tzst", ".tbz2",
            ".deb", ".ddeb", ".udeb", ".rpm", ".cpio",
        ].contains { name.utf8.count > $0.utf8.count && name.hasSuffix($0) }
        if isNamed { return true }
        let inner = withoutCompression(name)
        guard inner != name else { return false }
        return inner.hasSuffix(".tar") || inner.hasPrefix("vmlinux") || inner.utf8.contains(UInt8(ascii: ".")) && mayHoldSymbols(inner)
    }

    /// The name of a compressed file without the compression's ending: `mod.ko` of `mod.ko.xz`.
    static func withoutCompression(_ name: String) -> String {
        let ending = [".gz", ".xz", ".zst", ".bz2", ".lz4"].first { name.utf8.count > $0.utf8.count && name.lowercased().hasSuffix($0) }
        return ending.map { String(name.dropLast($0.count)) } ?? name
    }
}

/// How a member of an archive is written as a path: `base.apk!/lib/arm64-v8a/libfoo.so`, as
/// Android's linker and Java write it.
package enum MemberPath {
    package static let separator = "!/"

    /// Whether the path may have the mark: nearly none has, and each start checks this.
    package static func mayBeMember(_ path: String) -> Bool { path.utf8.contains(UInt8(ascii: "!")) }

    /// The file that is an archive, and the names to follow in it: two for a member of an archive
    /// in an archive.
    /// - Returns: `nil` where the path names no member: nothing in it is a file followed by such a
    ///   mark, or all of it is a file.
    package static func split(_ path: String) -> (file: String, names: [String])? {
        guard mayBeMember(path), path.contains(separator), PathKind(path: path) == nil else { return nil }
        let parts = path.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
        // A folder's name may end with the mark.
        for count in 1..<min(parts.count, 8) {
            let file = parts[..<count].joined(separator: separator)
            guard PathKind(path: file) == .file else { continue }
            let names = Array(parts[count...])
            return names.count <= 2 && !names.contains("") ? (file, names) : nil
        }
        return nil
    }
}
