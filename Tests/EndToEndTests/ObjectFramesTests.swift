import TestSupport
import Testing

/// `cairn dwarfdump --eh-frame` of objects, in which addresses are left to the linker: beside llvm-dwarfdump 19, which leaves out those of
/// s390x.
struct ObjectFramesTests {
    private static let source = """
        int other(int n);
        int one(int n) { return other(n + 1) * 2; }
        int two(int n) { int room[40]; room[n] = one(n); return room[0] + other(n); }

        """

    @Test(
        .enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence), .enabled(if: Installed.has("clang-19"), "clang-19 is not installed"),
        arguments: [
            "x86_64-linux-gnu", "i386-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu", "powerpc64le-linux-gnu",
            "loongarch64-linux-gnu",
        ], [[], ["-ffunction-sections"], ["-x", "c++", "-fexceptions"]])
    func `functions are where the relocations say`(target: String, options: [String]) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/part.c", Array(Self.source.utf8))
            let arguments =
                ["--target=" + target, "-O2", "-g", "-fasynchronous-unwind-tables", "-c"] + options + ["part.c", "-o", "part.o"]
            try run("clang-19", arguments, directory: folder).requireSuccess()
            let expected = try run(DwarfdumpPeer.path, ["--eh-frame", "part.o"], directory: folder)
            try #require(expected.output.contains(" FDE cie="))
            let found = try run(TestPaths.cairn, ["dwarfdump", "--eh-frame", "part.o"], directory: folder)
            #expect(found.lines.filter { $0.contains(" FDE ") } == expected.lines.filter { $0.contains(" FDE ") })
            #expect(found.output == expected.output)
        }
    }
}
