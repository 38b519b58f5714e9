import TestSupport
import Testing

/// `cairn dwarfdump`, which is a program beside `cairn`: the same text as llvm-dwarfdump 19's, but
/// for what `DwarfdumpPeer.Difference` lists.
struct DwarfdumpTests {
    @Test(.enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence), arguments: some)
    func `entries are dumped in LLVM's words`(path: String) throws { try DwarfdumpPeer.compare([], path) }

    /// All sections: entries, lines, frames, tables of names, strings, ranges, locations. A process
    /// dumps 16 files.
    @Test(
        .enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence),
        arguments: Array(stride(from: 0, to: DwarfdumpPeer.fixtures.count, by: 16)))
    func `all sections are dumped in LLVM's words`(first: Int) throws {
        try DwarfdumpPeer.compare(["--all"], all: Array(DwarfdumpPeer.fixtures[first...].prefix(16)))
    }

    @Test(.enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence)) func `a bundle is dumped slice by slice`() throws {
        try DwarfdumpPeer.compare(["-a"], "binaries/CrashExample/out/CrashExample.dSYM")
    }

    @Test(.enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence))
    func `UUIDs are those of every slice`() throws {
        try DwarfdumpPeer.compare(["--uuid"], all: DwarfdumpPeer.fixtures)
        try DwarfdumpPeer.compare(["-u"], "binaries/CrashExample/out/CrashExample.dSYM")
    }

    /// One file of each kind of compiler and container.
    static let some = [
        "C/out/c-gcc-dwarf2-O1", "C/out/c-gcc-dwarf5-64bit-O2", "CXX/out/cxx-clang-dwarf5-O2", "CXX/out/cxx-gcc-types",
        "Forms/out/forms",
        "Freestanding/out/machine-s390x", "CrashExample/out/CrashExample.dSYM", "SwiftCrash/out/SwiftCrash", "RustCrash/out/tank.debug",
        "SplitUnits/out/package-clang5.dwp",
    ].map { "binaries/" + $0 }

    @Test(
        .enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence),
        arguments: [
            ["-debug-info", "-r", "1"], ["--debug-info", "--show-form"], ["--debug-info", "-F", "-diff"], ["--debug-info=0x2a", "-c"],
            ["--debug-info=0x2d", "-p"], ["-debug-info=0x2a", "-c", "-p", "--recurse-depth=2"], ["--debug-info", "-v"],
            ["--debug-types", "--summarize-types", "--debug-info"], ["--arch=arm64"], ["--arch=x86_64", "-p"], ["--name", "main"],
            ["-name=main", "-c", "-p"], ["-n", "m.*n", "-x"], ["--name=MAIN", "-i", "-F"], ["--find=main", "-p"],
            ["-f", "int", "--show-children"],
            ["--debug-line"], ["--debug-line", "-v"], ["--debug-line=0x0"], ["--debug-aranges", "--debug-abbrev"], ["--debug-frame"],
            ["--eh-frame"],
            ["--debug-str", "--debug-line-str", "--debug-str-offsets"], ["--debug-loc", "--debug-loclists", "--debug-ranges"],
            ["--debug-loclists", "-v"], ["--debug-info", "--debug-rnglists", "--debug-addr"],
            ["--debug-names", "--apple-names", "--debug-cu-index"],
            ["--debug-pubnames", "--debug-gnu-pubnames", "--debug-pubtypes"],
        ])
    func `options change what is dumped as they do LLVM's`(options: [String]) throws {
        // LLVM dumps nothing of ELF files when an architecture is named.
        try DwarfdumpPeer.compare(options, all: Self.some.filter { !options[0].hasPrefix("--arch") || $0.hasSuffix(".dSYM") })
    }

    /// Linked files: in a relocatable file LLVM finds no line, because it does not pass a section
    /// with the address.
    private static let linked = DwarfdumpPeer.fixtures.filter { path in
        !path.hasSuffix(".o") && !path.hasSuffix(".ko") && !path.contains("/SplitUnits/")
    }

    /// At places that the line tables name: starts of sequences, rows inside of functions, and
    /// ends, which nothing covers.
    @Test(
        .enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence),
        arguments: Repeats.sample(5, of: linked, for: "dwarfdump --lookup"))
    func `addresses are looked up in LLVM's words`(path: String) throws {
        let rows = try DwarfdumpPeer.run(["--debug-line", path]).lines.filter { $0.hasPrefix("0x00") }.compactMap {
            $0.split(separator: " ").first
        }
        // Functions that the linker has left out are all at 0: both programs find one of them there, LLVM by the order in which it has sorted what is equal.
        let addresses = Set(rows.map(String.init)).filter { UInt64($0.dropFirst(2), radix: 16) ?? 0 >= 0x1000 }.sorted()
        for address in stride(from: 0, to: addresses.count, by: max(1, addresses.count / 3)).map({ addresses[$0] }) {
            try DwarfdumpPeer.compare(["--lookup", address], path)
        }
    }

    @Test func `an address that no unit covers is status 1`() throws {
        let result = try cairn("dwarfdump", "--lookup", "0x7fffffffffff", "binaries/C/out/c-gcc-dwarf5-O2")
        #expect(result.status == 1 && result.lines == ["binaries/C/out/c-gcc-dwarf5-O2:\tfile format elf64-x86-64"])
    }

    /// `llvm-ar` puts two fixtures together; each member is dumped under the library's name.
    @Test(.enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence)) func `members of a static library are dumped`() throws {
        try withTemporaryFolder { folder in
            let members = ["gauge-x86_64.o", "gauge-arm64.o"].map { TestPaths.fixture("binaries/Relocatable/out/" + $0) }
            _ = try run("llvm-ar-19", ["rc", folder + "/lib.a"] + members)
            try DwarfdumpPeer.compare(["--debug-info", "--debug-line"], folder + "/lib.a")
        }
    }

    /// The files beside the tests were written by llvm-dwarfdump 19, so that something is compared
    /// if that is not installed.
    @Test(arguments: DwarfdumpGoldens.all) func `goldens that LLVM wrote`(golden: DwarfdumpGoldens.Golden) throws {
        let path = TestPaths.root + "/Tests/EndToEndTests/Goldens/dwarfdump/" + golden.name
        if DwarfdumpPeer.isThere, TestPaths.environment("CAIRN_UPDATE_GOLDENS") != nil {
            try writeFile(path, try DwarfdumpPeer.run(golden.arguments).standardOutput)
        }
        let expected = try readFile(path)
        #expect(try cairn(["dwarfdump"] + golden.arguments).standardOutput == expected)
        if DwarfdumpPeer.isThere { #expect(try DwarfdumpPeer.run(golden.arguments).standardOutput == expected, "the golden is old") }
    }

    @Test func `help tells the options`() throws {
        let result = try cairn("dwarfdump", "--help")
        #expect(result.status == 0)
        for option in ["--lookup", "--debug-info", "--eh-frame", "--show-children", "--format", "-o", "\"schema\": 1"] {
            #expect(result.output.contains(option), "\(option)")
        }
    }

    @Test func `the output goes to a file`() throws {
        try withTemporaryFolder { folder in
            let path = "binaries/C/out/c-clang-dwarf4-O0"
            let result = try cairn("dwarfdump", "-o", folder + "/dump.txt", path)
            #expect(result.status == 0 && result.output.isEmpty)
            #expect(try readFile(folder + "/dump.txt") == cairn("dwarfdump", path).standardOutput)
            let failed = try cairn("dwarfdump", "-o", folder + "/no/such/folder", path)
            #expect(failed.status == 1 && failed.errors.split(separator: "\n").count == 1)
        }
    }

    /// As other programs do: by the signal where that has its way, and without a word where it is
    /// ignored.
    @Test(arguments: ["", "trap '' PIPE; "]) func `a reader that goes ends it quietly`(before: String) throws {
        let script = before + "\"$0\" dwarfdump --show-form \"$1\" | head -n 2; printf '%s\\n' \"${PIPESTATUS[0]}\""
        let file = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash")
        let result = try run("bash", ["-c", script, TestPaths.cairn, file])
        #expect(result.errors.isEmpty)
        // 141 is SIGPIPE's, 74 llvm-dwarfdump's. The first lines come before what was not read.
        #expect(result.lines.first == file + ":\tfile format elf64-x86-64" && [before.isEmpty ? "141" : "74"] == result.lines.suffix(1))
    }

    @Test(arguments: ["binaries/INDEX.tsv", "no/such/file"]) func `what is no object is status 1 and one line`(path: String) throws {
        let result = try cairn("dwarfdump", path)
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(result.errors.hasPrefix("cairn: error: \(path): ") && result.errors.split(separator: "\n").count == 1)
    }

    @Test func `an architecture that is not there is status 1 and one line`() throws {
        let result = try cairn("dwarfdump", "--arch", "mips", "binaries/CrashExample/out/CrashExample.dSYM")
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(result.errors.contains("no object for the architecture mips: it holds x86_64, arm64"))
    }

    /// Cut off and changed here and there: the process ends with a status of ours, and what it says
    /// is lines of ours.
    @Test(arguments: [
        "C/out/c-gcc-dwarf5-O2", "CXX/out/cxx-clang-dwarf5-O2", "Freestanding/out/machine-mips-be", "SplitUnits/out/package-clang5.dwp",
    ])
    func `damaged debug information ends with a status`(file: String) throws {
        let bytes = try readFile(TestPaths.fixture("binaries/" + file))
        try withTemporaryFolder { folder in
            for round in Repeats.sample(1, of: Array(0..<12), for: "dwarfdump " + file) {
                var damaged = bytes
                if round < 6 {
                    // Away from the ELF header, so that the sections are found: a prime step visits
                    // every part of the file.
                    for position in stride(from: 1024 + round * 7, to: bytes.count - 2048, by: 211) {
                        damaged[position] ^= UInt8(1 << round)
                    }
                } else {
                    damaged.removeLast(bytes.count * (round - 5) / 8)
                }
                try writeFile(folder + "/damaged", damaged)
                let result = try cairn("dwarfdump", "--all", "--time-limit", "60", folder + "/damaged")
                #expect(
                    result.status == 0 || result.status == 1, "round \(round), \(Repeats.hint): status \(result.status) \(result.errors)")
                // libdwarf 20210528 frees damaged range lists twice (`dwarf_load_rnglists`), and
                // the C library has its word before ours.
                #expect(result.errors.split(separator: "\n").last?.hasPrefix("cairn: ") ?? true, "\(result.errors)")
            }
        }
    }

    @Test(arguments: ["own-sibling", "many-units"]) func `hostile files are dumped to an end`(name: String) throws {
        let result = try cairn("dwarfdump", "--time-limit", "60", "--memory-limit", "500", "hostile/dwarf/" + name)
        // libdwarf 20210528 does not come to their end, which the dumper does not need.
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    }

    /// 200,000 functions have one list of 20,000 ranges: some are printed with their ranges, the
    /// others without, which is said in one line.
    @Test func `lists that many entries share are told so often and not more`() throws {
        let arguments = ["--time-limit", "300", "--memory-limit", "500", "hostile/dwarf/many-ranges"]
        let result = try cairn(["dwarfdump", "--debug-info"] + arguments)
        #expect(result.status == 1 && result.errors.split(separator: "\n").count == 1)
        #expect(result.errors.contains("64 times the bytes of all lists"), "\(result.errors)")
        // 64 times 20,001 pairs of 16 bytes: 64 lists, beside the one line of each function and of
        // the other unit.
        #expect(result.lines.count { $0.contains("[0x") } == 64 * 20_000)
        #expect(result.lines.count { $0.contains("DW_TAG_subprogram") } == 200_001)
        for option in ["--statistics", "--verify", "--lookup=0x1018"] {
            let other = try cairn(["dwarfdump", option] + arguments)
            #expect(other.status == 1 && other.errors.contains("64 times the bytes of all lists"), "\(option): \(other.errors)")
        }
    }

    /// 16 MB of units that are dumped with at most as much beside what is mapped of the file: a
    /// dumper that kept its entries would need several times as much (llvm-dwarfdump 19: 138 MB).
    /// 368 MB are dumped by `scripts/checks/bench-dump`.
    @Test(.enabled(if: TestPaths.isReadable("/usr/bin/llvm-objcopy-19"), "llvm-objcopy-19 (package llvm-19) is not installed"))
    func `memory does not grow with what was dumped`() throws {
        try withTemporaryFolder { folder in
            let program = TestPaths.fixture("binaries/CXX/out/cxx-gcc-dwarf5-O2")
            _ = try run("/usr/bin/llvm-objcopy-19", ["--dump-section", ".debug_info=\(folder)/info", program, "/dev/null"])
            let units = try readFile(folder + "/info")
            // Units count their references from their own beginnings, so the section can be
            // repeated.
            let copies = (16 << 20) / units.count
            try writeFile(folder + "/info", Array(repeatElement(units, count: copies).joined()))
            _ = try run("/usr/bin/llvm-objcopy-19", ["--update-section", ".debug_info=\(folder)/info", program, folder + "/large"])
            let result = try cairn("dwarfdump", "--debug-info", "-r", "1", "--memory-limit", "48", "-o", "/dev/null", folder + "/large")
            #expect(result.status == 0 && result.errors.isEmpty && copies > 100, "\(result.errors)")
        }
    }

    @Test(arguments: [["dwarfdump", "--all", "--time-limit", "60"], ["verify", "--sample", "20"]])
    func `the corpus' malformed objects end with a status`(command: [String]) throws {
        guard let corpus = TestPaths.corpus else { return print("the corpus is absent: damaged files of the fixtures only") }
        let files = TestPaths.files(under: corpus + "/malformed")
        #expect(files.count > 100)
        for file in Repeats.sample(8, of: files, for: "\(command[0]) malformed") {
            let result = try cairn(command + [file])
            #expect(result.status == 0 || result.status == 1, "\(file), \(Repeats.hint): status \(result.status) \(result.errors)")
        }
    }
}

