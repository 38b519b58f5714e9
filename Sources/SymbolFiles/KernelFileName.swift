/// How files of Linux' kernel are called: not always as its logs call them.
enum KernelFileName {
    /// One spelling for all names of a kernel, or of one module; `nil` for other files.
    ///
    /// The image is `vmlinux` in logs, and distributions keep it as `vmlinux-6.1.0-18-amd64`. A
    /// module is `snd_hda_intel` in logs, because its name is an identifier in C, and
    /// `snd-hda-intel.ko` as a file (`KBUILD_MODNAME`).
    static func key(_ name: String) -> String? {
        var name = name
        for ending in [".debug", ".dbg"] where name.hasSuffix(ending) { name.removeLast(ending.utf8.count) }
        if name == "vmlinux" || name.hasPrefix("vmlinux-") { return "vmlinux" }
        guard name.hasSuffix(".ko") else { return nil }
        return String(name.map { $0 == "-" ? "_" : $0 })
    }
}
