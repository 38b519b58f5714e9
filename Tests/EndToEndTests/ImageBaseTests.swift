import TestSupport
import Testing

/// Logs of position-independent programs without a list of images: symbolicated with a memory map
/// that the log holds, or with `--image`. Expected is llvm-symbolizer's result for the address less
/// the start of the program's first mapping (`Fixtures/tools/base_logs.py`).
struct ImageBaseTests {
    private func compare(_ report: JSONLog, with expected: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Int {
        let rows = try table(TestPaths.fixture("logs/" + expected))
        var compared = 0
        for frame in report.threads[0].frames where frame.inlined != true {
            let wanted = rows.filter { $0["address"] == frame.address && $0["function"] != "" }
            // An address twice in a stack has the same result twice.
            let calls = wanted.filter { $0["frame"] == wanted.first?["frame"] }
            let found = frame.functions ?? []
            guard calls.first?["line"]?.isEmpty == false else { continue }
            #expect(
                found.map { $0.mangledName ?? $0.name } == calls.map { $0["linkage_name"] ?? "" }, "\(frame)",
                sourceLocation: sourceLocation)
            #expect(
                found.map { "\($0.file ?? ""):\($0.line ?? 0)" } == calls.map { "\($0["file"] ?? ""):\($0["line"] ?? "")" }, "\(frame)",
                sourceLocation: sourceLocation)
            compared += 1
        }
        return compared
    }

    private func report(_ log: String, _ arguments: String...) throws -> JSONLog {
        let result = try cairn(["logs/" + log, "--format", "json", "-q"] + arguments).requireSuccess()
        return try #require(try jsonLogs(result).first)
    }

    @Test(arguments: [
        ("glibc-backtrace/tide-static/before.txt", 4), ("glibc-backtrace/tide-static/behind.txt", 4),
        ("glibc-backtrace/tide/before.txt", 4),
        ("glibc-backtrace/tide/behind.txt", 4), ("address-list/tide/code.txt", 3), ("rust-panic/wave/full.txt", 3),
        ("swift-runtime-trace/swell/map.txt", 3), ("gdb-bt/tide/maps.txt", 3),
    ])
    func `a memory map in the log places a real program`(log: String, count: Int) throws {
        let report = try report(log, "--symbols", "binaries/Bases/out")
        let name = log.split(separator: "/").last?.split(separator: ".").first ?? ""
        let folder = log.split(separator: "/").dropLast().joined(separator: "/")
        #expect(try compare(report, with: "\(folder)/expected-\(name).tsv") >= count)
    }

    /// The same logs without their maps: nothing is resolved, and then with the base on the command
    /// line all of it.
    @Test(arguments: [
        ("glibc-backtrace/tide-static/behind.txt", "tide-static", 4), ("rust-panic/wave/full.txt", "wave", 3),
    ])
    func `without the map the command tells the base`(log: String, program: String, count: Int) throws {
        let lines = try fixtureLines("logs/" + log)
        let isMapping = { (line: String) in line.firstMatch(of: #/^[0-9a-f]+-[0-9a-f]+ [-r][-w]/#) != nil }
        let text = lines.filter { !isMapping($0) }.joined(separator: "\n") + "\n"
        let start = try #require(lines.first { isMapping($0) && $0.hasSuffix("/" + program) }).prefix { $0 != "-" }
        let file = "binaries/Bases/out/\(program).debug"
        let without = try #require(try jsonLogs(try cairn(["-", "--symbols", file, "--format", "json", "-q"], input: text)).first)
        #expect(without.threads[0].frames.allSatisfy { ($0.functions ?? []).allSatisfy { $0.file?.hasPrefix("/src/") != true } })
        let name = log.split(separator: "/").last?.split(separator: ".").first ?? ""
        for base in [String(start), "0x\(start)"] {
            let result = try cairn(["-", "--image", "\(program)=\(file)@\(base)", "--format", "json", "-q"], input: text)
            let report = try #require(try jsonLogs(result).first)
            let folder = log.split(separator: "/").dropLast().joined(separator: "/")
            #expect(try compare(report, with: "\(folder)/expected-\(name).tsv") >= count)
        }
    }

    /// gdb's stack of a core without its mappings: 0x555555554000 is where Linux loads a
    /// position-independent program without randomization. What is expected is gdb's own result.
    @Test func `a program in gdb's stack gets its base`() throws {
        let lines = try cairn(
            "logs/gdb-bt/ferry-crash/stripped.txt", "--symbols", "binaries/Ferry/out", "--image",
            "ferry-pie=binaries/Ferry/out/ferry-pie.debug@555555554000", "-q"
        ).lines
        let expected = try fixtureLines("logs/gdb-bt/ferry-crash/expected-gdb.txt")
        for (number, line) in [("#3 ", "ferry.c:93"), ("#4 ", "ferry.c:111"), ("#1  0x000055555555535d", "ferry.c:86")] {
            #expect(expected.contains { $0.hasSuffix(line) }, "\(number)")
            #expect(lines.contains { $0.hasPrefix(number) && $0.hasSuffix(line) }, "\(number)")
        }
    }

    @Test(arguments: [
        ("ferry", "--image ferry: no = in it: expected NAME=PATH or NAME=PATH@BASE"), ("ferry=", "the path is empty"),
        ("ferry=@1000", "the path is empty"),
        ("ferry=x@1g", "1g is not a hexadecimal number of at most 64 bits"), ("ferry=x@", " is not a hexadecimal number"),
        ("ferry=x@10000000000000000", "10000000000000000 is not a hexadecimal number of at most 64 bits"),
        ("ferry=x@-1", "-1 is not a hexadecimal number"),
    ])
    func `wrong usage is one line and status 64`(text: String, message: String) throws {
        let result = try cairn("logs/gdb-bt/ferry-crash/stripped.txt", "--image", text)
        #expect(result.status == 64)
        #expect(result.errors.split(separator: "\n").count == 1 && result.errors.contains(message), "\(result.errors)")
    }

    @Test func `a file that is not there is said, and the log is answered as far as it goes`() throws {
        let result = try cairn("logs/gdb-bt/ferry-crash/stripped.txt", "--image", "ferry-pie=gone@1000")
        #expect(result.status == 1 && result.errors.contains("cairn: error: gone: no such file or directory"))
        #expect(result.output.contains("#0  0x0000555555555540 in ?? ()"))
    }
}

/// Rows that name functions, of programs whose symbol files have them: where a program lay follows,
/// and so do the lines.
extension ImageBaseTests {
    /// As Rust's release builds are, and programs of distributions: names, no lines, and nothing
    /// that gives a base.
    @Test(arguments: [("rust-panic/wave/names.txt", "wave", 4), ("gdb-bt/tide/names.txt", "tide", 3)])
    func `names tell where a real program lay`(log: String, program: String, count: Int) throws {
        let report = try report(log, "--symbols", "binaries/Bases/out/\(program).debug")
        let folder = log.split(separator: "/").dropLast().joined(separator: "/")
        #expect(try compare(report, with: "\(folder)/expected-names.tsv") >= count)
        #expect(report.notes?.contains { $0.contains(" is 0x555555554000: calculated from ") } == true)
        // Another program's file has none of the functions, or has them elsewhere.
        let other = try self.report(log, "--symbols", "binaries/Bases/out/swell.debug")
        #expect(other.threads[0].frames.allSatisfy { ($0.functions ?? []).allSatisfy { $0.file?.hasPrefix("/src/") != true } })
    }

    /// dladdr(3) gives Foundation names and offsets, here of CrashExample's x86_64 slice, 0x4000000
    /// above where it is linked: 6805 = 0x1a95 is 69 bytes into performTransition
    /// (Documentation/drop-in-tools.md), 0x4001a95 too.
    @Test func `an exception's rows with names get their lines`() throws {
        let text = """
            *** First throw call stack:
            (
            	0   CoreFoundation                      0x00007fff2040b6af __exceptionPreprocess + 242
            	1   CrashExample                        0x0000000004001a95 -[CrashExampleAppDelegate performTransition] + 69
            	2   CrashExample                        0x0000000004001a01 -[CrashExampleAppDelegate showDetail:] + 49
            	3   CrashExample                        0x00000000040018ed main + 45
            )

            """
        for symbols in ["CrashExample", "CrashExample.dSYM"] {
            let lines = try cairn(["-", "--symbols", "binaries/CrashExample/out/" + symbols, "-q"], input: text).lines
            #expect(lines[3].hasSuffix("-[CrashExampleAppDelegate performTransition] + 69 (CrashExampleAppDelegate.m:94)"), "\(symbols)")
            #expect(lines[4].hasSuffix("-[CrashExampleAppDelegate showDetail:] + 49 (CrashExampleAppDelegate.m:60)"), "\(symbols)")
            #expect(lines[5].hasSuffix("main + 45 (main.m:9)"), "\(symbols)")
        }
        // One row that does not fit contradicts the others no more than it is one.
        let odd = text.replacing("main + 45", with: "main + 46")
        let lines = try cairn(["-", "--symbols", "binaries/CrashExample/out/CrashExample", "-q"], input: odd).lines
        #expect(lines[3].hasSuffix("(CrashExampleAppDelegate.m:94)"))
    }
}
