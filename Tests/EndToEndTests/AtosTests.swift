import TestSupport
import Testing

/// atos' options and output grammar. Addresses of `shapes-x86_64` and of CrashExample come from the
/// tables beside them (llvm-symbolizer).
struct AtosTests {
    private let binary = "binaries/CrashExample/out/CrashExample"
    private let transition = "-[CrashExampleAppDelegate performTransition] (in CrashExample) (CrashExampleAppDelegate.m:94)"

    @Test(arguments: [
        // The slice is linked at 0x1000 and 0x1a94 is in line 94.
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
        let requested = try cairn("atos", "-o", binary, "-arch", "x86_64", input: "0x1a94\n6380\n0x1")
        #expect(requested.lines == [transition, "main (in CrashExample) (main.m:9)", "0x1"])
        try withTemporaryFolder { folder in
            try writeFile(folder + "/addresses", Array("0x1a94 6380\n\t0x1".utf8))
            let filed = try cairn("atos", "-o", binary, "-arch", "x86_64", "-f", folder + "/addresses")
            #expect(filed.lines == requested.lines)
        }
    }

    /// A program that writes one address and waits for its result before it writes the next.
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

    /// With `-i` every function has a line, innermost first, and an empty line ends the response;
    /// without, the function that holds the code, with the line in it.
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
        // llvm-nm on the file before it was stripped: a local function at 0x784, the next one at
        // 0x830.
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

    /// llvm-objdump's `--indirect-symbols` has the stub of `_objc_msgSendSuper2` at 0x1ae2, six
    /// bytes long.
    @Test func `an address in a stub is named after the function behind it`() throws {
        let result = try cairn("atos", "-o", binary, "-arch", "x86_64", "0x1ae2", "0x1ae7")
        #expect(
            result.lines == ["DYLD-STUB$$objc_msgSendSuper2 (in CrashExample) + 0", "DYLD-STUB$$objc_msgSendSuper2 (in CrashExample) + 5"])
    }

    /// As asan_symbolize.py of compiler-rt does it: the tool in a terminal of its own, one address
    /// written, one line read and matched; lines that name the file are skipped.
    @Test func `asked in a terminal, each line matches what asan_symbolize looks for`() throws {
        let script = #"""
            import os, pty, re, sys, termios
            pid, fd = pty.fork()
            if pid == 0:
                os.execv(sys.argv[1], sys.argv[1:])
            attributes = termios.tcgetattr(fd)
            attributes[3] &= ~termios.ECHO
            termios.tcsetattr(fd, termios.TCSADRAIN, attributes)
            pipe = os.fdopen(fd, 'r+b', buffering=0)
            def line():
                text = b''
                while not text.endswith(b'\n'):
                    text += pipe.read(1)
                return text.decode().rstrip()
            for address in ['0x1a94', '0x18ec', '0x1']:
                pipe.write((address + '\n').encode())
                answer = line()
                while 'got symbolicator for' in answer:
                    answer = line()
                match = re.match(r'^(.*) \(in (.*)\) \((.*:\d*)\)$', answer)
                print('|'.join(match.groups()) if match else 'no match: ' + answer)
            """#
        for options in [[], ["-printHeader"]] {
            let arguments = ["-c", script, TestPaths.cairn, "atos", "-o", TestPaths.fixture(binary), "-arch", "x86_64"] + options
            let result = try run("python3", arguments)
            #expect(
                result.lines == [
                    "-[CrashExampleAppDelegate performTransition]|CrashExample|CrashExampleAppDelegate.m:94", "main|CrashExample|main.m:9",
                    "no match: 0x1",
                ])
        }
    }

    /// symbolicatecrash passes all addresses of an image at once and takes as many lines, in their
    /// order.
    @Test func `as many lines as addresses, in their order`() throws {
        let addresses = ["0x10000a95", "0x100008ec", "0x99999999", "0x10000a94", "0x100008ec"]
        let result = try cairn(["atos", "-arch", "x86_64", "-l", "0x10000000", "-o", binary] + addresses)
        let main = "main (in CrashExample) (main.m:9)"
        #expect(result.lines.count == addresses.count)
        #expect(result.lines == [transition, main, "0x99999999", transition, main])
    }

    /// The sanitizers read until an empty line.
    @Test func `with inlined calls each answer ends with an empty line`() throws {
        let result = try cairn("atos", "-i", "-o", binary, "-arch", "x86_64", input: "0x1a94\n0x1\n0x18ec\n")
        #expect(result.output == "\(transition)\n\n0x1\n\nmain (in CrashExample) (main.m:9)\n\n")
    }

    @Test(
        .enabled(if: Installed.has("llvm-symbolizer-19"), "llvm-symbolizer-19 (package llvm-19) is not installed"),
        arguments: ["arm64e", "arm64"])
    func `a slice for arm64e answers who asks for arm64`(architecture: String) throws {
        let object = "binaries/MachOArchitectures/out/machine-arm64e.o"
        let path = TestPaths.fixture(object)
        let row = try #require(
            try Toolchain.run("llvm-nm", ["--defined-only", path]).lines.first { $0.contains(" T ") || $0.contains(" t ") })
        let address = "0x" + row.prefix { $0 != " " }
        let peer = try run("llvm-symbolizer-19", ["--obj=" + path, "--basenames", "--no-inlines", address]).lines
        try #require(peer.count >= 2 && peer[0] != "??")
        let location = peer[1].split(separator: ":").prefix(2).joined(separator: ":")
        let result = try cairn("atos", "-o", object, "-arch", architecture, address)
        #expect(result.lines == ["\(peer[0]) (in machine-arm64e.o) (\(location))"])
    }

    /// The options of Apple's manual page, with one dash and with two.
    @Test func `every documented option is taken`() throws {
        let options = [
            ["arch", "x86_64"], ["inlineFrames"], ["i"], ["fullPath"], ["dedup"], ["printHeader"], ["d", "\n"], ["l", "1000"], ["s", "0"],
            ["textExecAddress", "1000"],
        ]
        for option in options {
            for dashes in ["-", "--"] {
                let own = option[0] == "arch" ? [] : ["-arch", "x86_64"]
                let result = try cairn(["atos", "-o", binary] + own + [dashes + option[0]] + option.dropFirst() + ["0x1a94"])
                #expect(result.status == 0, "\(option): \(result.errors)")
                #expect(result.output.contains("performTransition"), "\(option)")
            }
        }
        let help = try cairn("atos", "-help")
        #expect(help.status == 0)
        for option in options { #expect(help.output.contains("-\(option[0])")) }
        for wrong in [["-bogus"], ["-l"], ["-l", "zz"], ["-offset", "-s", "1"], ["-f", "/nonexistent/addresses"]] {
            let result = try cairn(["atos", "-o", binary, "-arch", "x86_64"] + wrong)
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            #expect(!result.errors.isEmpty)
        }
        #expect(
            try cairn("atos", "-p", "1", "0x1").errors.hasPrefix(
                "[invalid usage]: -p 1: no processes are read here, expected -o with a file"))
    }
}
