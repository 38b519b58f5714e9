import TestSupport
import Testing

/// The forms in which clang says addresses to save relocations: the same program has the same answers in each.
struct AddressFormTests {
    private static let source = """
        volatile int sink;
        static inline __attribute__((always_inline)) int twice(int n) {
          sink += n;
          return sink * 3;
        }
        __attribute__((noinline)) int one(int n) {
          int r = twice(n + 1);
          return r + sink;
        }
        __attribute__((noinline)) int two(int n) {
          if (n > 3) sink++;
          return twice(n + 2) * 5 - one(n);
        }
        int main(int count, char **words) { return two(count) + twice(count); }

        """

    @Test(
        .enabled(if: Installed.has("clang-19", "nm"), "clang-19 or nm is not installed"), arguments: ["Ranges", "Expressions", "Form"],
        [4, 5])
    func `an address says the same in every form`(form: String, version: Int) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/part.c", Array(Self.source.utf8))
            for (name, kind) in [("plain", "Disabled"), ("other", form)] {
                try run(
                    "clang-19", ["-g", "-gdwarf-\(version)", "-O1", "-mllvm", "-minimize-addr-in-v5=\(kind)", "part.c", "-o", name],
                    directory: folder
                ).requireSuccess()
            }
            // The debug information alone differs.
            let code = try run("sh", ["-c", "nm -n plain | grep -i ' t '; nm -n other | grep -i ' t '"], directory: folder).lines
            try #require(code.prefix(code.count / 2) == code.suffix(code.count / 2))
            let starts = code.map { $0.split(separator: " ") }.filter { ["one", "two", "main"].contains($0.last) }.map { $0[0] }
            let addresses = Set(starts).sorted().flatMap { start in
                (0..<40).map { "0x" + String((UInt64(start, radix: 16) ?? 0) + $0, radix: 16) }
            }
            let plain = try cairn(["llvm-symbolizer", "-e", folder + "/plain"] + addresses).output
            try #require(plain.contains("twice\n") && plain.contains("part.c:3:"))
            #expect(try cairn(["llvm-symbolizer", "-e", folder + "/other"] + addresses).output == plain)
        }
    }
}
