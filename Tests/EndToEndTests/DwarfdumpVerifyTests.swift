#if Inspection
    import TestSupport
    import Testing

    /// `cairn dwarfdump --verify`.
    struct DwarfdumpVerifyTests {
        /// What compilers and linkers wrote is whole: one of each kind.
        @Test(
            arguments: DwarfdumpTests.some.filter { !$0.contains("/Forms/") } + [
                "binaries/C/out/c-clang-dwarf4-O0", "binaries/CXX/out/cxx-clang-dwarf5-O0", "binaries/Freestanding/out/machine-mips-be",
                "binaries/LineRules/out/words",
            ])
        func `what compilers write has no errors`(path: String) throws {
            let result = try cairn("dwarfdump", "--verify", path)
            #expect(result.status == 0 && result.errors.isEmpty, "\(result.output.suffix(2000)) \(result.errors)")
            #expect(result.lines.first?.hasPrefix("Verifying \(path)") == true && result.lines.last == "No errors in what was checked.")
        }

        /// `llvm-objcopy` puts something else in a section's place; llvm-dwarfdump finds these too.
        @Test(
            .enabled(if: DwarfdumpPeer.isThere && TestPaths.isReadable("/usr/bin/llvm-objcopy-19"), DwarfdumpPeer.absence),
            arguments: [
                (".debug_str", "a string outside of its section"), (".debug_line", "a line table that cannot be read"),
                (".debug_loc", "a location list that cannot be read"), (".debug_ranges", "a range list that cannot be read"),
            ])
        func `what is not there is found`(section: String, kind: String) throws {
            try withTemporaryFolder { folder in
                let program = TestPaths.fixture("binaries/CXX/out/cxx-clang-dwarf4-O2")
                try writeFile(folder + "/short", [0x41])
                _ = try run("/usr/bin/llvm-objcopy-19", ["--update-section", "\(section)=\(folder)/short", program, folder + "/damaged"])
                let result = try cairn("dwarfdump", "--verify", folder + "/damaged")
                #expect(result.status == 1 && result.lines.contains { $0.hasPrefix("error: \(kind): 0x") }, "\(result.output.suffix(1000))")
                #expect(result.lines.last == "Errors detected.")
                let quiet = try cairn("dwarfdump", "--verify", "--quiet", folder + "/damaged")
                #expect(quiet.status == 1 && quiet.output.isEmpty)
                #expect(try DwarfdumpPeer.run(["--verify", folder + "/damaged"]).status == 1)
            }
        }
    }
#endif
