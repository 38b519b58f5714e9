import Foundation
import TestSupport
import Testing

/// Logs of glibc, gdb, perf and systemd-coredump of stripped programs (the case Ferry),
/// symbolicated with separate debug files. They are compared with what the same tool says of the
/// same core, recording or process when it has the debug files itself. How the logs came about:
/// `Fixtures/tools/ferry_logs.py`, `systemd_logs.py`.
struct LinuxToolsTests {
    private static let symbols = "binaries/Ferry/out"

    /// A function and the line that is shown of it.
    private struct Call: Equatable, CustomStringConvertible {
        var function: String
        var line: String
        var description: String { "\(function) \(line)" }
    }

    /// gcc has made `sail.constprop.0` of `sail`. The symbol table has the first name, which
    /// llvm-symbolizer and cairn print; gdb, perf's inlined calls and systemd print the debug
    /// information's.
    private static func plain(_ function: String) -> String {
        function.hasSuffix(".constprop.0") ? String(function.dropLast(".constprop.0".count)) : function
    }

    private func report(_ log: String) throws -> JSONLog {
        let result = try cairn(log, "--symbols", Self.symbols, "--format", "json", "-q", "--no-local").requireSuccess()
        return try #require(try jsonLogs(result).first)
    }

    /// The functions with a line in the order of the stack, inlined calls first.
    private func calls(_ frames: [JSONLog.Frame]) -> [Call] {
        frames.flatMap { $0.functions ?? [] }.compactMap { function in
            guard let file = function.file, let line = function.line else { return nil }
            return Call(function: Self.plain(function.name), line: "\(file.split(separator: "/").last ?? ""):\(line)")
        }
    }

    // MARK: glibc

    /// The static program's rows are bare addresses: the file is the one that is given. The table
    /// is llvm-symbolizer's.
    @Test(arguments: ["ferry-static/backtrace.txt", "ferry-static-assert/assert.txt"])
    func `a static program's backtrace is answered`(log: String) throws {
        let path = "logs/glibc-backtrace/"
        let folder = path + log.split(separator: "/")[0]
        let result = try cairn(path + log, "--symbols", Self.symbols + "/ferry-static.debug", "--format", "json", "-q")
        let report = try #require(try jsonLogs(result).first)
        let rows = try table(TestPaths.fixture(folder + "/expected-static.tsv"))
        #expect(report.threads[0].frames.count == (log.hasSuffix("backtrace.txt") ? 9 : 15))
        for frame in report.threads[0].frames {
            let expected = rows.filter { $0["address"] == frame.address && $0["function"] != "" }
            let unique = expected.prefix { $0["frame"] == expected.first?["frame"] }
            // Nothing calls the trampoline: it begins at its row's address (nm), and the table has
            // looked up the byte before.
            if frame.functions?.first?.name == "__restore_rt" {
                #expect(frame.kind == "exact" && frame.functions?.first?.offset == 0)
                continue
            }
            #expect((frame.functions ?? []).map(\.name) == unique.map { $0["function"] ?? "" })
            // If there is no debug information, llvm-symbolizer names the object file of the symbol
            // table.
            for (function, row) in zip(frame.functions ?? [], unique) where row["line"] != "" {
                #expect(function.file == row["file"] && function.line.map(String.init) == row["line"])
            }
        }
    }

