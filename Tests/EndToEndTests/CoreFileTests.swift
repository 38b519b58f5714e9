import TestSupport
import Testing

/// Core files of programs that crash here, as their users meet them.
struct CoreFileTests {
    static let isPossible: Bool = {
        guard Toolchain.has("clang"), let pattern = try? readFile("/proc/sys/kernel/core_pattern") else { return false }
        return String(decoding: pattern, as: UTF8.self).hasPrefix("core")
    }()

    /// `total` reads a member of a null pointer: the fourth line, at the offset 8.
    private static let source = """
        #include <stdlib.h>
        struct item { long count, price; };
        static int __attribute__((noinline)) total(volatile struct item *item) {
            return (int)item->price + 1;
        }
        static int __attribute__((noinline)) compare(const void *a, const void *b) { return total(*(struct item **)a) + (b != 0); }
        int main(void) {
            struct item *items[2] = {0, 0};
            qsort(items, 2, sizeof *items, compare);
            return 0;
        }

        """

    /// - Parameter body: gets the folder of `shop.c`, `shop` and its core file.
    private func withCore(_ options: [String] = ["-g", "-O1"], _ body: (_ folder: String, _ core: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/shop.c", Array(Self.source.utf8))
            try Toolchain.run("clang", options + ["-Wl,--build-id", "shop.c", "-o", "shop"], directory: folder).requireSuccess()
            _ = try run("sh", ["-c", "ulimit -c unlimited; exec ./shop"], directory: folder)
            let core = try #require(TestPaths.files(under: folder).first { $0.hasPrefix(folder + "/core") })
            try body(folder, core)
        }
    }

