import TestSupport
import Testing

/// Programs that walk their own stack by libbacktrace (swift-server/swift-backtrace), and Unreal's
/// rows: what cairn writes into the log of stripped files, line by line against what was printed
/// with symbols.
struct LibbacktraceRowsTests {
    @Test func `a server's stack is answered as libbacktrace answers it`() throws {
        let folder = "logs/swift-server-backtrace/SwiftServer/"
        let result = try cairn(folder + "trace.txt", "--symbols", "binaries/SwiftServer/out/debug/app.debug", "--demangle", "full", "-q")
            .requireSuccess()
        let expected = try fixtureLines(folder + "expected-trace.txt").map { line in
            // The package's demangler writes no short forms; libbacktrace joins the empty folder of
            // generated code by a second slash.
            line.replacing("Swift.Optional<B>", with: "B?").replacing("Swift.Array<App.Request>", with: "[App.Request]").replacing(
                " //<", with: " /<")
        }
        // The C runtime's first function has a symbol and no debug information, which is all that
        // libbacktrace reads.
        #expect(result.lines == expected.map { $0 == "0x401b30" ? "0x401b30, _start" : $0 })
        #expect(expected.count == 14)
    }

    @Test func `of a program that lies anywhere, the reason is given`() throws {
        let log = "logs/swift-server-backtrace/SwiftServer/position-independent.txt"
        let result = try cairn(log, "--symbols", "binaries/SwiftServer/out/debug/app.debug", "-q")
        #expect(result.lines == (try fixtureLines(log)))
        let text = try cairn(log, "--symbols", "binaries/SwiftServer/out/debug/app.debug", "-q", "--format", "text").output
        #expect(text.contains("no given symbol file has code at this address"))
    }

    @Test func `Unreal's rows are answered as llvm-symbolizer answers them`() throws {
        let folder = "logs/unreal/SwiftFerry/"
        let result = try cairn(folder + "crash.log", "--symbols", "binaries/SwiftFerry/out/debug", "-q")
        #expect(result.standardOutput == (try readFile(TestPaths.fixture(folder + "expected-crash.log"))))
    }

    @Test(arguments: ["logs/windows-cdb/grammar/kv.txt", "logs/unreal/grammar/windows.log", "logs/unreal/grammar/CrashContext.runtime-xml"])
    func `Windows' stacks of modules without files pass unchanged`(log: String) throws {
        let symbols = "binaries/SwiftServer/out/debug/app.debug"
        #expect(try cairn(log, "--symbols", symbols, "-q").standardOutput == (try readFile(TestPaths.fixture(log))))
        let report = try #require(try jsonLogs(try cairn(log, "--symbols", symbols, "-q", "--format", "json")).first)
        #expect(report.threads.flatMap(\.frames).allSatisfy { $0.status != "resolved" })
    }
}