    /// After each of the program's rows what addr2line would say; all other bytes stay.
    @Test(arguments: ["ferry-pie", "ferry-nopie", "ferry-clang"]) func `rows of glibc stay, with addr2line's words behind them`(
        program: String
    ) throws {
        let log = "logs/glibc-backtrace/\(program)/backtrace.txt"
        let before = try fixtureLines(log)
        let after = try cairn(log, "--symbols", Self.symbols, "-q").lines
        let rows = after.filter { !$0.hasPrefix(" (inlined by) ") }
        #expect(rows.count == before.count)
        for (old, new) in zip(before, rows) { #expect(new.hasPrefix(old)) }
        #expect(after[0].hasSuffix("] print_stack at /src/ferry.c:22"))
        #expect(after[2...3] == [before[2] + " weigh at /src/harbour.c:9", " (inlined by) unload at /src/harbour.c:16"])
    }

    // MARK: gdb

    /// gdb's rows with a place in the source, thread by thread.
    private func gdbCalls(_ path: String) throws -> [[Call]] {
        var stacks: [[Call]] = []
        for line in try fixtureLines(path) where line.hasPrefix("#") {
            if line.hasPrefix("#0 ") { stacks.append([]) }
            guard let at = line.range(of: " at "), let open = line.range(of: " (") else { continue }
            let function = line[..<open.lowerBound].split(separator: " ").last ?? ""
            stacks[stacks.count - 1].append(Call(function: String(function), line: String(line[at.upperBound...])))
        }
        return stacks
    }

    @Test func `a core's stack is what gdb says with the debug files`() throws {
        let report = try report("logs/gdb-bt/ferry-catch/stripped.txt")
        let expected = try #require(try gdbCalls("logs/gdb-bt/ferry-catch/expected-gdb.txt").last)
        #expect(expected.count == 8)
        #expect(calls(report.threads[0].frames) == expected)
    }

    /// Without `info proc mappings` gdb does not say where the program itself was loaded: its
    /// return addresses do. The library's frames are found from where its `.text` is.
    @Test func `with info sharedlibrary the libraries and the program are answered`() throws {
        let report = try report("logs/gdb-bt/ferry-crash/stripped.txt")
        let crashed = try #require(report.threads.first { $0.crashed == true })
        let expected = try #require(try gdbCalls("logs/gdb-bt/ferry-crash/expected-gdb.txt").last)
        #expect(expected.count == 7)
        #expect(calls(crashed.frames) == expected)
    }

    @Test func `gdb's rows are gdb's, with empty parentheses`() throws {
        let lines = try cairn("logs/gdb-bt/ferry-catch/stripped.txt", "--symbols", Self.symbols, "-q").lines
        #expect(lines.contains("#6  0x00007ffff7fbc12b in weigh () at /src/harbour.c:9"))
        #expect(lines.contains("#6  unload () at /src/harbour.c:16"))
        #expect(lines.contains { $0.hasPrefix("#10 0x00007ffff7") && $0.hasSuffix(" in ?? () from /lib/x86_64-linux-gnu/libc.so.6") })
    }

    /// The same crash as apport and abrt report it.
    @Test(arguments: [
        "apport/ferry/retraced.crash", "apport/ferry/signature.crash", "abrt-json/ferry/core_backtrace", "gdb-bt/ferry-crash/bt-full.txt",
    ])
    func `apport's, abrt's and gdb's reports of one crash have gdb's answers`(log: String) throws {
        let report = try report("logs/" + log)
        let crashed = try #require(report.threads.first { $0.crashed == true })
        #expect(calls(crashed.frames) == (try gdbCalls("logs/gdb-bt/ferry-crash/expected-gdb.txt").last))
    }

    // MARK: perf

    /// perf's rows with a place in the source, sample by sample.
    private func perfCalls(_ path: String) throws -> [[Call]] {
        var samples: [[Call]] = []
        var function = ""
        for line in try fixtureLines(path) {
            if line.hasPrefix("\t") {
                let name = line.split(whereSeparator: \.isWhitespace)[1].split(separator: "+")[0]
                function = line.contains("libc.so") || name.hasPrefix("__libc") ? "" : Self.plain(String(name))
            } else if line.hasPrefix("  ") {
                let location = line.dropFirst(2).split(separator: " ")[0].split(separator: "/").last ?? ""
                if !function.isEmpty, !location.hasPrefix("?") {
                    samples[samples.count - 1].append(Call(function: function, line: String(location)))
                }
            } else if line.contains("cpu-clock:u:") {
                samples.append([])
            }
        }
        return samples
    }

    /// Unwound by DWARF, perf has subtracted one from return addresses itself, and gives results
    /// with inlined calls: every function and every line is the same.
    @Test func `samples unwound by DWARF are what perf says with the debug files`() throws {
        let report = try report("logs/perf-script/ferry/dwarf.txt")
        let expected = try perfCalls("logs/perf-script/ferry/expected-dwarf-lines.txt")
        #expect(expected.count >= 3 && expected.allSatisfy { $0.count == 8 })
        #expect(report.threads.map { calls($0.frames) } == expected)
    }

    /// Unwound by frame pointers, perf looks return addresses up as they are: for `harbour_berth`,
    /// which is left at line 22, it says 23, the line after the call; and it shows no inlined
    /// calls. In the functions, and in the line of the sample itself, both agree; and cairn's lines
    /// are the same as those of the samples that perf has unwound by DWARF.
    @Test(arguments: ["fp", "raw", "unmapped"]) func `samples by frame pointers`(way: String) throws {
        let report = try report("logs/perf-script/ferry/\(way).txt")
        let expected = try perfCalls("logs/perf-script/ferry/expected-fp-lines.txt")
        #expect(expected.count >= 3)
        #expect(report.threads.count == expected.count)
        for (thread, sample) in zip(report.threads, expected) {
            let own = thread.frames.compactMap { $0.functions?.last }.filter { $0.line != nil }
            #expect(own.map { Self.plain($0.name) } == sample.map(\.function))
            #expect(thread.frames.first?.functions?.first?.line.map { "ferry.c:\($0)" } == sample.first?.line)
            #expect(own.dropFirst().map { $0.line } == [16, 22, 93, 111])
        }
    }

    // MARK: systemd

    /// systemd-coredump names the innermost function at each address and prints no lines.
    @Test(arguments: ["ferry-pie", "ferry-nopie"], ["coredumpctl.txt", "journal.txt", "journal.json"])
    func `systemd's stacks have the names that systemd gives with the debug files`(program: String, log: String) throws {
        let report = try report("logs/systemd-coredump/\(program)/\(log)")
        var expected: [[String]] = []
        for line in try fixtureLines("logs/systemd-coredump/\(program)/expected-systemd.txt") {
            if line.hasPrefix("Stack trace") { expected.append([]) }
            if line.hasPrefix("#"), line.contains("ferry") || line.contains("harbour") {
                expected[expected.count - 1].append(String(line.split(separator: " ")[2]))
            }
        }
        #expect(expected.map(\.count) == [6, 1])
        let found = report.threads.map { thread in thread.frames.compactMap { $0.functions?.first.map { Self.plain($0.name) } } }
        #expect(found == expected)
    }
}