/// The goldens of `Goldens/dwarfdump`: made by llvm-dwarfdump 19 with these arguments, from the
/// fixtures' folder (`CAIRN_UPDATE_GOLDENS=1`).
enum DwarfdumpGoldens {
    struct Golden: Sendable, CustomTestStringConvertible {
        var name: String
        var arguments: [String]
        var testDescription: String { name }

        init(_ name: String, _ arguments: String...) {
            self.name = name
            self.arguments = arguments
        }
    }

    static let all = [
        Golden("crash-example-uuid", "--uuid", "binaries/CrashExample/out/CrashExample.dSYM"),
        Golden("crash-example-arm64", "--arch=arm64", "--debug-info", "binaries/CrashExample/out/CrashExample.dSYM"),
        Golden("crash-example-lookup", "--arch=x86_64", "--lookup", "6805", "binaries/CrashExample/out/CrashExample.dSYM"),
        Golden(
            "crash-example-lines", "--arch=x86_64", "--debug-line", "--debug-aranges", "--apple-names",
            "binaries/CrashExample/out/CrashExample.dSYM"),
        Golden("clang-dwarf5-name", "--name", "main", "-p", "-c", "binaries/CXX/out/cxx-clang-dwarf5-O2"),
        Golden(
            "s390x-sections", "--debug-line", "--debug-frame", "--debug-abbrev", "--debug-rnglists",
            "binaries/Freestanding/out/machine-s390x"),
        Golden("gcc-dwarf2", "--debug-info", "binaries/C/out/c-gcc-dwarf2-O1"),
        Golden("gcc-dwarf5-forms", "--debug-info", "--show-form", "binaries/C/out/c-gcc-dwarf5-O2"),
        Golden("statistics-dsym", "--statistics", "binaries/CrashExample/out/CrashExample.dSYM"),
        Golden("statistics-clang-package", "--statistics", "binaries/SplitUnits/out/package-clang5"),
        Golden("statistics-gcc-package-dwarf4", "--statistics", "binaries/SplitUnits/out/package-gcc4"),
        Golden("statistics-rust", "--statistics", "binaries/RustCrash/out/tank.debug"),
        Golden("mips-big-endian", "--debug-info", "binaries/Freestanding/out/machine-mips-be"),
    ]
}
