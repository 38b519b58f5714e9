internal import BinaryPrimitives
internal import CrashLogModel

/// Memory that a log lists as an image and that no file is of: `[stack]`, `[anon:dalvik-jit]`,
/// `<anonymous:7b0a5d2000>`, the page that the kernel maps into every process.
package enum FilelessImage {
    static func isFileless(_ image: BinaryImage) -> Bool { image.isPlaceholder || isFileless(named: image.name) }

    package static func isFileless(named name: String) -> Bool {
        isPartOfKernel(name) || names.contains(name) || beginnings.contains(where: name.hasPrefix)
    }

    /// Its code is the kernel's, and no file below `/` has it (vdso(7)).
    static func isPartOfKernel(_ name: String) -> Bool {
        ["[vdso]", "linux-vdso.so.1", "linux-gate.so.1", "[vsyscall]", "[vectors]"].contains(name)
    }

    /// proc(5), `/proc/PID/maps`. `[jit]`: code in a core that no file has. `[kernel.kallsyms]` and `[nf_tables]` are perf's names of files.
    private static let names: Set = ["[jit]", "[heap]", "[stack]", "[vvar]", "[uprobes]", "[sigpage]", "//anon"]
    /// `[stack:1001]`: a thread's, before Linux 4.5. `<anonymous:…>`: Android's libunwindstack.
    /// `anon_inode:…`: what a driver maps.
    private static let beginnings = ["[stack:", "[anon:", "<anonymous", "anon_inode:"]
}
