import TestSupport
import Testing

/// `hunt/turn3/dwarf` beside the corpus.
private let hunt: String? = TestPaths.corpus.map { $0 + "/../hunt/turn3/dwarf" }.flatMap {
    TestPaths.isReadable($0 + "/check.sh") ? $0 : nil
}

/// Debug information that was answered wrongly, or not at all: the hunt's own programs, and its own check.
@Suite(.enabled(if: hunt != nil, "the hunt's inputs are absent"))
struct DebugInformationHuntTests {
    @Test(
        .enabled(
            if: Installed.has("gcc", "as", "ld.gold", "clang-19", "llvm-nm-19", "xz", "gzip", "readelf"),
            "gcc, binutils, clang-19, llvm-19 or xz are not installed"))
    func `the hunt's check passes`() throws {
        let hunt = try #require(hunt)
        try withTemporaryFolder { folder in
            try run("cp", ["-r", hunt + "/.", folder]).requireSuccess()
            try run("sh", ["-c", "for d in 0*; do (cd $d && sh ./build.sh >/dev/null 2>&1); done"], directory: folder).requireSuccess()
            let check = try run(
                "bash", ["-c", "./check.sh 0*"],
                environment: ["CAIRN": TestPaths.cairn, "XDG_CONFIG_HOME": "/nonexistent", "CAIRN_SYMBOLS": nil as String?],
                directory: folder)
            // 54 lines in the folders' `want` files.
            #expect(check.lines.filter { $0.hasPrefix("FAIL") || $0.hasPrefix("NOFILE") } == [])
            #expect(check.lines.last == "54 pass, 0 fail")
        }
    }
}
