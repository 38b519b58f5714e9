import BinaryPrimitives
import TestSupport
import Testing

/// `cairn verify`, which is a program beside `cairn`.
struct VerifyTests {
    @Test func `readers that agree are status 0 and one line`() throws {
        let result = try cairn("verify", "binaries/C/out/c-gcc-dwarf5-O2", "--sample", "100")
        #expect(result.status == 0)
        let line = try #require(result.lines.first)
        #expect(
            result.lines.count == 1 && line.hasPrefix("binaries/C/out/c-gcc-dwarf5-O2: ") && line.hasSuffix(" agree, 0 differ"),
            "\(line)")
    }

    /// With addresses given, they alone are looked up; the same seed draws the same addresses.
    @Test func `addresses are those given, or drawn by the seed`() throws {
        let given = try cairn("verify", "binaries/C/out/c-gcc-dwarf5-O2", "0x1120", "1130", "0x1120")
        #expect(given.lines == ["binaries/C/out/c-gcc-dwarf5-O2: 2 addresses: 2 agree, 0 differ"])
        let file = "binaries/CXX/out/cxx-clang-dwarf5-O0"
        #expect(try cairn("verify", file, "--seed", "7").output == cairn("verify", file, "--seed", "7").output)
        #expect(try cairn("verify", file, "--seed", "7", "--sample", "0").output != cairn("verify", file, "--seed", "7").output)
    }

    @Test func `every slice of a universal file is asked, or the one that is named`() throws {
        let file = "binaries/CrashExample/out/CrashExample.dSYM"
        let both = try cairn("verify", file)
        #expect(both.status == 0 && both.lines.count == 2)
        let one = try cairn("verify", file, "--arch", "arm64")
        #expect(one.status == 0 && one.lines.count == 1)
        let none = try cairn("verify", file, "--arch", "mips")
        #expect(none.status == 1 && none.errors.contains("no object for the architecture mips: it holds"))
    }

    /// Debug information outside the linked file is compared too: split units in both versions,
    /// alone and in packages, and the parts that dwz moved.
    @Test(arguments: ["split-gcc5", "split-clang5", "split-gcc4", "split-clang4", "package-clang5", "package-gcc4", "dwz-one"])
    func `the files beside a program are compared with it`(name: String) throws {
        let result = try cairn("verify", "binaries/SplitUnits/out/" + name)
        #expect(result.status == 0)
        #expect(!result.output.contains("missing") && !result.output.contains("could not read"), "\(result.output)")
    }

    @Test func `split units whose file is missing are counted`() throws {
        let result = try cairn("verify", "binaries/SplitUnits/out/split-missing")
        #expect(result.status == 0)
        #expect(result.lines.contains { $0.hasPrefix("  only lines compared, because the file of their split unit is missing: ") })
    }

    /// As `cairn info line` resolves it: by `.gnu_debuglink`, and by the dSYM beside it.
    @Test func `of a file without debug information, its debug file is compared`() throws {
        let linked = try cairn("verify", "binaries/Stripped/out/shapes-linked")
        #expect(linked.status == 0)
        #expect(
            linked.output.contains("shapes-linked, by its debug file binaries/Stripped/out/shapes-linked.debug: "), "\(linked.output)")
        let bundle = try cairn("verify", "binaries/CrashExample/out/CrashExample")
        #expect(bundle.status == 0 && bundle.lines.count == 2)
        #expect(bundle.lines.allSatisfy { $0.contains("CrashExample.dSYM/Contents/Resources/DWARF/CrashExample: ") })
    }

    /// The second function's unit is one that libdwarf does not come to an end with for a long time
    /// (`Fixtures/hostile/dwarf`).
    @Test func `when the time is over, what was compared is told`() throws {
        let result = try cairn("verify", "hostile/dwarf/many-ranges", "0x1000", "0x1010", "--time-limit", "6")
        #expect(result.status == 1)
        #expect(result.lines == ["hostile/dwarf/many-ranges: 1 of 2 addresses: 1 agree, 0 differ"])
        let reason = "1 of 2 addresses were compared, then it took 6 seconds: expected less, or a higher --time-limit"
        #expect(result.errors == "cairn: error: hostile/dwarf/many-ranges: \(reason)\n")
    }

    /// libdwarf hands out an entry that says to be its own sibling for ever.
    @Test func `an entry that leads to itself is read once`() throws {
        let result = try cairn("verify", "hostile/dwarf/own-sibling", "0x1004", "--time-limit", "20")
        #expect(result.status == 0)
        #expect(result.lines == ["hostile/dwarf/own-sibling: 1 addresses: 1 agree, 0 differ"])
    }

    @Test func `when the memory is used up, it ends`() throws {
        let result = try cairn("verify", "hostile/dwarf/many-units", "--memory-limit", "300")
        #expect(result.status == 1 && result.output.isEmpty)
        let reason = "nothing was compared, then it took 300 MB of memory: expected less, or a higher --memory-limit"
        #expect(result.errors == "cairn: error: hostile/dwarf/many-units: \(reason)\n")
    }

    /// Files of 7 and 34 KB, which get the least that any file gets.
    @Test(arguments: [
        ("many-ranges", "it took 8 seconds of processor time: expected less of a file of its size, or a --time-limit"),
        ("many-units", "it took 896 MB of memory: expected less, or a higher --memory-limit"),
    ])
    func `without options it ends within ten seconds and a gigabyte`(name: String, reason: String) throws {
        let result = try cairn("verify", "hostile/dwarf/" + name)
        #expect(result.status == 1)
        #expect(result.errors.hasSuffix(", then \(reason)\n") && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }

    @Test(arguments: ["binaries/Stripped/out/shapes-stripped", "binaries/INDEX.tsv", "no/such/file"])
    func `what cannot be compared is status 1 and one line`(file: String) throws {
        let result = try cairn("verify", file)
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(
            result.errors.hasPrefix("cairn: error: \(file): ") && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }

    /// Bytes of the debug sections changed here and there: libdwarf may refuse, differ or crash,
    /// but the process ends with a status of ours and a message, and never by a signal.
    @Test(arguments: ["C/out/c-gcc-dwarf5-O2", "C/out/c-clang-dwarf4-O0", "Freestanding/out/machine-mips-be"])
    func `damaged debug information ends with a status`(file: String) throws {
        let bytes = try readFile(TestPaths.fixture("binaries/" + file))
        try withTemporaryFolder { folder in
            for round in Repeats.sample(1, of: Array(0..<12), for: "verify " + file) {
                var damaged = bytes
                // Away from the ELF header, so that the sections are found: a prime step visits
                // every part of the file.
                for position in stride(from: 1024 + round * 7, to: bytes.count - 4096, by: 211) {
                    damaged[position] ^= UInt8(1 << (round % 8))
                }
                try writeFile(folder + "/damaged", damaged)
                let result = try cairn("verify", folder + "/damaged", "--sample", "50")
                #expect(
                    result.status == 0 || result.status == 1, "round \(round), \(Repeats.hint): status \(result.status) \(result.errors)")
                // libdwarf 20210528 frees damaged range lists twice (`dwarf_load_rnglists`), and
                // the C library has its word before ours.
                #expect(
                    !result.output.isEmpty || result.errors.split(separator: "\n").last?.hasPrefix("cairn: ") == true,
                    "\(result.errors)")
            }
        }
    }
}
