import TestSupport
import Testing

/// Symbol files that are no object files, as users give them: Breakpad's and GSYM, beside the dSYM
/// that they were made of.
struct SymbolFormatTests {
    private let log = "logs/apple-crash/CrashExample-bad-access/bad-access.crash"
    private let bundle = "binaries/CrashExample/out/CrashExample.dSYM"

    private struct Answer: Hashable {
        var name: String
        var offset: UInt64?
        var location: String
    }

    /// The results of all frames, and where the program's symbols came from.
    private func lookUp(_ symbols: [String], _ more: [String] = []) throws -> (answers: [Answer], images: [JSONLog.Image]) {
        let arguments = ["symbolicate", "--format", "json"] + symbols.flatMap { ["--symbols", $0] } + more + [log]
        let result = try cairn(arguments)
        let report = try #require(try jsonLogs(result).first)
        let functions = report.threads.flatMap(\.frames).compactMap(\.functions).joined()
        return (
            functions.map { function in
                let location = function.file.map { "\($0):\(function.line ?? 0)" }
                return Answer(name: function.name, offset: function.offset, location: location ?? "")
            },
            report.images.filter { $0.name == "CrashExample" }
        )
    }

    @Test func `a Breakpad file answers as the debug information, found by its identity`() throws {
        let expected = try lookUp([bundle])
        #expect(expected.answers.contains { $0.location.hasSuffix("CrashExampleAppDelegate.m:60") })
        let found = try lookUp(["symbols/CrashExample-x86_64.sym", "symbols/CrashExample-arm64.sym"])
        #expect(found.answers == expected.answers)
        #expect(found.images.map(\.symbols.status) == expected.images.map(\.symbols.status))
        #expect(found.images.first?.symbols.path?.hasSuffix("symbols/CrashExample-arm64.sym") == true)
    }

    @Test func `a GSYM file that cairn wrote answers as the debug information`() throws {
        try withTemporaryFolder { folder in
            let written = try cairn("index", "--gsym", bundle, "-o", folder)
            #expect(written.status == 0 && written.lines.count == 2, "\(written.errors)")
            #expect(TestPaths.isReadable(folder + "/CrashExample-arm64.gsym") && TestPaths.isReadable(folder + "/CrashExample-x86_64.gsym"))
            let found = try lookUp([folder])
            #expect(try found.answers == lookUp([bundle]).answers)
            #expect(found.images.first?.symbols.path?.hasSuffix("CrashExample-arm64.gsym") == true)
        }
    }

    @Test func `Breakpad's store is searched by the image's name and identity`() throws {
        try withTemporaryFolder { folder in
            let directory = folder + "/CrashExample/4C4C44FC55553144A11BE947A8E8E6FE0"
            try makeFolders(directory)
            _ = try run("cp", [TestPaths.fixture("symbols/CrashExample-arm64.sym"), directory + "/CrashExample.sym"])
            let found = try lookUp([folder])
            #expect(try found.answers == lookUp([bundle]).answers)
            #expect(found.images.first?.symbols.origin == "breakpad")
        }
    }

    @Test func `a file of another build is refused, and the reason names both identities`() throws {
        try withTemporaryFolder { folder in
            _ = try run("cp", [TestPaths.fixture("symbols/CrashExample-x86_64.sym"), folder + "/CrashExample.sym"])
            let result = try cairn("symbolicate", "--format", "json", "--symbols", folder + "/CrashExample.sym", log)
            let report = try #require(try jsonLogs(result).first)
            #expect(report.threads.flatMap(\.frames).allSatisfy { $0.status != "resolved" })
            #expect(
                result.errors.contains("4C4C44FC-5555-3144-A11B-E947A8E8E6FE")
                    && result.errors.contains("4C4C4415-5555-3144-A1EE-F64263BE1FB5"))
        }
    }

    @Test func `debug information goes before what was made of it, in whichever order they are given`() throws {
        let expected = try lookUp([bundle])
        for symbols in [["symbols/CrashExample-arm64.sym", bundle], [bundle, "symbols/CrashExample-arm64.sym"]] {
            let found = try lookUp(symbols)
            #expect(found.answers == expected.answers && found.images.first?.symbols.path?.contains(".dSYM/") == true)
        }
    }

    @Test func `index says what it lacks`() throws {
        #expect(try cairn("index", "--gsym").status == 64)
        #expect(try cairn("index", "--gsym", "logs/README.md").status == 1)
        let refused = try cairn("index", "--gsym", "--arch", "riscv64", bundle)
        #expect(refused.status == 1 && refused.errors.contains("it holds x86_64, arm64: expected riscv64"), "\(refused.errors)")
        // No input is ever changed.
        let own = try cairn("index", "--gsym", "--arch", "arm64", bundle, "-o", bundle + "/Contents/Resources/DWARF/CrashExample")
        #expect(own.status == 1 && own.errors.contains("cairn never changes its input"))
    }
}
