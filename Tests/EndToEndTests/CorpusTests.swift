import TestSupport
import Testing

/// Real logs that nobody here wrote, with the results that came with them.
@Suite(.enabled(if: TestPaths.corpus != nil, "the corpus of real logs is not here (CAIRN_CORPUS)"))
struct CorpusTests {
    static let corpus = TestPaths.corpus ?? ""
    static let formats = [
        "android-tombstone-pb", "apple-crash", "apple-ips", "apple-ips-legacy", "apple-leaks", "apple-panic", "apple-sample",
        "apple-spindump", "nsexception-console", "plcrashreporter", "sentry-event-json",
        "swift-backtrace", "swift-runtime-trace", "windows-cdb",
    ]

    /// The logs below a folder of the corpus.
    static func files(_ folder: String) -> [String] {
        (try? run("find", [folder, "-type", "f", "!", "-name", "*.xz"], directory: corpus).lines.sorted()) ?? []
    }

    @Test(arguments: formats)
    func `every sample of a format is recognised, with frames`(format: String) throws {
        let logs = Self.files("logs/" + format)
        #expect(!logs.isEmpty)
        let result = try cairn(logs.map { Self.corpus + "/" + $0 } + ["--format", "json", "-q"]).requireSuccess()
        let all = Dictionary(grouping: try jsonLogs(result), by: \.log)
        for log in logs {
            let reports = all[Self.corpus + "/" + log] ?? []
            #expect(!reports.isEmpty, "\(log)")
            // Somebody pasted what lldb says of the same crash as well.
            let others = log.hasSuffix("couchbase-CBL_Bug_Demo.txt") ? ["lldb-bt"] : []
            #expect(reports.allSatisfy { $0.format == format || others.contains($0.format) }, "\(log): \(reports.map(\.format))")
            let stacks = reports.flatMap { $0.threads + ($0.additionalBacktraces ?? []) }.flatMap(\.frames)
            // Memory that was allocated without a record of it has no stack.
            #expect(!(stacks + reports.flatMap { $0.exceptionBacktrace?.frames ?? [] }).isEmpty || log.hasSuffix("_no_stack.txt"), "\(log)")
        }
    }

    @Test func `logs of all other folders, without symbols, and malformed ones end with a status, and texts pass unchanged`() throws {
        // If this machine's C library has the build ID that a sanitizer's report gives, its rows
        // are resolved.
        let otherLogs = Self.files("logs").filter { log in
            !log.hasPrefix("logs/sanitizer-") && !Self.formats.contains { log.hasPrefix("logs/\($0)/") }
        }
        let others = Repeats.sample(15, of: otherLogs, for: "logs") + Repeats.sample(8, of: Self.files("malformed"), for: "malformed")
        for log in others {
            let path = Self.corpus + "/" + log
            // Libraries of this machine may be those of the log.
            let result = try cairn(path, "-q", "--no-local")
            #expect([0, 1].contains(result.status), "\(log): status \(result.status)")
            #expect(result.errors.split(separator: "\n").count <= 1, "\(log): \(result.errors)")
            let bytes = try readFile(path)
            if result.standardOutput.isEmpty, result.status == 1, result.errors.contains(" not "), bytes.contains(where: { $0 < 7 }) {
                // Programs and dumps: no byte of them is written out.
                continue
            } else if bytes.starts(with: Array("MDMP".utf8)) {
                // A report of it, of printable characters.
                let text = result.output
                #expect(text.contains("\nLog:           \(path) (minidump)\n") && text.contains("\nThread "), "\(log): \(text)")
                #expect(!result.standardOutput.contains { $0 < 0x20 && $0 != 10 }, "\(log)")
            } else if bytes.starts(with: [0x78, 0x9C]) {
                // Unreal's container: names of files in fields of zeros, and the files.
                #expect(result.output.contains("<CallStack>") && result.status == 1 && result.errors.contains("this is not text"), "\(log)")
            } else {
                #expect(result.standardOutput == bytes, "\(log)")
            }
        }
    }

    /// The pairs of a log and its symbol files whose log is of one of these formats.
    static let pairs = ((try? table(corpus + "/TRIPLES.tsv")) ?? []).filter { pair in
        formats.contains { (pair["log"] ?? "").hasPrefix("logs/\($0)/") } && pair["objects"]?.hasPrefix("objects/") == true
    }

    /// Rows of the tables that are wrong. The stack of a C++ exception is return addresses
    /// throughout, its first frame too: the table has looked that one up as it is, and names the
    /// function after `__cxa_throw`, whose last instruction is the call. The log itself and
    /// upstream say `__cxa_throw`.
    static let differing: Set = ["crashprobe-x86_64-Throw_C++_exception 0x71edb95"]

