import TestSupport
import Testing

/// `--statistics`: the same bytes as llvm-dwarfdump 19's.
struct DwarfdumpStatisticsTests {
    /// LLVM 19 no longer reads GNU's old compressed sections (`.zdebug_info`), and counts nothing
    /// in them; cairn reads them.
    private static let oldCompression: Set = ["binaries/Stripped/out/shapes-zdebug"]

    @Test(
        .enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence),
        arguments: Repeats.sample(
            8, of: DwarfdumpPeer.fixtures.filter { !oldCompression.contains($0) } + ["binaries/CrashExample/out/CrashExample.dSYM"],
            for: "statistics"))
    func `the counts are LLVM's`(path: String) throws {
        let theirs = try DwarfdumpPeer.run(["--statistics", path])
        let ours = try cairn("dwarfdump", "--statistics", path)
        #expect(ours.standardOutput == theirs.standardOutput && ours.status == theirs.status)
    }

    @Test(.enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence), arguments: ["--show-section-sizes", "--show-sources"])
    func `sizes and sources are LLVM's`(option: String) throws {
        let paths = DwarfdumpPeer.fixtures.filter {
            !Self.oldCompression.contains($0) && !$0.hasSuffix(".dwo") && !$0.hasSuffix(".dwp")
        }
        try DwarfdumpPeer.compare([option], all: paths + ["binaries/CrashExample/out/CrashExample.dSYM"])
    }

    /// The units are at the path that the skeleton has, from the folder in which the compiler ran.
    @Test(
        .enabled(if: DwarfdumpPeer.isThere && TestPaths.isReadable("/usr/bin/gcc"), "gcc and llvm-dwarfdump-19 are not installed"),
        arguments: ["-gdwarf-5", "-gdwarf-4"])
    func `split units are opened`(version: String) throws {
        try withTemporaryFolder { folder in
            for name in ["main", "ledger", "report"] {
                let source = TestPaths.fixture("binaries/C/\(name).c")
                _ = try run(
                    "gcc", ["-c", "-O2", version, "-gsplit-dwarf", source, "-o", "\(name).o"], directory: folder)
            }
            _ = try run("gcc", ["main.o", "ledger.o", "report.o", "-o", "program"], directory: folder)
            let path = folder + "/program"
            let theirs = try DwarfdumpPeer.run(["--statistics", path])
            #expect(!theirs.output.contains("\"#functions\": 0,"), "the split units were not read")
            #expect(try cairn("dwarfdump", "--statistics", path).standardOutput == theirs.standardOutput)
        }
    }

    /// The corpus's files, where it is there.
    @Test(.enabled(if: DwarfdumpPeer.isThere && TestPaths.corpus != nil, "llvm-dwarfdump-19 or the corpus is not there"))
    func `the counts are LLVM's in files that others made`() throws {
        // Old compression, as above. Of an archive that is a slice LLVM says twice what it is a
        // part of.
        let meant: Set = ["testfile-zdebug", "testfile-zgnu64be"]
        let root = try #require(TestPaths.corpus) + "/objects"
        let files = TestPaths.files(under: root).filter { path in !meant.contains { path.hasSuffix("/" + $0) } }
        for path in Repeats.sample(8, of: files, for: "statistics of the corpus") {
            let theirs = try DwarfdumpPeer.run(["--statistics", path])
            guard theirs.status == 0 else { continue }
            let ours = try cairn("dwarfdump", "--statistics", path)
            #expect(ours.standardOutput == theirs.standardOutput, "\(path), \(Repeats.hint): \(ours.status) \(ours.errors)")
        }
    }
}
