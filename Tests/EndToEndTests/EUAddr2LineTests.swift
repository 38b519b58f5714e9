import TestSupport
import Testing

/// `cairn eu-addr2line` beside elfutils', byte by byte, where both say the same.
@Suite(.enabled(if: FlagCombination.hasOriginal("eu-addr2line"), "eu-addr2line 0.188 (package elfutils) is not installed"))
struct EUAddr2LineTests {
    private let object = TestPaths.fixture("binaries/C/out/c-gcc-dwarf4-O0")

    private func ours(_ arguments: [String], input: String = "") throws -> RunResult {
        try runTool("eu-addr2line", arguments, input: input)
    }

    private func theirs(_ arguments: [String], input: String = "") throws -> RunResult {
        try run("eu-addr2line", arguments, input: Array(input.utf8), environment: ["LC_ALL": "C", "DEBUGINFOD_URLS": nil as String?])
    }

    @Test(arguments: ["C/out/c-gcc-dwarf4-O0", "C/out/c-clang-aranges", "Relocatable/out/gauge-gcc.o"])
    func `places are numbers, symbols and sections`(file: String) throws {
        let path = TestPaths.fixture("binaries/" + file)
        let symbol = file.hasSuffix(".o") ? "run" : "main"
        let input = hostileLines + "\n\(symbol)\n\(symbol)+3\n\(symbol)-1\n\(symbol)+99999\n(.text)0x10\n(.nope)1\n"
        for options in [["-a"], ["-af"], ["-afS", "--strict-compat"]] {
            let plain = options.filter { $0 != "--strict-compat" }
            // A line whose symbol is not there ends with a complaint; the section in parentheses is
            // compared where the original's output is meant.
            let lines = options.count > 1 ? input : input.replacing("(.text)0x10\n(.nope)1\n", with: "")
            let expected = try theirs(plain + ["-e", path], input: lines)
            let answered = try ours(options + ["-e", path], input: lines)
            expectSame(answered, expected)
        }
    }

    @Test func `the exit status is that of the last question`() throws {
        for arguments in [["main", "garbage"], ["garbage", "main"], [""], ["0"]] {
            let expected = try theirs(["-e", object] + arguments)
            let answered = try ours(["-e", object] + arguments)
            expectSame(answered, expected)
        }
    }

    @Test func `sections of relocatable files, and here of linked ones`() throws {
        let path = TestPaths.fixture("binaries/Relocatable/out/gauge-gcc.o")
        for options in [["-aS"], ["-x"], ["-fi"]] {
            let arguments = options + ["-e", path, "-j", ".text", "0", "0x20"]
            #expect(try ours(arguments).output == theirs(arguments).output)
        }
        // .text begins at 0x1060, and 0x1149 is twice's first address (llvm-nm).
        #expect(try ours(["-af", "-j", ".text", "-e", object, "e9"]).lines == ours(["-af", "-e", object, "0x1149"]).lines)
        #expect(try ours(["-af", "-e", object, "(.text)0xe9"]).lines == ours(["-af", "-e", object, "0x1149"]).lines)
        let unknown = try ours(["-j", ".nope", "-e", object, "1"])
        #expect(unknown.status == 1 && unknown.output.isEmpty && unknown.errors.contains(".nope"))
        let strict = try ours(["--strict-compat", "-j", ".text", "-e", object, "e9"])
        let original = try theirs(["-j", ".text", "-e", object, "e9"])
        expectSame(strict, original)
    }