    @Test(arguments: Repeats.sample(15, of: pairs.compactMap { $0["id"] }, for: "pairs"))
    func `a log with its symbol files is answered as llvm-symbolizer and its upstream answer it`(id: String) throws {
        let pair = try #require(Self.pairs.first { $0["id"] == id })
        let symbols = (pair["objects"] ?? "").split(separator: ";").flatMap { ["--symbols", Self.corpus + "/" + $0] }
        let result = try cairn([Self.corpus + "/" + (pair["log"] ?? ""), "--format", "json", "-q"] + symbols)
        let frames = try jsonLogs(result).flatMap { $0.threads.flatMap(\.frames) + ($0.exceptionBacktrace?.frames ?? []) }
        var compared = 0
        for row in try table(Self.corpus + "/" + (pair["expected_tsv"] ?? "")) {
            guard let function = row["function"], !["", "??"].contains(function), let depth = Int(row["inline_depth"] ?? ""),
                let address = UInt64((row["address"] ?? "").dropFirst(2), radix: 16)
            else { continue }
            let frame = frames.first { $0.functions != nil && UInt64(($0.address ?? "").dropFirst(2), radix: 16) == address }
            let answer = try #require(frame?.functions?.dropFirst(depth).first, "\(row)")
            if Self.differing.contains("\(id) \(row["address"] ?? "")") {
                #expect(answer.name == row["upstream_text"] && answer.mangledName ?? answer.name != row["linkage_name"])
                continue
            }
            #expect(answer.mangledName ?? answer.name == row["linkage_name"])
            #expect(String(answer.line ?? 0) == row["line"])
            // The file of a call that swiftc says is in `<compiler-generated>`, on a real line, is
            // found elsewhere; llvm-symbolizer prints it as it is.
            if row["file"]?.hasSuffix("<compiler-generated>") == true, row["line"] != "0" {
                #expect(answer.file?.hasSuffix(".swift") == true)
            } else {
                #expect(answer.file?.split(separator: "/").last == row["file"]?.split(separator: "/").last)
            }
            compared += 1
        }
        #expect(compared > 0)
    }
}

/// The samples that MacSymbolicator's tests hold, beside the results it expects. It passes atos the
/// addresses as they are, so its lines are those of the instruction after each call:
/// `--adjust never` gives the same, row by row.
@Suite(.enabled(if: TestPaths.corpus != nil, "the corpus of real logs is not here (CAIRN_CORPUS)"))
struct UpstreamTreesTests {
    static let pairs = CorpusTests.pairs.filter { $0["log"]?.hasPrefix("logs/apple-sample/") == true }

    @Test func `there are two samples`() { #expect(Self.pairs.count == 2) }

    @Test(arguments: pairs.compactMap { $0["id"] }) func `MacSymbolicator's answers are cairn's without adjusting`(id: String) throws {
        let pair = try #require(Self.pairs.first { $0["id"] == id })
        let arguments = [
            CorpusTests.corpus + "/" + (pair["log"] ?? ""), "--symbols", CorpusTests.corpus + "/" + (pair["objects"] ?? ""), "-q",
        ]
        let raw = try cairn(arguments + ["--adjust", "never"]).output.split(separator: "\n")
        let adjusted = try cairn(arguments).output.split(separator: "\n")
        let path = CorpusTests.corpus + "/" + (pair["upstream_expected"] ?? "")
        let expected = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n")
        #expect(raw.count == expected.count)
        var compared = 0
        for ((ours, theirs), ours1) in zip(zip(raw, expected), adjusted) where ours != theirs {
            // `2761 main (in App) (main.m:57) [0x101671e30]` is
            // `2761 main (in App) + 66 [0x101671e30] main.m:57`.
            let (name, location) = try #require(upstream(theirs), "\(ours) | \(theirs)")
            #expect(ours.contains(" " + name + "  (in ") && ours.hasSuffix("]  " + location), "\(ours) | \(theirs)")
            #expect(ours1.contains(" " + name + "  (in "))
            compared += 1
        }
        #expect(compared == (id.contains("2022") ? 2 : 3))
    }

    private func upstream(_ row: Substring) -> (name: String, location: String)? {
        guard let open = row.lastIndex(of: "("), let close = row.lastIndex(of: ")"), open < close else { return nil }
        let tokens = row[..<open].split(separator: " ")
        guard let start = tokens.firstIndex(where: { Int($0) != nil }), let end = tokens.firstIndex(of: "(in"), start < end else {
            return nil
        }
        return (tokens[(start + 1)..<end].joined(separator: " "), String(row[row.index(after: open)..<close]))
    }
}
