import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Compares with the results of other projects for the same logs.
@Suite(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
struct GoPanicUpstreamTests {
    private static let folder = TestPaths.corpus ?? ""

    private static func frames(of path: String) throws -> [Frame] {
        let report = try #require(
            SampleLog(bytes: TestPaths.bytes(of: folder + "/" + path)).parsed().reports.first { $0.format == "go-panic" })
        return report.allFrames
    }

    /// syzkaller cuts what it holds for the report out of the log: each frame in it is one of ours,
    /// with the same bytes.
    @Test(arguments: ["0", "2", "4", "6", "8"]) func `syzkaller's reports have our frames`(name: String) throws {
        let expected = String(
            decoding: TestPaths.bytes(of: Self.folder + "/expected/upstream/syzkaller-gvisor-\(name).report.txt"), as: UTF8.self)
        let log = SampleLog(bytes: TestPaths.bytes(of: Self.folder + "/logs/go-panic/syzkaller-gvisor-\(name).txt"))
        let ours = Set(try #require(log.parsed().reports.first).allFrames.map(log.text))
        let lines = expected.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let theirs = zip(lines, lines.dropFirst()).filter { NaiveCount.isGoPlace($1) }.map { "\($0)\n\($1)" }
        #expect(theirs.count >= 5)
        for frame in theirs { #expect(ours.contains(frame), "\(frame)") }
    }

    /// clusterfuzz' state: the crash's first three functions of interest, by the last part of their
    /// package path.
    @Test(arguments: [
        ("go_braces", ["regexp.(*Regexp).Split", "gonids.(*Rule).option", "gonids.parseRuleAux"]),
        ("golang_fatal_error_stack_overflow", ["ast.(*scanner).next", "ast.(*scanner).scanIdent", "ast.(*scanner).Scan"]),
        ("golang_generic_panic_and_asan_abrt", ["json.(*decodeState).unquoteBytes"]),
        ("golang_panic_custom_short_message", ["prog.fromHexChar", "prog.hexToByte"]),
        (
            "golang_panic_runtime_error_index_out_of_range_with_msan",
            ["http.(*conn).serve.func1", "http.HandlerFunc.ServeHTTP", "http.(*ServeMux).ServeHTTP"]
        ),
        (
            "golang_panic_runtime_error_invalid_memory_address",
            ["repro.(*context).reproMinimizeProg", "repro.(*context).repro", "repro.Run"]
        ),
        (
            "golang_panic_runtime_error_slice_bounds_out_of_range",
            ["json.(*decodeState).unquoteBytes", "json.(*decodeState).literalStore", "json.(*decodeState).object"]
        ),
        ("golang_panic_with_type_assertions_in_frames", ["flate.(*compressor).deflate", "flate.(*compressor).syncFlush"]),
    ]) func `clusterfuzz' states are our frames in their order`(name: String, state: [String]) throws {
        // The table is clusterfuzz-expected.tsv's column of the state; a message in it is left out
        // here.
        let table = String(decoding: TestPaths.bytes(of: Self.folder + "/expected/upstream/clusterfuzz-expected.tsv"), as: UTF8.self)
        let row = try #require(table.split(separator: "\n").first { $0.hasPrefix("logs/go-panic/clusterfuzz-\(name).txt") })
        for function in state { #expect(row.contains(function)) }
        let names = try Self.frames(of: "logs/go-panic/clusterfuzz-\(name).txt").compactMap { frame in
            frame.printed?.name.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
        }
        var position = names.startIndex
        for function in state {
            let next = try #require(names[position...].firstIndex(of: function), "\(function)")
            position = next + 1
        }
    }
}
