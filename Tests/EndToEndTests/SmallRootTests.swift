import TestSupport
import Testing

/// The released binary needs nothing but the libraries of every Linux system.
struct SmallRootTests {
    /// Libraries that the root may hold, beside cairn, the files that it reads and the dynamic
    /// linker.
    private static let allowed = ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"]

    @Test func `it starts and answers in a root with libc, libm, libgcc_s and libstdc++ alone`() throws {
        let needed = try run("readelf", ["-dW", TestPaths.cairn]).lines.filter { $0.contains("(NEEDED)") }
        try #require(!needed.isEmpty)
        if needed.contains(where: { $0.contains("libswiftCore.so") }) {
            return print("\(TestPaths.cairn) is not built with --static-swift-stdlib: where it runs was not tested")
        }
        try withTemporaryFolder { root in
            // The libraries are where the dynamic linker says that it finds them, and its own path
            // is in every program.
            let script = """
                set -e
                PATH="$PATH:/usr/sbin:/sbin"
                mkdir -p "$1/bin"
                cp "$0" "$1/bin/cairn"
                cp "$2" "$1/object"
                interpreter=$(readelf -lW "$0" | sed -n 's/.*interpreter: \\(.*\\)\\]/\\1/p')
                mkdir -p "$1$(dirname "$interpreter")"
                cp -L "$interpreter" "$1$interpreter"
                for name in \(Self.allowed.joined(separator: " ")); do
                    path=$(ldconfig -p | sed -n "s/^[[:space:]]*$name (libc6,x86-64[^>]*=> //p" | head -n 1)
                    [ -n "$path" ] || path=$(ldd "$0" | sed -n "s/.*$name => \\([^ ]*\\) .*/\\1/p")
                    [ -z "$path" ] || { mkdir -p "$1$(dirname "$path")" && cp -L "$path" "$1$path"; }
                done
                """
            let object = TestPaths.fixture("binaries/CrashExample/out/CrashExample")
            try run("bash", ["-c", script, TestPaths.cairn, root, object]).requireSuccess()

            let inRoot = { (arguments: [String]) in
                // A user other than root becomes root of a name space of its own, if the system
                // allows it.
                try run(
                    "sh",
                    ["-c", #"if [ "$(id -u)" = 0 ]; then exec chroot "$@"; else exec unshare -r chroot "$@"; fi"#, "sh", root] + arguments)
            }
            // The same tool and the same root without cairn show whether roots can be changed here
            // at all.
            let probe = try run("sh", ["-c", #"if [ "$(id -u)" = 0 ]; then exec chroot / true; else exec unshare -r chroot / true; fi"#])
            guard probe.status == 0 else {
                return print("no root can be changed here (\(probe.errors)): that the binary starts in a small one was not tested")
            }
            let version = try inRoot(["/bin/cairn", "--version"])
            #expect(version.lines.first?.hasPrefix("cairn ") == true, "\(version.errors)")
            // Without /proc cairn knows its own folder by the path that it was started by (AT_EXECFN).
            let missing = try inRoot(["/bin/cairn", "verify", "/object"])
            #expect(missing.errors.contains("(searched: /bin, /libexec/cairn, PATH)"), "\(missing.errors)")
            let answered = try inRoot(["/bin/cairn", "atos", "-o", "/object", "-arch", "x86_64", "0x1a94"])
            // CrashExample.m's line of 0x1a94, as its table has it; away from its dSYM, the symbol:
            // 0x1a94 - 0x1a50 = 68.
            #expect(answered.lines == ["-[CrashExampleAppDelegate performTransition] (in object) + 68"])
        }
    }
}
