import TestSupport
import Testing

/// Logs that give an image's UUID apart from the rows: a file of another build is refused by it.
///
/// `hunt/turn3/apple` beside the corpus has the inputs and the program with its dSYM.
@Suite(.enabled(if: folder != nil, "the hunt's inputs are absent"))
struct ListedIdentitiesTests {
    private func answer(_ file: String, _ more: String...) throws -> RunResult {
        let folder = try #require(folder)
        return try run(
            TestPaths.cairn, ["-s", folder + "/fixture", "--no-local"] + more + [folder + "/" + file],
            environment: ["CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": "/nonexistent"])
    }

    @Test(arguments: ["11-datadog-other-build.json", "14-lldb-crashlog-other-build.txt"])
    func `another build is not used`(file: String) throws {
        let result = try answer(file)
        #expect(result.output == (try String(decoding: readFile(#require(folder) + "/" + file), as: UTF8.self)))
        #expect(!result.errors.contains("matched by name"))
        let reason = "UUID differs: the log has 00000000-5555-3144-A1F6-E835C4EE10B4"
        #expect(try answer(file, "--format", "json").output.contains(reason))
    }

    @Test(arguments: ["06-oslog-prefix.txt", "06b-box-prefix.txt", "06d-star-prefix.txt"])
    func `the same build is proven behind any prefix`(file: String) throws {
        let result = try answer(file)
        #expect(result.output.contains("long.c:4"))
        #expect(!result.errors.contains("matched by name"))
    }
}

private let folder: String? = TestPaths.corpus.map { $0 + "/../hunt/turn3/apple" }.flatMap {
    TestPaths.isReadable($0 + "/README.md") ? $0 : nil
}
