import TestSupport
import Testing

/// `cairn dwarfdump --verify`: the same words and the same status as llvm-dwarfdump 19.
struct DwarfdumpVerifyTests {
    /// LLVM 19 no longer reads GNU's old compressed sections (`.zdebug_info`), and finds nothing in
    /// them; cairn reads them.
    private static let oldCompression: Set = ["binaries/Stripped/out/shapes-zdebug"]

    /// For a call in a lexical block LLVM 19 looks up
    /// the parent of the same entry without end (`DWARFVerifier::verifyDebugInfoCallSite`): those
    /// files are only looked at for coming to an end.
    @Test(
        .enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence),
        arguments: Repeats.sample(6, of: DwarfdumpPeer.fixtures.filter { !oldCompression.contains($0) }, for: "dwarfdump --verify"))
    func `what is found in compilers' files is what LLVM finds`(path: String) throws {
        let ours = try cairn("dwarfdump", "--verify", path)
        let theirs = try run(
            "timeout", ["-s", "KILL", "3", DwarfdumpPeer.path, "--verify", path], directory: TestPaths.fixture(""))
        // For a universal file the slice follows: `shapes(x86_64)`.
        #expect(ours.lines.first?.hasPrefix("Verifying \(path)") == true && ours.lines.first?.contains(":\tfile format ") == true)
        #expect(["No errors.", "Errors detected."][ours.status == 0 ? 0 : 1] == ours.lines.last)
        if theirs.status != 124, theirs.status != 137 {
            #expect(ours.standardOutput == theirs.standardOutput && ours.status == theirs.status)
        }
    }

    /// `llvm-objcopy` puts something else in a section's place. Not in that of line tables: LLVM 19
    /// takes one that it could not read for one without files later.
    @Test(
        .enabled(if: DwarfdumpPeer.isThere && TestPaths.isReadable("/usr/bin/llvm-objcopy-19"), DwarfdumpPeer.absence),
        arguments: [".debug_str", ".debug_loc", ".debug_ranges", ".debug_abbrev"])
    func `what is not there is found`(section: String) throws {
        try withTemporaryFolder { folder in
            let program = TestPaths.fixture("binaries/C/out/c-clang-dwarf4-O0")
            let optimised = TestPaths.fixture("binaries/CXX/out/cxx-clang-dwarf4-O2")
            try writeFile(folder + "/short", [0x41])
            let isList = section == ".debug_loc" || section == ".debug_ranges"
            _ = try run(
                "/usr/bin/llvm-objcopy-19",
                ["--update-section", "\(section)=\(folder)/short", isList ? optimised : program, folder + "/damaged"])
            let theirs = try run("timeout", ["-s", "KILL", "10", DwarfdumpPeer.path, "--verify", folder + "/damaged"])
            let ours = try cairn("dwarfdump", "--verify", folder + "/damaged")
            #expect(ours.status == 1 && theirs.status == 1 && ours.lines.last == "Errors detected.")
            #expect(ours.standardOutput == theirs.standardOutput, "\(ours.output.prefix(2000))")
            let quiet = try cairn("dwarfdump", "--verify", "--quiet", folder + "/damaged")
            #expect(quiet.status == 1 && quiet.output.isEmpty)
        }
    }

    /// Single bytes of the units, the string offsets and the tables of names are something else:
    /// entries whose values mean nothing, references in between entries, ranges past those around
    /// them.
    @Test(
        .enabled(if: DwarfdumpPeer.isThere && TestPaths.isReadable("/usr/bin/llvm-objcopy-19"), DwarfdumpPeer.absence),
        arguments: [
            ("binaries/CXX/out/cxx-clang-dwarf5-O2", ".debug_info"), ("binaries/C/out/c-clang-dwarf4-O0", ".debug_info"),
            ("binaries/CXX/out/cxx-clang-dwarf5-O2", ".debug_str_offsets"), ("binaries/CXX/out/cxx-clang-dwarf5-O2", ".debug_rnglists"),
            ("binaries/C/out/c-clang-dwarf5-O2", ".debug_line"),
        ])
    func `what is damaged is told in LLVM's words`(path: String, section: String) throws {
        try withTemporaryFolder { folder in
            let program = TestPaths.fixture(path)
            _ = try run("/usr/bin/llvm-objcopy-19", ["--dump-section", "\(section)=\(folder)/section", program, "/dev/null"])
            let bytes = try readFile(folder + "/section")
            var agreeing = 0
            let rounds = 12
            for round in 0..<rounds {
                var damaged = bytes
                damaged[bytes.count * (2 * round + 1) / (2 * rounds)] ^= 0x11
                try writeFile(folder + "/section", damaged)
                _ = try run(
                    "/usr/bin/llvm-objcopy-19", ["--update-section", "\(section)=\(folder)/section", program, folder + "/damaged"])
                let theirs = try run("timeout", ["-s", "KILL", "10", DwarfdumpPeer.path, "--verify", folder + "/damaged"])
                let ours = try cairn("dwarfdump", "--verify", folder + "/damaged")
                #expect(ours.status == 0 || ours.status == 1)
                // LLVM 19 crashes on some; entries that cannot be separated any more are read
                // differently.
                if theirs.status > 1 || theirs.standardOutput == ours.standardOutput { agreeing += 1 }
            }
            #expect(agreeing >= rounds - 1, "\(agreeing) of \(rounds)")
        }
    }

    /// LLVM 19's levels, under its names, and the counts as JSON.
    @Test(.enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence), arguments: ["quiet", "summary", "details", "full"])
    func `how much is told is LLVM's`(level: String) throws {
        try withTemporaryFolder { folder in
            for path in ["binaries/Forms/out/forms", "binaries/C/out/c-gcc-dwarf5-O2"] {
                let options = ["--error-display=\(level)", "--verify-json", folder + "/theirs", path]
                let theirs = try DwarfdumpPeer.run(options)
                let ours = try cairn(["dwarfdump", "--error-display", level, "--verify-json", folder + "/ours", path])
                #expect(ours.standardOutput == theirs.standardOutput && ours.status == theirs.status && ours.status == 1)
                #expect(try readFile(folder + "/ours") == readFile(folder + "/theirs"))
            }
        }
    }

    /// Tables of names: Apple's, and `.debug_names` of a program that clang writes here.
    @Test(.enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence))
    func `tables of names are verified`() throws {
        if !Toolchain.has("clang++") { print("clang++ is not beside swift: Apple's tables of names only") }
        if Toolchain.has("clang++") {
            try withTemporaryFolder { folder in
                let source = TestPaths.fixture("binaries/CXX/shapes.cpp")
                _ = try Toolchain.run(
                    "clang++", ["-c", "-g", "-gdwarf-5", "-gpubnames", "-O0", source, "-o", "shapes.o"], directory: folder)
                let theirs = try DwarfdumpPeer.run(["--verify", folder + "/shapes.o"])
                #expect(try cairn("dwarfdump", "--verify", folder + "/shapes.o").standardOutput == theirs.standardOutput)
            }
        }
        let bundle = "binaries/CrashExample/out/CrashExample.dSYM"
        #expect(try cairn("dwarfdump", "--verify", bundle).standardOutput == DwarfdumpPeer.run(["--verify", bundle]).standardOutput)
    }
}
