import TestSupport
import Testing

/// `--skip-line-zero`, which LLVM has since version 21: beside the toolchain's own llvm-symbolizer,
/// of that version.
struct SkipLineZeroTests {
    private static let source = """
        static inline int twice(int x) { return x * 3 + 1; }
        int sum(int x) {
          int a = twice(x);
          int b = a + x;
          if (b > 3) b *= a;
          return b;
        }
        int main(int count, char **words) { return sum(count); }

        """

    /// Code without a line: first after a row with a discriminator, then without and with a column;
    /// a sequence that begins with such a row.
    private static let edits = [
        ("1 43 prologue_end", "1 43 discriminator 3"), ("1 47 is_stmt 0", "0 0"), ("4 13 is_stmt 1", "0 7"), ("8 37", "0 0"),
    ]

    private static let hasPeer = (try? Toolchain.run("llvm-symbolizer", ["--version"]).output.contains("LLVM version 21.")) ?? false

    @Test(
        .enabled(if: hasPeer && Toolchain.has("clang"), "clang and llvm-symbolizer 21 are not beside swift"),
        .enabled(if: Installed.has("llvm-dwarfdump-19"), "llvm-dwarfdump-19 (package llvm-19) is not installed"),
        arguments: [
            [], ["--verbose"], ["--output-style=GNU"], ["--output-style=JSON"], ["-p"], ["--no-inlines"], ["--relativenames", "-f=short"],
            ["--print-source-context-lines=2"], ["--verbose", "--output-style=GNU"],
        ])
    func `code without a line has the one before it, as LLVM 21 tells it`(options: [String]) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/part.c", Array(Self.source.utf8))
            try Toolchain.run("clang", ["-g", "-O1", "-S", "part.c", "-o", "part.s"], directory: folder).requireSuccess()
            var assembly = try run("cat", [folder + "/part.s"]).output
            for (old, new) in Self.edits {
                try #require(assembly.contains("\t.loc\t0 " + old))
                assembly = assembly.replacing("\t.loc\t0 " + old, with: "\t.loc\t0 " + new)
            }
            try writeFile(folder + "/part.s", Array(assembly.utf8))
            try Toolchain.run("clang", ["-c", "part.s"], directory: folder).requireSuccess()
            let part = folder + "/part.o"
            let rows = try run("llvm-dwarfdump-19", ["--debug-line", part]).lines.filter { $0.hasPrefix("0x") }
            let addresses = rows.compactMap { $0.split(separator: " ").first.map(String.init) }
            let arguments = ["--skip-line-zero"] + options + ["-e", part] + addresses
            let expected = try Toolchain.run("llvm-symbolizer", arguments)
            try #require(expected.output.contains("pproximate"))
            #expect(try run(TestPaths.cairn, ["llvm-symbolizer"] + arguments).output == expected.output)
        }
    }
}