    /// `Fixtures/memory`: the frames are gdb's, and the line of each is in the source.
    @Test func `a core file is symbolicated by its program, wherever that is`() throws {
        let folder = TestPaths.root + "/Fixtures/memory/"
        let log = try #require(try jsonLogs(try cairn(folder + "counter.core.xz", "-s", folder, "--format", "json")).first)
        let thread = try #require(log.threads.first)
        #expect(thread.crashed == true && thread.frames.map(\.address) == ["0x400234", "0x400209", "0x4001cf", "0x40018d"])
        #expect(thread.frames.map { $0.functions?.last?.name } == ["price", "total", "sell", "_start"])
        #expect(thread.frames.map { $0.functions?.last?.line } == [6, 11, 18, 22])
        #expect(thread.frames.map(\.trust) == ["context", "cfi", "cfi", "cfi"])
        #expect(thread.frames.map(\.kind) == ["programCounter", "returnAddress", "returnAddress", "returnAddress"])
        let text = try cairn(folder + "counter.core.xz", "-s", folder)
        for line in [
            "Process:       counter [4995]", "Cause:         SIGSEGV SEGV_MAPERR at 0x8",
            "Instruction:   48 8b 47 08 accesses memory at rdi + 0x8; rdi is 0x0", "Your code:     price in counter (/src/counter.c:6)",
        ] { #expect(text.lines.contains(line), "\(text.output)") }
        // Without the program, frame pointers lead to the same frames.
        let without = try #require(try jsonLogs(try cairn(folder + "counter.core.xz", "--format", "json", "-q")).first)
        #expect(without.threads[0].frames.prefix(4).map(\.address) == thread.frames.map(\.address))
        #expect(without.threads[0].frames.prefix(4).map(\.trust) == ["context", "framePointer", "framePointer", "framePointer"])
    }

    /// A minidump that has every stream (`Fixtures/hostile/minidumps`).
    @Test func `a minidump is a log as any other`() throws {
        let dump = TestPaths.root + "/Fixtures/hostile/minidumps/every-stream.dmp"
        #expect(try cairn("formats", dump).output == "\(dump): minidump\n")
        let log = try #require(try jsonLogs(try cairn(dump, "--format", "json", "-q")).first)
        #expect(log.format == "minidump" && log.threads.contains { $0.frames.first?.trust == "context" })
        let shared = try cairn("anonymize", dump)
        #expect(shared.status == 1 && shared.errors.contains("this is a minidump, which may hold anything that the program knew."))
    }

    @Test(.enabled(if: isPossible, "core files go elsewhere, or clang is not beside swift"))
    func `a core file becomes a report without any option`() throws {
        try withCore { folder, core in
            let result = try cairn(core)
            #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
            for line in [
                "Cause:         SIGSEGV SEGV_MAPERR at 0x8",
                "Your code:     total in shop (\(folder)/shop.c:4)",
            ] { #expect(result.lines.contains(line), "\(result.output)") }
            #expect(result.output.contains(" accesses memory at rdi + 0x8; rdi is 0x0\n"), "\(result.output)")
            let log = try #require(try jsonLogs(try cairn(core, "--format", "json")).first)
            #expect(log.format == "elf-core")
            let thread = try #require(log.threads.first)
            #expect(thread.frames.prefix(2).map { $0.functions?.first?.name } == ["total", "compare"])
            #expect(thread.frames.prefix(2).map(\.trust) == ["context", "cfi"])
            #expect(thread.frames.contains { $0.functions?.first?.name == "main" && $0.functions?.first?.line == 9 })
            #expect(try cairn("formats", core).output == "\(core): elf-core\n")
            #expect(try cairn("explain", core).status == 0)
        }
    }

    @Test(.enabled(if: isPossible, "core files go elsewhere, or clang is not beside swift"))
    func `the program may be elsewhere, stripped, its debug information in a file of its own`() throws {
        try withCore { folder, core in
            let script = """
                cd "$1" && mkdir kept && objcopy --only-keep-debug shop kept/shop.debug && strip shop && mv shop kept/renamed
                """
            try run("sh", ["-c", script, "sh", folder]).requireSuccess()
            let found = try cairn(core, "--symbols", folder + "/kept")
            #expect(found.output.contains("total + ") && found.output.contains("shop.c:4)"), "\(found.output)")
            // Without it the addresses and modules are the same.
            func frames(_ arguments: String...) throws -> [String] {
                let log = try #require(try jsonLogs(try cairn([core, "--format", "json", "-q"] + arguments)).first)
                return log.threads.flatMap(\.frames).prefix(4).map { "\($0.address ?? "") \($0.image ?? -1)" }
            }
            #expect(try frames() == (try frames("--symbols", folder + "/kept")))
            let explained = try cairn("explain", core)
            #expect(explained.status == 3 && explained.output.contains("shop"), "\(explained.output)")
        }
    }

    @Test(.enabled(if: isPossible, "core files go elsewhere, or clang is not beside swift"))
    func `compressed cores, pipes and apport's reports are read as the file is`() throws {
        try withCore { folder, core in
            let plain = try cairn(core, "--format", "json").output.replacing(core, with: "CORE")
            for (tool, ending) in [("gzip", "gz"), ("xz", "xz"), ("zstd -q", "zst"), ("lz4 -q", "lz4")] {
                try run("sh", ["-c", "\(tool) -c '\(core)' > '\(core).\(ending)'"]).requireSuccess()
                let packed = try cairn("\(core).\(ending)", "--format", "json")
                #expect(packed.output.replacing("\(core).\(ending)", with: "CORE") == plain, "\(ending): \(packed.errors)")
            }
            let piped = try run("sh", ["-c", "cat '\(core)' | '\(TestPaths.cairn)' --format json -"])
            #expect(
                piped.output.replacing("\"log\":\"-\"", with: "\"log\":\"CORE\"")
                    == plain.replacing("\"log\":\"CORE\"", with: "\"log\":\"CORE\""))
            // As apport's `problem_report.py` writes it: a gzip stream, each piece of it on a line.
            let script = """
                import base64, sys, zlib
                out = open(sys.argv[2], "w")
                out.write("ProblemType: Crash\\nExecutablePath: /srv/shop\\nSignal: 11\\nCoreDump: base64\\n")
                packer = zlib.compressobj(9, zlib.DEFLATED, 31)
                pieces = []
                with open(sys.argv[1], "rb") as core:
                    while block := core.read(1 << 16):
                        pieces.append(packer.compress(block))
                for piece in pieces + [packer.flush()]:
                    if piece: out.write(" " + base64.b64encode(piece).decode() + "\\n")
                """
            let report = folder + "/_srv_shop.crash"
            try run("python3", ["-c", script, core, report]).requireSuccess()
            #expect(try cairn(report, "--format", "json").output.replacing(report, with: "CORE") == plain)
            // The missing part is reported, and the present part is read.
            let half = folder + "/half.zst"
            try run("sh", ["-c", "head -c $(($(stat -c %s '\(core).zst') / 2)) '\(core).zst' > '\(half)'"]).requireSuccess()
            let cut = try cairn(half)
            #expect(cut.status == 1 && cut.errors.contains("half.zst: the Zstandard data ends early."), "\(cut.errors)")
            #expect(cut.output.contains("the core is cut short") || cut.errors.contains("the core is cut short"), "\(cut.output)")
        }
    }

    @Test(.enabled(if: isPossible, "core files go elsewhere, or clang is not beside swift"))
    func `what cannot be is refused, with what there is instead`() throws {
        try withCore { folder, core in
            let same = try cairn(core, "--format", "same")
            #expect(same.status == 1 && same.standardOutput.isEmpty)
            #expect(
                same.errors
                    == "cairn: error: \(core): elf-core is binary, so it cannot be written as text. Use --format text or --format json\n"
            )
            let inspected = try cairn("inspect", core)
            #expect(inspected.lines.contains("  kind          core file") && inspected.lines.contains("  threads       1"))
            #expect(inspected.output.contains(" \(folder)/shop <"), "\(inspected.output)")
        }
    }

    @Test(.enabled(if: isPossible, "core files go elsewhere, or clang is not beside swift"))
    func `a run over many logs groups a core with its log`() throws {
        try withCore { folder, core in
            let store = folder + "/crashes.sqlite"
            let run = try cairn("batch", core, "--store", store)
            #expect(run.status == 0 && run.output.contains("1 report of 1 crash log: 1 in 1 group"), "\(run.output + run.errors)")
            #expect(try cairn("batch", "top", "--store", store).output.contains("SIGSEGV in total | compare"))
        }
    }
}
