import TestSupport
import Testing

/// Object files that are compressed as a whole, as distributions ship kernel modules: each answers as the file inside.
struct CompressedObjectTests {
    private static let source = """
        volatile int sink;
        static inline __attribute__((always_inline)) int leaf(int n) { sink += n; return sink; }
        __attribute__((noinline)) int one(int n) {
          return leaf(n) + 2;
        }
        int main(void) { return one(1); }

        """

    private static let compressors = [
        ("xz", "xz -k"), ("gz", "gzip -k"), ("bz2", "bzip2 -k"), ("zst", "zstd -q -k"), ("lz4", "lz4 -q -k -m"),
    ]

    @Test(
        .enabled(
            if: Installed.has("gcc", "nm", "xz", "gzip", "bzip2", "zstd", "lz4"),
            "gcc, nm or one of the compressors is not installed"),
        arguments: compressors)
    func `the tools answer as for the file inside`(ending: String, command: String) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/part.c", Array(Self.source.utf8))
            try run("gcc", ["-g", "-O1", "-no-pie", "part.c", "-o", "part"], directory: folder).requireSuccess()
            try run("sh", ["-c", "\(command) part"], directory: folder).requireSuccess()
            let packed = folder + "/part." + ending
            let symbols = try run("nm", ["part"], directory: folder).lines
            let address = "0x" + (try #require(symbols.first { $0.hasSuffix(" T one") }).split(separator: " ")[0])
            for options in [["addr2line", "-f", "-i"], ["eu-addr2line", "-f", "-i"], ["llvm-symbolizer"]] {
                let plain = try cairn(options + ["-e", folder + "/part", address])
                try #require(plain.output.contains("part.c:2"))
                #expect(try cairn(options + ["-e", packed, address]).output == plain.output)
            }
            let inside = try run(
                TestPaths.cairn, ["--symbols", packed], input: Array("\(address)\n".utf8),
                environment: ["CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": "/nonexistent"])
            #expect(inside.output.contains("leaf (part.c:2) [inlined]"))
        }
    }

    /// `NAME.ko.xz` is the module NAME.
    @Test(.enabled(if: Installed.has("gcc", "ld", "xz", "readelf"), "gcc, binutils or xz are not installed"))
    func `a kernel module of a folder is found by its name`() throws {
        try withTemporaryFolder { folder in
            let source = "int sink;\n__attribute__((noinline)) int probe(int n)\n{\n  return sink / n;\n}\n"
            try writeFile(folder + "/mod.c", Array(source.utf8))
            let commands = """
                gcc -g -O1 -fno-pic -mcmodel=kernel -c mod.c
                mkdir packed; ld -r mod.o -o packed/snd-mod.ko; xz packed/snd-mod.ko
                """
            try run("sh", ["-c", commands], directory: folder).requireSuccess()
            let symbols = try run("sh", ["-c", "xz -dc packed/snd-mod.ko.xz > m; readelf -sW m"], directory: folder).lines
            let size = try #require(symbols.first { $0.hasSuffix(" probe") }?.split(separator: " ")[2])
            let length = "0x" + String(try #require(Int(size)), radix: 16)
            let log = """
                [  100.000002] Oops: 0000 [#1] SMP PTI
                [  100.000003] CPU: 0 PID: 1 Comm: a Tainted: G OE 6.1.0-13-amd64 #1
                [  100.000004] RIP: 0010:probe+0x1/\(length) [snd_mod]
                [  100.000005] Call Trace:
                [  100.000006]  <TASK>
                [  100.000007]  probe+0x1/\(length) [snd_mod]
                [  100.000008]  </TASK>

                """
            let result = try run(
                TestPaths.cairn, ["--symbols", folder + "/packed"], input: Array(log.utf8),
                environment: ["CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": "/nonexistent"])
            #expect(result.output.contains("probe+0x1/\(length) mod.c:4 [snd_mod]"))
        }
    }

    @Test(.enabled(if: Installed.has("xz"), "xz is not installed"))
    func `a damaged or other compressed file has one clear line`() throws {
        try withTemporaryFolder { folder in
            try run("sh", ["-c", "head -c 3000 /dev/zero | tr '\\0' x > text; xz -k text; head -c 60 text.xz > cut.xz"], directory: folder)
                .requireSuccess()
            let text = try cairn(["inspect", folder + "/text.xz"])
            #expect(text.status != 0 && text.errors.contains("neither an object file nor a tar archive"))
            let cut = try cairn(["inspect", folder + "/cut.xz"])
            #expect(cut.status != 0 && cut.errors.contains("is damaged"))
        }
    }
}
