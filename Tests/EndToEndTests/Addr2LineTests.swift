import TestSupport
import Testing

/// `cairn addr2line` beside GNU's (binutils), byte by byte, where both say the same: C without
/// parts of functions that gcc split off, whose names GNU takes from the whole.
@Suite(.enabled(if: FlagCombination.hasOriginal("addr2line"), "addr2line 2.40 (package binutils) is not installed"))
struct Addr2LineTests {
    private static let objects = ["c-clang-aranges", "c-clang-dwarf4-O0", "c-clang-dwarf5-O2", "c-gcc-dwarf2-O1", "c-gcc-dwarf4-O0"]
    private let object = TestPaths.fixture("binaries/C/out/c-clang-dwarf5-O2")

    private func ours(_ arguments: [String], input: String = "") throws -> RunResult {
        try runTool("addr2line", arguments, input: input)
    }

    private func theirs(_ arguments: [String], input: String = "") throws -> RunResult {
        try run("addr2line", arguments, input: Array(input.utf8), environment: ["LC_ALL": "C"])
    }

    private static let options: [[String]] = [
        [], ["-f"], ["-fi"], ["-afi"], ["-pafi"], ["-pf"], ["-s"], ["-fsC"], ["-pfiasC"], ["-a"], ["-p"], ["--functions", "--inlines"],
        ["--func", "--inl"],
        ["--demangle", "--basenames"], ["--pretty-print", "--addresses"], ["-R", "-r"], ["--section=.text"], ["-j", ".text", "-fa"],
    ]
    private static let cases = options.flatMap { options in objects.map { (options, $0) } }

    @Test(arguments: Repeats.sample(12, of: cases, for: "addr2line"))
    func `every option gives GNU's answer`(options: [String], object: String) throws {
        let path = TestPaths.fixture("binaries/C/out/" + object)
        let addresses = try functionAddresses(path) + ["0", "10", "ffffffffffffffff", "0xdeadbeef"]
        let input = addresses.joined(separator: "\n") + "\n"
        let expected = try theirs(options + ["-e", path], input: input).output
        #expect(try ours(options + ["-e", path], input: input).output == expected)
        #expect(try ours(options + ["--exe=" + path] + addresses).output == expected)
    }

    @Test func `lines that are no questions are answered as GNU answers them`() throws {
        let input = hostileLines + "\nmain\nmain+3\n\(String(repeating: "f", count: 250))\nfeed\nfeed+1\n"
        let expected = try theirs(["-fa", "-e", object], input: input)
        let answered = try ours(["-fa", "-e", object], input: input)
        #expect(answered.output == expected.output)
        #expect(answered.status == expected.status)
    }

    @Test func `a file that cannot be read is told in GNU's words`() throws {
        try withTemporaryFolder { folder in
            for arguments in [
                ["-e", "/nonexistent", "1"], ["-e", folder, "1"], ["-e", "/etc/passwd", "1"], ["-e", object, "-j", ".none", "1"],
            ] {
                let expected = try theirs(arguments)
                let answered = try ours(arguments)
                #expect(answered.errors == expected.errors)
                #expect(answered.status == expected.status)
                #expect(answered.output.isEmpty)
            }
            // Usage follows; the first line says what is wrong.
            for arguments in [
                ["-Z"], ["--bogus"], ["--bogus=3"], ["-e"], ["--exe"], ["-Cx"], ["--addresses=3"], ["--ba=1"], ["-afZ"],
            ] {
                let answered = try ours(arguments)
                #expect(answered.errors.split(separator: "\n").first == (try theirs(arguments).errors.split(separator: "\n").first))
                #expect(answered.errors.contains("Usage: addr2line"))
                #expect(answered.status == 1)
                #expect(answered.output.isEmpty)
            }
        }
    }

