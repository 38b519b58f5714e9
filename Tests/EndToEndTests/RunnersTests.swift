import TestSupport
import Testing

/// `cairn ci` around real runners of tests, whose projects are in `Tests/Runners`: `scripts/checks/verify-runners` compares the
/// annotations with the comments in their sources. It runs all of them; here are those that build in a few seconds.
@Suite(.serialized) struct RunnersTests {
    @Test(arguments: ["ctest", "ctest -j", "gtest", "doctest", "bats", "prove", "node", "node spec", "go"])
    func `the annotations of a runner are on the lines that fail, and all tests are counted`(runner: String) throws {
        let result = try run(
            "python3", [TestPaths.root + "/scripts/checks/verify-runners", "--only", runner],
            environment: ["CAIRN_BINARY": TestPaths.cairn])
        // Without the runner's tools nothing is compared, and the script says which are missing.
        if result.output.hasPrefix("skip ") { return print("\(runner): not compared: \(result.lines.first ?? "")") }
        #expect(result.status == 0, "\(result.output)\(result.errors)")
    }

    /// A shell goes on after a program that a signal has ended.
    @Test func `a command that ends with 0 says that a process crashed`() throws {
        try withTemporaryFolder { folder in
            try makeFolders(folder + "/.git")
            try writeFile(folder + "/a.c", Array("int main(void) {\n    *(volatile int *)0 = 1;\n}\n".utf8))
            try run("cc", ["-g", "-o", "a", "a.c"], directory: folder).requireSuccess()
            let result = try run(TestPaths.cairn, ["ci", "--", "sh", "-c", "./a; true"], directory: folder)
            #expect(result.status == 0)
            #expect(
                result.errors.hasSuffix(
                    "cairn: note: ci: the command ended with status 0, although a process crashed: SIGSEGV in main at a.c:2\n"),
                "\(result.errors)")
        }
    }

    /// doctest stops at each failure if its process has a tracer, which ends a program that no debugger catches.
    @Test func `a breakpoint that is meant for a debugger does not end the process`() throws {
        try withTemporaryFolder { folder in
            let source = """
                #include <stdio.h>
                #include <string.h>
                int main(void) {
                    char line[256];
                    FILE *status = fopen("/proc/self/status", "r");
                    while (fgets(line, sizeof line, status))
                        if (strncmp(line, "TracerPid:", 10) == 0 && strcmp(line + 10, "\\t0\\n") != 0)
                            __builtin_debugtrap();
                    puts("done");
                    return 7;
                }
                """
            try writeFile(folder + "/a.c", Array(source.utf8))
            try run("clang", ["-o", "a", "a.c"], directory: folder).requireSuccess()
            let result = try run(TestPaths.cairn, ["ci", "--", "./a"], directory: folder)
            #expect(result.status == 7 && result.output == "done\n" && result.errors.isEmpty, "\(result.errors)")
        }
    }
}
