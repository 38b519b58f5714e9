import BinaryPrimitives
import CrashLogModel
import CrashReports
import Foundation
import TestSupport
import Testing

/// Compares with casr-san and ClusterFuzz on the same reports.
@Suite(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
struct SanitizerUpstreamTests {
    private struct Casrep: Decodable {
        var Stacktrace: [String]
        var CrashLine: String
    }

    private static let folder = TestPaths.corpus ?? ""
    private static let casr = ["1ed8c245b8567", "24131eeed0916", "501ab73a4d212", "51993567d344b", "aae17a1ced499", "ee1e6157fd97d"]

    /// casr gives the rows of the first stack, unchanged, and the location that it takes for the
    /// cause.
    @Test(arguments: casr) func `casr's rows are the first stack's`(name: String) throws {
        let expected = try JSONDecoder().decode(
            Casrep.self, from: Data(TestPaths.bytes(of: Self.folder + "/expected/upstream/casr-san-\(name).casrep")))
        let log = SampleLog(bytes: TestPaths.bytes(of: Self.folder + "/logs/sanitizer-asan/casr-\(name).txt"))
        let report = try log.report()
        let rows = report.threads[0].frames.map { log.text(of: $0).drop { $0 == " " } }
        #expect(rows.map(String.init) == expected.Stacktrace)
        let locations = report.threads[0].frames.compactMap { $0.printed?.location }.map { "\($0.file):\($0.line):\($0.column)" }
        #expect(locations.contains(expected.CrashLine) || locations.contains(expected.CrashLine + ":0"), "\(expected.CrashLine)")
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var path: String
        var address: String
        /// Up to three functions, innermost first, without parameters; of some kinds a message
        /// before them.
        var state: [String]
        var testDescription: String { path }
    }

    static let clusterfuzz: [Row] = {
        let text = String(decoding: TestPaths.bytes(of: folder + "/expected/upstream/clusterfuzz-expected.tsv"), as: UTF8.self)
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count > 3, fields[0].contains("/sanitizer-"), !fields[3].isEmpty, fields[3] != "NULL" else { return nil }
            // A source file means the fuzzer's own function.
            let state = fields[3].components(separatedBy: "\\n").filter { !$0.isEmpty && !$0.hasSuffix(".cc") }
            return Row(path: fields[0], address: fields[2], state: state)
        }
    }()

    /// Rows that ClusterFuzz takes from another part of the log, or rewords.
    static let different = [
        "clusterfuzz-absl_log_internal.txt": "messages and file names only",
        "clusterfuzz-centipede_timeout_abrt.txt": "`foo`, which is nowhere in the log",
        "clusterfuzz-v8_csa_dcheck.txt": "messages and file names only",
        "clusterfuzz-linux_gate.txt": "a message only",
        "clusterfuzz-libfuzzer_llvm_fuzzer_test_one_input_crash.txt": "the fuzzer's file stands for its function",
        "clusterfuzz-lkl_libfuzzer_symbolized.txt": "the kernel's report above libFuzzer's",
        "clusterfuzz-libfuzzer_fuzz_target_exited.txt": "the fuzzer's file stands for its function",
        "clusterfuzz-libfuzzer_timeout.txt": "the fuzzer's name stands for its function",
        "clusterfuzz-oom4.txt": "the fuzzer's name stands for its function",
        "clusterfuzz-cfi_invalid_vtable.txt": "there is no stack",
        "clusterfuzz-v8_abort_without_source.txt": "a message only",
    ]

    @Test(arguments: clusterfuzz) func `ClusterFuzz's functions are among the frames, in order`(row: Row) throws {
        let name = row.path.split(separator: "/").last.map(String.init) ?? ""
        guard Self.different[name] == nil, CorpusTests.explained.keys.allSatisfy({ !row.path.hasSuffix($0) || $0.contains("libfuzzer") })
        else { return }
        let reports = SampleLog(bytes: TestPaths.bytes(of: Self.folder + "/" + row.path)).parsed().reports
        let names = reports.flatMap(\.allFrames).map { plain($0.printed?.name ?? "") }
        var position = 0
        var found = 0
        for function in row.state {
            if let index = names[position...].firstIndex(where: { isSame($0, function) }) {
                position = index + 1
                found += 1
            }
        }
        #expect(found >= min(1, row.state.count) && found >= row.state.count - 1, "\(row.state) in \(names.prefix(12))")
        let isAddress = row.address.hasPrefix("0x") && !row.path.contains("ubsan")
        if isAddress, let value = UInt64(row.address.dropFirst(2), radix: 16) {
            #expect(reports.contains { $0.cause?.address?.value == value }, "\(row.address)")
        }
    }

    /// ClusterFuzz cuts names at 80 characters.
    private func isSame(_ name: String, _ function: String) -> Bool {
        name == function || name.hasSuffix(" " + function) || (function.count == 80 && name.hasPrefix(function))
    }

    /// Without parameters: `f(int (*)(char)) const` is `f`.
    private func plain(_ name: String) -> String {
        var depth = 0
        let text = name.replacing("(anonymous namespace)::", with: "")
        for index in text.indices {
            if text[index] == "<" { depth += 1 }
            if text[index] == ">" { depth -= 1 }
            if text[index] == "(", depth <= 0, index > text.startIndex { return String(text[..<index]) }
        }
        return text
    }
}
