import TestSupport
import Testing

/// atos' options and output grammar. Addresses of `shapes-x86_64` and of CrashExample come from the tables beside them (llvm-symbolizer).
struct AtosTests {
    private let binary = "binaries/CrashExample/out/CrashExample"
    private let transition = "-[CrashExampleAppDelegate performTransition] (in CrashExample) (CrashExampleAppDelegate.m:94)"

    @Test(arguments: [
        // The slice is linked at 0x1000 and 0x1a94 lies in line 94.
        ["-l", "0x10000000", "0x10000a94"], ["-l", "10000000", "0x10000a94"], ["-s", "0x5000", "0x6a94"], ["-offset", "0xa94"],
        ["--offset", "0xa94"], ["6804"], ["0x1a94"], ["1a94"], ["-fullPath", "0x1a94"],
    ])
    func `an address is taken as loaded, slid, an offset, or as linked`(arguments: [String]) throws {
        let result = try cairn(["atos", "-o", binary, "-arch", "x86_64"] + arguments)
        let expected = arguments.contains("-fullPath") ? transition.replacing("(Crash", with: "(/src/Crash") : transition
        #expect(result.lines == [expected])
        #expect(result.status == 0)
    }

    @Test func `answers come in the order of the arguments, an address outside as it was typed`() throws {
        let result = try cairn("atos", "-o", binary, "-arch", "x86_64", "0xdeadbeef", "0x1a94", "word", "0x18ec")
        #expect(result.lines == ["0xdeadbeef", transition, "word", "main (in CrashExample) (main.m:9)"])
    }

    @Test func `standard input is answered line by line, a file of addresses word by word`() throws {
        let asked = try cairn("atos", "-o", binary, "-arch", "x86_64", input: "0x1a94\n6380\n0x1")
        #expect(asked.lines == [transition, "main (in CrashExample) (main.m:9)", "0x1"])
        try withTemporaryFolder { folder in
            try writeFile(folder + "/addresses", Array("0x1a94 6380\n\t0x1".utf8))
            let filed = try cairn("atos", "-o", binary, "-arch", "x86_64", "-f", folder + "/addresses")
            #expect(filed.lines == asked.lines)
        }
    }

    /// A program that asks one address and waits for its answer before it asks the next.
    @Test func `each line is answered before the next is asked`() throws {
        let script = """
            coproc "$0" atos -o "$1" -arch x86_64; for a in 0x1a94 0x18ec; do echo $a >&${COPROC[1]}; read -t 20 l <&${COPROC[0]} && echo "$l"; done
            """
        let result = try run("bash", ["-c", script, TestPaths.cairn, TestPaths.fixture(binary)])
        #expect(result.lines == [transition, "main (in CrashExample) (main.m:9)"])
    }

    @Test func `a link called atos is atos`() throws {
        try withTemporaryFolder { folder in
            let linked = try run("ln", ["-s", TestPaths.cairn, folder + "/atos"])
            #expect(linked.status == 0)
            let result = try run(folder + "/atos", ["-o", TestPaths.fixture(binary), "-arch", "x86_64", "0x1a94"])
            #expect(result.lines == [transition])
        }
    }

    /// With `-i` every function has a line, innermost first, and an empty line ends the answer; without, the function that holds the code, with the line in it.
    @Test func `inlined calls`() throws {
        let rows = try table(TestPaths.fixture("binaries/MachOCXX/out/shapes-x86_64.expected.tsv"))
        // The bundle holds `shapes` and a library; the one that it is called by is meant.
        let shapes = ["atos", "-o", "binaries/MachOCXX/out/shapes.dSYM", "-arch", "x86_64"]
        let depth = rows.firstIndex { $0["inline_depth"] == "2" }
        let innermost = try #require(depth.map { $0 - 2 })
        let address = try #require(rows[innermost]["address"])
        let chain = rows[innermost...].prefix { $0["address"] == address }
        let lines = chain.map { row in
            "\(row["function"] ?? "") (in shapes) (\((row["file"] ?? "").split(separator: "/").last ?? ""):\(row["line"] ?? ""))"
        }
        #expect(lines.count >= 3)
        let plain = try cairn(shapes + [address])
        #expect(plain.output == lines[lines.count - 1] + "\n")
        for option in ["-i", "-inlineFrames", "--inlineFrames"] {
            let inlined = try cairn(shapes + [option, address])
            #expect(inlined.output == lines.map { $0 + "\n" }.joined() + "\n")
        }
        let delimited = try cairn(shapes + ["-i", "-d", "; ", address])
        #expect(delimited.output == lines.map { $0 + "; " }.joined() + "\n")
    }

    @Test func `without debug information the offset is given, without a name the function's address`() throws {
        try withTemporaryFolder { folder in
            // Away from its dSYM bundle only the symbol table is left: 0x1a95 - 0x1a50 = 69.
            let copied = try run("cp", [TestPaths.fixture(binary), folder])
            #expect(copied.status == 0)
            let named = try cairn("atos", "-o", folder + "/CrashExample", "-arch", "x86_64", "0x1a95")
            #expect(named.lines == ["-[CrashExampleAppDelegate performTransition] (in CrashExample) + 69"])
        }
        // llvm-nm on the file before it was stripped: a local function at 0x784, the next one at 0x830.
        let unnamed = try cairn("atos", "-o", "binaries/MachOCXX/out/shapes-arm64-stripped", "0x100000788", "0x10000082f")
        #expect(unnamed.lines == [4, 171].map { "0x0000000100000784 (in shapes-arm64-stripped) + \($0)" })
    }

    @Test func `several files: the first that holds the address answers`() throws {
        let result = try cairn("atos", "-o", binary, "-o", "binaries/C/out/c-gcc-dwarf4-O0", "-arch", "x86_64", "0x1a94", "0x1149")
        #expect(result.lines == [transition, "twice (in c-gcc-dwarf4-O0) (main.c:7)"])
    }

    @Test func `wrong usage and missing files are said in atos' words, with status 1`() throws {
        let none = try cairn("atos", "0x1")
        #expect(none.status == 1)
        #expect(none.errors.hasPrefix("[invalid usage]: no processes or executables specified\n"))
        let missing = try cairn("atos", "-o", "nothing", "-arch", "arm64", "0x1")
        #expect(missing.status == 1)
        #expect(missing.errors.hasPrefix("atos cannot load symbols for the file nothing for architecture arm64.\n"))
        let both = try cairn("atos", "-o", binary, "-l", "0x1", "-s", "0x1", "0x1")
        #expect(both.status == 1)
        let process = try cairn("atos", "-p", "1", "0x1")
        #expect(process.status == 1)
        #expect(process.output == "")
    }

    @Test func `the header tells the file and its base`() throws {
        let result = try cairn("atos", "-printHeader", "-o", binary, "-arch", "arm64", "0x1")
        #expect(result.lines.first == "got symbolicator for \(binary), base address 4000")
    }

    /// llvm-objdump's `--indirect-symbols` has the stub of `_objc_msgSendSuper2` at 0x1ae2, six bytes long.
    @Test func `an address in a stub is named after the function behind it`() throws {
        let result = try cairn("atos", "-o", binary, "-arch", "x86_64", "0x1ae2", "0x1ae7")
        #expect(
            result.lines == ["DYLD-STUB$$objc_msgSendSuper2 (in CrashExample) + 0", "DYLD-STUB$$objc_msgSendSuper2 (in CrashExample) + 5"])
    }
}
