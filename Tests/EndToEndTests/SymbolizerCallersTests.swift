import TestSupport
import Testing

/// Programs that call a symbolizer: their reports with cairn in its place are those with the tool
/// itself.
struct SymbolizerCallersTests {
    /// Inlined calls, a template, a lambda; the first argument says how it goes wrong.
    private static let source = """
        #include <cstdio>
        #include <cstdlib>
        int table[4];
        namespace deep {
            template <class T> __attribute__((noinline)) T read(T *values, int index) { return values[index]; }
            struct Row { static inline int get(int *values, int index) { return read(values, index); } };
        }
        static inline int through(int *values, int index) { return deep::Row::get(values, index); }
        int main(int count, char **words) {
            int local[8] = {0};
            auto last = [&](int index) { return through(local, index); };
            if (count > 3) { int x = 0x7fffffff; x += count; std::printf("%d\\n", x); return 0; }
            if (count > 2) return last(count + 20);
            if (count > 1) return through(table, count + 4);
            int *values = new int[4];
            delete[] values;
            return through(values, 1);
        }

        """

    /// A sanitizer's report without the numbers that differ from run to run.
    private func report(_ program: String, _ count: Int, symbolizer: String, strictly: Bool = false) throws -> String {
        let options = "external_symbolizer_path=" + symbolizer
        let environment: [String: String?] = [
            "ASAN_OPTIONS": options, "UBSAN_OPTIONS": "print_stacktrace=1:" + options, "ASAN_SYMBOLIZER_PATH": symbolizer,
            "UBSAN_SYMBOLIZER_PATH": symbolizer, "CAIRN_STRICT_COMPAT": strictly ? "1" : nil,
        ]
        let result = try run(program, (0..<count).map { String($0) }, environment: environment)
        return (result.errors + result.output).replacing(#/==[0-9]+==/#, with: "==").replacing(#/0x[0-9a-f]+/#, with: "0x")
            .replacing(#/T[0-9]+/#, with: "T")
    }

    /// Compilers with a runtime: gcc's, and the clang of the Swift toolchain.
    private static let compilers = [Installed.path("g++"), Toolchain.path("clang++")].compactMap { $0 }

    private static let cases = compilers.flatMap { compiler in ["-O0", "-O1"].map { (compiler, $0) } }

    @Test(
        .enabled(if: !compilers.isEmpty, "g++ is not installed, and clang++ is not beside swift"),
        .enabled(if: Installed.has("llvm-symbolizer-19", "addr2line"), "llvm-19 or binutils is not installed"),
        arguments: cases)
    func `a sanitizer's report is the same as with the tool itself`(compiler: String, level: String) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/part.cpp", Array(Self.source.utf8))
            let flags = ["-g", level, "-fsanitize=address,undefined", "-fno-omit-frame-pointer"]
            try run(compiler, flags + [folder + "/part.cpp", "-o", folder + "/part"]).requireSuccess()
            for (name, original) in [("llvm-symbolizer", "llvm-symbolizer-19"), ("addr2line", "addr2line")] {
                let path = try #require(Installed.path(original))
                try makeFolders(folder + "/ours", folder + "/theirs")
                try run("ln", ["-sf", TestPaths.cairn, folder + "/ours/" + name]).requireSuccess()
                try run("ln", ["-sf", path, folder + "/theirs/" + name]).requireSuccess()
                for count in Repeats.sample(1, of: Array(0...3), for: compiler + level + name) {
                    let expected = try report(folder + "/part", count, symbolizer: folder + "/theirs/" + name)
                    let answered = try report(folder + "/part", count, symbolizer: folder + "/ours/" + name)
                    // For the C library GNU names other files than its debug information does.
                    let own = { (text: String) in text.split(separator: "\n").filter { !$0.contains("libc") || name == "llvm-symbolizer" } }
                    // A function of the C library is called as its debug information calls it; LLVM
                    // takes the symbol's name, and so does cairn when it has to be the same.
                    let names = { (text: String) in own(text.replacing("__libc_start_main_impl", with: "__libc_start_main")) }
                    #expect(names(answered) == names(expected), "\(name) \(count), \(Repeats.hint)")
                    let strict = try report(folder + "/part", count, symbolizer: folder + "/ours/" + name, strictly: true)
                    #expect(own(strict) == own(expected), "\(name) \(count), \(Repeats.hint)")
                    if count != 2 || compiler.hasSuffix("clang++") { #expect(expected.contains("part.cpp:")) }
                }
            }
        }
    }
}

/// Programs that call addr2line and llvm-symbolizer write the same with cairn in their place:
/// `scripts/checks/callers` compares them byte for byte, here its quick rows.
struct CallersTests {
    private static let script = TestPaths.root + "/scripts/checks/callers"

    /// Why a group of callers cannot run here; `nil` if it can.
    private static func absence(_ group: String) -> String? {
        guard let result = try? run(script, ["--missing", group]) else { return "bash is not here" }
        return result.status == 0 ? nil : result.output + result.errors
    }

    private static let perf = absence("perf")
    private static let pprof = absence("pprof")
    private static let asan = absence("asan")

    private func expectAgreement(_ rows: [String]) throws {
        let result = try run(
            Self.script, ["--runs", "0"] + rows, environment: ["CAIRN_BINARY": TestPaths.cairn, "CAIRN_STRICT_COMPAT": nil]
        ).requireSuccess()
        #expect(result.lines.last == "\(rows.count) rows agree")
    }

    @Test(.enabled(if: perf == nil, Comment(rawValue: perf ?? ""))) func `perf's lines and inlined calls`() throws {
        try expectAgreement(["perf-script-gcc", "perf-report-sort-gcc", "perf-report-inline-gcc"])
    }

    @Test(.enabled(if: pprof == nil, Comment(rawValue: pprof ?? ""))) func `google-pprof's lines and inlined calls`() throws {
        try expectAgreement(["pprof-text-gcc"])
    }

    @Test(.enabled(if: asan == nil, Comment(rawValue: asan ?? ""))) func `reports that asan_symbolize reads`() throws {
        try expectAgreement(["asan-llvm-symbolizer-gcc", "asan-addr2line-gcc", "asan-llvm-symbolizer-demangle-clang"])
    }
}
