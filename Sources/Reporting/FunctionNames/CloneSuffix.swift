/// The copies and parts that compilers make of a function: `sail.constprop.0`, `pour.cold`,
/// `open.part.0.isra.0`, `f [clone .cold]`, `read.llvm.1234`, `puts@plt`, `memcpy@@GLIBC_2.14`.
///
/// gcc makes them by interprocedural optimisation and by splitting what is seldom run off (`.isra`,
/// `.constprop`, `.part`, `.cold`, `.lto_priv`), LLVM for ThinLTO and hot-cold splitting (`.llvm.`,
/// `.cold.1`, `.__uniq.`): which of them there are differs between builds, so the function counts.
enum CloneSuffix {
    private static let suffixes = [
        ".cold", ".isra", ".constprop", ".part", ".lto_priv", ".localalias", ".llvm", ".__uniq", ".warm", ".hot", ".unlikely",
        ".specialized", ".cfi", ".cfi_jt",
        ".resolver", ".avx2", ".sse2", ".clone",
    ]

    static func remove(from name: inout NameText) {
        if let clone = name.first(" [clone "), clone > 0 { name.keep(first: clone) }
        if let version = name.first("@"), version > 0, !name.hasPrefix("@"),
            name.contains("@@") || name.contains("@plt") || name.contains("@GLIBC")
        {
            name.keep(first: version)
        }
        var isShorter = true
        while isShorter {
            isShorter = false
            for suffix in suffixes where name.count > suffix.utf8.count {
                if name.drop(suffix: suffix) || name.drop(suffix: suffix + ".", andDigits: true) { isShorter = true }
            }
        }
    }
}
