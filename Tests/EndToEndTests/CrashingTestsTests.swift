import TestSupport
import Testing

/// `cairn ci -- swift test` on a package whose tests crash, each in its own way: the annotation is
/// on the line that is to blame, which is found by its text in the source.
@Suite(.serialized) struct CrashingTestsTests {
    private static let package = TestPaths.fixture("testruns/crasher")

    private struct Crash: Sendable, CustomTestStringConvertible {
        var test: String
        var file: String
        /// The text of the line, which is nowhere else in the file.
        var text: String
        var title: String
        /// Text that the annotation's message contains.
        var message: String
        var testDescription: String { test }
    }

    private static let bridge = "Sources/Bridge/Bridge.swift"
    private static let crashes = [
        Crash(
            test: "unwraps", file: bridge, text: "name!",
            title: "Unexpectedly found nil while unwrapping an Optional value in Bridge.title()", message: "Unexpectedly found nil"),
        Crash(
            test: "indexes", file: bridge, text: "spans[index]", title: "Index out of range in Bridge.span(_%3A)",
            message: "Index out of range"),
        Crash(
            test: "gives", file: bridge, text: "fatalError(", title: "too heavy%3A 2000 in Bridge.load(_%3A)", message: "too heavy: 2000"),
        Crash(
            test: "reads", file: "Sources/CReader/reader.c", text: "return *values;", title: "SIGSEGV in reader_first",
            message: "Bad pointer dereference"),
    ]

    /// A copy of the package in a repository of its own.
    private func withPackage(_ body: (String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let copy = folder + "/crasher"
            try run("cp", ["-r", Self.package, copy]).requireSuccess()
            try makeFolders(copy + "/.git")
            try body(copy)
        }
    }

    private func build(_ folder: String, _ options: [String] = []) throws {
        let result = try run("swift", ["build", "--build-tests"] + options, directory: folder)
        try #require(result.status == 0, "\(result.output + result.errors)")
    }

    /// The annotations of a run of one test, and how it ended.
    private func annotations(
        _ folder: String, _ test: String, options: [String] = [], ci: [String] = []
    ) throws -> (lines: [String], status: Int32, output: String) {
        let arguments = ["ci", "--annotations", "github"] + ci + ["--", "swift", "test", "--skip-build", "--disable-xctest"] + options
        let result = try run(
            TestPaths.cairn, arguments + ["--filter", "BridgeTests.\(test)$|BridgeTests.\(test)\\(\\)"],
            environment: ["SWIFT_BACKTRACE": nil as String?, "GITHUB_ACTIONS": nil as String?], directory: folder)
        return (result.lines.filter { $0.hasPrefix("::") }, result.status, result.output + result.errors)
    }

    private func line(of text: String, in path: String) throws -> Int {
        let lines = try run("cat", [path]).output.split(separator: "\n", omittingEmptySubsequences: false)
        return try #require(lines.firstIndex { $0.contains(text) }) + 1
    }

    @Test func `a crash's annotation names the line, before and after strip`() throws {
        try withPackage { folder in
            try build(folder)
            for isStripped in [false, true] {
                if isStripped {
                    let program = ".build/debug/crasherPackageTests.xctest"
                    let script = "objcopy --only-keep-debug $1 $1.debug && strip $1 && objcopy --add-gnu-debuglink=$1.debug $1"
                    try run("sh", ["-c", script, "sh", program], directory: folder).requireSuccess()
                }
                for crash in Self.crashes {
                    let (lines, status, output) = try annotations(folder, crash.test)
                    let line = try line(of: crash.text, in: folder + "/" + crash.file)
                    #expect(status == 1)
                    try #require(lines.count == 1, "\(crash.test): \(output)")
                    #expect(lines[0].hasPrefix("::error file=\(crash.file),line=\(line),endLine=\(line),"), "\(lines[0])")
                    #expect(lines[0].contains("title=" + crash.title))
                    #expect(lines[0].contains("(\(crash.test)())"))
                    #expect(lines[0].contains(crash.message))
                }
                let passing = try annotations(folder, "passes")
                #expect(passing.status == 0 && passing.lines.isEmpty)
                let failing = try annotations(folder, "disagrees")
                let line = try line(of: "func disagrees", in: folder + "/Tests/BridgeTests/BridgeTests.swift")
                #expect(failing.status == 1)
                #expect(failing.lines.count == 1)
                #expect(failing.lines.first?.hasPrefix("::error file=Tests/BridgeTests/BridgeTests.swift,line=\(line),") == true)
            }
            try checkHangs(folder)
        }
    }

    /// With a debugger the waiting line itself is found, below system calls and locks too; without
    /// one Swift's backtracer reports what it can: it steps over the function that makes a system
    /// call, and loses what is below a semaphore.
    private func checkHangs(_ folder: String) throws {
        let tests = "Tests/BridgeTests/BridgeTests.swift"
        func check(_ test: String, _ text: String, _ title: String, _ options: [String] = []) throws {
            let (lines, status, output) = try annotations(folder, test, ci: ["--timeout", "15"] + options)
            #expect(status != 0)
            try #require(lines.count == 1, "\(test): \(output)")
            let line = try line(of: text, in: folder + "/" + tests)
            #expect(lines[0].hasPrefix("::error file=\(tests),line=\(line),"), "\(lines[0])")
            #expect(lines[0].contains("title=\(title) in "))
        }
        try check("blocks", "while read(ends[0]", "timeout")
        try check("locks", "lock.wait()", "timeout")
        try check("blocks", "        waitForEver()", "SIGQUIT", ["--no-debugger"])
        for (options, title) in [([], "timeout"), (["--no-debugger"], "SIGQUIT")] {
            let parked = try annotations(folder, "neverResumes", ci: ["--timeout", "15"] + options)
            try #require(parked.lines.count == 1, "\(parked.output)")
            #expect(parked.lines[0].hasPrefix("::error title=\(title)"))
            #expect(parked.lines[0].contains("no thread has a frame of your code"))
        }
    }

    @Test func `a sanitizer's report is annotated where the error is`() throws {
        try withPackage { folder in
            try build(folder, ["--sanitize=address"])
            let (lines, status, output) = try annotations(folder, "readsBehind", options: ["--sanitize=address"])
            #expect(status == 1)
            try #require(lines.count == 1, "\(output)")
            let line = try line(of: "int value = values[index];", in: folder + "/Sources/CReader/reader.c")
            #expect(lines[0].hasPrefix("::error file=Sources/CReader/reader.c,line=\(line),"))
            #expect(lines[0].contains("heap-buffer-overflow in reader_at"))
        }
    }
}