    @Test func `files that are none, and arguments without sense, end it as GNU's ends`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/empty", [])
            let archive = folder + "/x.a"
            _ = try run("ar", ["rc", archive, TestPaths.fixture("binaries/Relocatable/out/gauge-gcc.o")])
            for arguments in [
                ["-e", "/dev/null", "1"], ["-e", folder + "/empty", "1"], ["-e", archive, "1"], ["-b", "bogus", "-e", object, "1"],
                ["--demangle=foo", "-e", object, "1"], ["--target=default", "-fe", object, "0x760"], ["@" + folder, "1"],
            ] {
                let expected = try theirs(arguments)
                let answered = try ours(arguments)
                expectSame(answered, expected)
            }
        }
    }

    /// Quotes, backslashes, files in files; a file that is not there is an operand.
    @Test func `arguments come from files`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/inner", Array("-a\n0x760".utf8))
            try writeFile(folder + "/a b", Array("-f '-i'\t\"-s\" @\(folder)/inner 0x\\763\n\n''".utf8))
            let arguments = ["@" + folder + "/a b", "-e", object, "@/nonexistent"]
            let expected = try theirs(arguments).output
            try #require(expected.contains("main"))
            #expect(try ours(arguments).output == expected)
        }
    }

    @Test(arguments: ["auto", "gnu-v3", "none", "rust", "java", "dlang"])
    func `names are read in the style that is asked for`(style: String) throws {
        for file in ["CXX/out/cxx-clang-dwarf4-O2", "RustCrash/out/tank.debug", "SwiftCrash/out/SwiftCrash"] {
            let path = TestPaths.fixture("binaries/" + file)
            // The names that the symbol table has for its first functions, so that nothing but the
            // style counts.
            let all = try Toolchain.run("llvm-nm", ["--defined-only", "--print-size", path]).lines.map { $0.split(separator: " ") }
            let starts = all.filter { $0.count == 4 && "tTW".contains($0[2]) }.map { "0x" + $0[0] }.prefix(60)
            let arguments = ["-f", "--demangle=" + style, "-e", path] + starts
            // `Box<int> >` is spelled otherwise on purpose; what is compared is whether a name was
            // read.
            let expected = try theirs(arguments).lines.enumerated().filter { $0.offset % 2 == 0 }.map { $0.element.hasPrefix("_") }
            let answered = try ours(arguments + ["--strict-compat"]).lines.enumerated().filter { $0.offset % 2 == 0 }
            #expect(answered.map { $0.element.hasPrefix("_") } == (style == "java" ? answered.map { $0.element.hasPrefix("_") } : expected))
        }
    }

    @Test(.enabled(if: Installed.has("gnatmake", "nm"), "gnatmake or nm is missing"))
    func `names of Ada are read in GNAT's style`() throws {
        try withTemporaryFolder { folder in
            let package = """
                package Shop is
                   procedure Sell (N : Integer);
                   procedure Sell (N, M : Integer);
                   function "-" (N : Integer) return Integer;
                end Shop;
                """
            let body = """
                package body Shop is
                   procedure Sell (N : Integer) is begin if N > 2 then raise Program_Error; end if; end Sell;
                   procedure Sell (N, M : Integer) is begin Sell (N); Sell (M); end Sell;
                   function "-" (N : Integer) return Integer is begin Sell (N); return 0 - N; end "-";
                end Shop;
                """
            try writeFile(folder + "/shop.ads", Array(package.utf8))
            try writeFile(folder + "/shop.adb", Array(body.utf8))
            try writeFile(folder + "/app.adb", Array("with Shop; procedure App is begin Shop.Sell (1, 2); end App;".utf8))
            try run("gnatmake", ["-q", "-g", "app.adb"], directory: folder).requireSuccess()
            let symbols = try run("nm", ["--defined-only", "app"], directory: folder).lines.map { $0.split(separator: " ") }
            let starts = symbols.filter { $0.count == 3 && ($0[2].contains("shop__") || $0[2] == "_ada_app") }.map { "0x" + $0[0] }
            try #require(starts.count == 4)
            let arguments = ["-f", "--demangle=gnat", "-e", folder + "/app"] + starts
            let expected = try theirs(arguments).output
            #expect(expected.contains("shop.\"-\""))
            #expect(try ours(arguments).output == expected)
        }
    }

    @Test func `help and version are told`() throws {
        for option in ["--help", "-h", "-H"] {
            let help = try ours([option, "-Z"])
            #expect(help.status == 0)
            #expect(help.output.hasPrefix("Usage: addr2line"))
            // Every option that GNU's own help lists.
            for line in try theirs([option]).lines where line.hasPrefix("  -") {
                #expect(help.output.contains(String(line.dropFirst(2).prefix { $0 != " " }) + " --"))
            }
        }
        for option in ["--version", "-v", "-V", "--vers"] {
            let version = try ours([option])
            #expect(version.status == 0)
            #expect(version.output.hasPrefix("GNU addr2line (cairn "))
            #expect(version.output.hasSuffix(" 2.40\n"))
        }
    }

    /// An address counts from its section, also where every section begins at 0.
    @Test func `sections of a relocatable file`() throws {
        let path = TestPaths.fixture("binaries/Relocatable/out/gauge-function-sections.o")
        for section in [".text.run", ".text.measure"] {
            let arguments = ["-afi", "-j", section, "-e", path, "0", "1", "0x10", "0x12", "0x13", "5a", "5b"]
            let expected = try theirs(arguments).output
            try #require(expected.contains("gauge.c:"))
            #expect(try ours(arguments).output == expected)
        }
    }

    /// perf takes a function for an inlined one if it is not called as perf calls it: of several
    /// symbols at an address the one that debug information has is meant, as it is in glibc, whose
    /// `__libc_start_main_impl` is also `__libc_start_main`.
    @Test(arguments: [Installed.path("gcc"), Toolchain.path("clang")].compactMap { $0 })
    func `a function with several symbols is called as debug information calls it`(compiler: String) throws {
        let source = """
            #define HIDDEN __attribute__((visibility("hidden")))
            HIDDEN int first(int value) { return value * 3; }
            int a_second(int value) __attribute__((alias("first")));
            int zz_third(int value) __attribute__((alias("first")));
            HIDDEN int hidden(int value) __asm__("__real_hidden");
            int hidden(int value) { return first(value) + 1; }
            int a_hidden(int value) __attribute__((alias("__real_hidden")));
            int main(void) { return hidden(4); }

            """
        try withTemporaryFolder { folder in
            try writeFile(folder + "/part.c", Array(source.utf8))
            try run(compiler, ["-g", "-O0", folder + "/part.c", "-o", folder + "/part"]).requireSuccess()
            let arguments = ["-fie", folder + "/part"] + (try functionAddresses(folder + "/part"))
            let expected = try theirs(arguments).output
            for name in ["first", "__real_hidden", "main"] { try #require(expected.contains(name + "\n")) }
            #expect(try ours(arguments).output == expected)
        }
    }

    /// Assembler's code as well: glibc's `__memmove_avx_unaligned_erms` is also
    /// `__memcpy_avx_unaligned_erms`, and processors choose which such code runs. The linker orders
    /// symbols by their hash: of six pairs some are in the symbol table as in the debug
    /// information, others are not.
    @Test func `assembler's code with two names is called as debug information calls it`() throws {
        func function(_ names: [String]) -> String {
            names.map { "\t.globl \($0)\n\t.hidden \($0)\n\t.type \($0), @function\n\($0):\n" }.joined()
                + String(repeating: "\tnop\n", count: 12) + "\tret\n"
                + names.map { "\t.size \($0), . - \($0)\n" }.joined()
        }
        let pairs = ["avx", "avx_rtm", "evex", "sse2", "erms", "ssse3"].map { ["move_" + $0, "copy_" + $0] }
        let source = "\t.text\n" + (pairs + [["main"]]).map(function).joined() + "\t.section .note.GNU-stack,\"\",@progbits\n"
        try withTemporaryFolder { folder in
            try writeFile(folder + "/part.S", Array(source.utf8))
            try run("gcc", ["-g", folder + "/part.S", "-o", folder + "/part"]).requireSuccess()
            let arguments = ["-fie", folder + "/part"] + (try functionAddresses(folder + "/part"))
            let expected = try theirs(arguments).output
            for pair in pairs { try #require(pair.contains { expected.contains($0 + "\n") }) }
            #expect(try ours(arguments + ["--strict-compat"]).output == expected)
        }
    }

    @Test(arguments: ["addr2line", "x86_64-linux-gnu-addr2line", "addr2line-2.40"])
    func `a link by the tool's name is the tool`(name: String) throws {
        try withTemporaryFolder { folder in
            try run("ln", ["-s", TestPaths.cairn, folder + "/" + name]).requireSuccess()
            let arguments = ["-fie", object] + (try functionAddresses(object))
            #expect(try run(folder + "/" + name, arguments).output == theirs(arguments).output)
        }
    }
}
