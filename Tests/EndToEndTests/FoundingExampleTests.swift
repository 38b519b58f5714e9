import TestSupport
import Testing

/// The program of a 2008 article that found the line of a crash by hand: gdb for the symbol, gdb
/// for the line, atos for both. Expected results are llvm-symbolizer's and those tools' own words,
/// recorded beside the logs.
struct FoundingExampleTests {
    static let binary = "binaries/CrashExample/out/CrashExample"

    @Test func `one call answers the whole console log, and leaves the rest as it was`() throws {
        let log = "logs/nsexception-console/CrashExample/console.log"
        let result = try cairn("symbolicate", "--symbols", Self.binary, log)
        #expect(result.status == 0)
        // The addresses of the system's libraries, whose place the log does not give.
        #expect(result.errors == "cairn: warning: \(log): 7 of 11 frames unresolved. Run: cairn explain -s \(Self.binary) \(log)\n")
        let answers = [
            "    6805,": "-[CrashExampleAppDelegate performTransition] + 69 (CrashExampleAppDelegate.m:94)",
            "    6657,": "-[CrashExampleAppDelegate showDetail:] + 49 (CrashExampleAppDelegate.m:60)",
            "    6590,": "-[CrashExampleAppDelegate applicationDidFinishLaunching:] + 46 (CrashExampleAppDelegate.m:47)",
            "    6381,": "main + 45 (main.m:9)",
        ]
        for (before, after) in zip(try fixtureLines(log), result.lines) {
            if let answer = answers[before] {
                #expect(after.hasPrefix(before) && after.hasSuffix(answer), "\(after)")
            } else {
                #expect(after == before)
            }
        }
        #expect(result.lines.count == (try fixtureLines(log)).count)
    }

    @Test(arguments: [("CrashExample", "x86_64"), ("CrashExample-arm64", "arm64")])
    func `atos and gdb's two questions are answered in their words`(example: String, architecture: String) throws {
        let folder = "logs/nsexception-console/\(example)/"
        let addresses = try fixtureLines(folder + "addresses.txt")
        let atos = try cairn(["atos", "-o", Self.binary, "-arch", architecture] + addresses)
        #expect(atos.lines == (try fixtureLines(folder + "expected-atos.txt")))
        let symbols = try cairn(["info", "symbol", "-o", Self.binary, "--arch", architecture] + addresses)
        let expected = try fixtureLines(folder + "expected-info-symbol.txt").map {
            String($0.dropLast("PATH".count)) + Self.binary
        }
        #expect(symbols.lines == expected)
        let lines = try cairn(["info", "line", "-o", Self.binary, "--arch", architecture] + addresses.map { "*" + $0 })
        #expect(lines.lines == (try fixtureLines(folder + "expected-info-line.txt")))
    }

    @Test(arguments: ["call-stack-at-first-throw.log", "first-throw-call-stack.log"])
    func `later forms of the same log name the same lines`(log: String) throws {
        let result = try cairn("logs/nsexception-console/CrashExample/" + log, "--symbols", Self.binary, "--quiet")
        #expect(result.status == 0)
        for location in ["CrashExampleAppDelegate.m:94", "CrashExampleAppDelegate.m:60", "CrashExampleAppDelegate.m:47", "main.m:9"] {
            #expect(result.lines.filter { $0.contains("(\(location))") }.count == 1, "\(location) in \(result.output)")
        }
    }

    @Test func `a folder serves as well as the file: the log's process is looked for in it`() throws {
        let log = "logs/nsexception-console/CrashExample/console.log"
        let byFile = try cairn(log, "--symbols", Self.binary)
        let byFolder = try cairn(log, "--symbols", "binaries")
        #expect(byFolder.output == byFile.output)
        #expect(byFile.output.contains("CrashExampleAppDelegate.m:94"))
    }
}