    @Test func `misuse and files that cannot be read are told in elfutils' words`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/empty", [])
            for arguments in [
                ["-e", "/nonexistent", "1"], ["-e", folder, "1"], ["-e", "/etc/passwd", "1"], ["-e", folder + "/empty", "1"], ["-Z"],
                ["--bogus"], ["-e"], ["--s"], ["--fun=3"], ["-ae"],
            ] {
                let expected = try theirs(arguments)
                let answered = try ours(arguments)
                #expect(answered.errors == expected.errors)
                #expect(answered.status == expected.status)
                #expect(answered.output.isEmpty)
            }
        }
    }

    /// Rows of every kind that compilers write: clang marks where prologues end, gcc and clang
    /// distinguish blocks of a line.
    @Test(
        .enabled(if: Installed.has("llvm-dwarfdump-19"), "llvm-dwarfdump-19 (package llvm-19) is not installed"),
        arguments: ["C/out/c-gcc-dwarf4-O0", "C/out/c-gcc-dwarf5-O2", "C/out/c-clang-aranges"])
    func `flags of the line table follow the place`(file: String) throws {
        let path = TestPaths.fixture("binaries/" + file)
        let rows = try run("llvm-dwarfdump-19", ["--debug-line", path]).lines.filter { $0.hasPrefix("0x") && !$0.contains("end_sequence") }
        let addresses = Set(rows.compactMap { $0.split(separator: " ").first.map(String.init) }).sorted()
        for options in [["-F"], ["-Fai", "--pretty-print"]] {
            let expected = try theirs(options + ["-e", path] + addresses).lines
            #expect(expected.count { $0.contains("(is_stmt)") } > 3)
            #expect(try ours(options + ["-e", path] + addresses).lines == expected)
        }
    }

    /// One line that says what there is instead.
    @Test(arguments: [
        ["-p", "1"], ["--pid=1"], ["--core=x"], ["-k"], ["-K"], ["--offline-kernel=6.1"], ["-M", "/proc/self/maps"],
    ])
    func `what needs a live process or kernel is refused`(arguments: [String]) throws {
        let result = try ours(arguments + ["1"])
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("eu-addr2line: -"))
        #expect(result.errors.contains("expected "))
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test func `help and version are told`() throws {
        let help = try ours(["--help"])
        #expect(help.status == 0)
        // Every option of the original's own help.
        for line in try theirs(["--help"]).lines where line.contains("  --") || line.contains(", --") {
            let name = line.firstRange(of: "--").map { line[$0.lowerBound...].prefix { $0 != " " && $0 != "=" && $0 != "[" } }
            #expect(help.output.contains(name ?? "none"))
        }
        #expect(try ours(["-?"]).output == help.output)
        #expect(try ours(["--usage"]).lines.count == 1)
        #expect(try ours(["--version"]).output.hasSuffix(" 0.188\n"))
    }

    @Test func `each line is answered before the next is asked`() throws {
        let script = """
            coproc "$0" eu-addr2line -fe "$1"; for a in main 0x118f; do echo $a >&${COPROC[1]}
            for n in 1 2; do read -t 20 l <&${COPROC[0]} && echo "$l"; done; done
            """
        let result = try run("bash", ["-c", script, TestPaths.cairn, object])
        #expect(result.lines == (try theirs(["-fe", object, "main", "0x118f"]).lines))
        #expect(result.lines.count == 4)
    }

    /// The compilation directory is /src (llvm-dwarfdump); 0x118f is main's first address, in line
    /// 8.
    @Test func `relative paths are without the compilation directory, strictly they are the original's`() throws {
        let whole = try theirs(["-e", object, "0x118f"]).output
        try #require(whole.hasPrefix("/src/main.c:"))
        #expect(try ours(["-e", object, "0x118f"]).output == whole)
        #expect(try ours(["--relative", "-e", object, "0x118f"]).output == whole.dropFirst("/src/".count))
        #expect(try ours(["--relative", "-A", "-e", object, "0x118f"]).output == whole)
        #expect(
            try ours(["--relative", "--strict-compat", "-e", object, "0x118f"]).output
                == theirs(["--relative", "-e", object, "0x118f"]).output)
    }

    /// A debug file by its build ID, in a folder that the option names.
    @Test func `debug files are looked for in the folders that are named`() throws {
        try withTemporaryFolder { folder in
            let stripped = TestPaths.fixture("binaries/Markup/out/markup")
            let id = try run("readelf", ["-n", stripped]).lines.first { $0.contains("Build ID:") }?.split(separator: " ").last
            let digits = String(try #require(id))
            let directory = folder + "/.build-id/" + digits.prefix(2)
            try makeFolders(directory)
            _ = try run("cp", [TestPaths.fixture("binaries/Markup/out/markup.debug"), directory + "/" + digits.dropFirst(2) + ".debug"])
            _ = try run("cp", [stripped, folder + "/markup"])
            let row = try Toolchain.run("llvm-nm", ["--defined-only", TestPaths.fixture("binaries/Markup/out/markup.debug")]).lines.first {
                $0.hasSuffix(" T main")
            }
            let address = "0x" + (try #require(row)).prefix { $0 != " " }
            #expect(try ours(["-e", folder + "/markup", address]).output == "??:0\n")
            let found = try ours(["--debuginfo-path=/nonexistent:" + folder, "-e", folder + "/markup", address]).output
            #expect(found.contains(":") && !found.hasPrefix("??"))
        }
    }
}
