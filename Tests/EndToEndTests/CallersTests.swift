import TestSupport
import Testing

/// Programs that call addr2line and llvm-symbolizer write the same with cairn in their place:
/// `scripts/checks/callers` compares them byte for byte, here its quick rows.
struct CallersTests {
    private static let script = TestPaths.root + "/scripts/checks/callers"

    /// Why a group of callers cannot run here; `nil` if it can.
    private static func absence(_ group: String) -> String? {
        guard let result = try? run(script, ["--missing", group]) else { return "bash is not here" }
        return result.status == 0 ? nil : result.output + result.errors
    }

    private static let perf = absence("perf")
    private static let pprof = absence("pprof")
    private static let asan = absence("asan")

    private func expectAgreement(_ rows: [String]) throws {
        let result = try run(
            Self.script, ["--runs", "0"] + rows, environment: ["CAIRN_BINARY": TestPaths.cairn, "CAIRN_STRICT_COMPAT": nil])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.lines.last == "\(rows.count) rows agree")
    }

    @Test(.enabled(if: perf == nil, Comment(rawValue: perf ?? ""))) func `perf's lines and inlined calls`() throws {
        try expectAgreement(["perf-script-gcc", "perf-report-sort-gcc", "perf-report-inline-gcc"])
    }

    @Test(.enabled(if: pprof == nil, Comment(rawValue: pprof ?? ""))) func `google-pprof's lines and inlined calls`() throws {
        try expectAgreement(["pprof-text-gcc"])
    }

    @Test(.enabled(if: asan == nil, Comment(rawValue: asan ?? ""))) func `reports that asan_symbolize reads`() throws {
        try expectAgreement(["asan-llvm-symbolizer-gcc", "asan-addr2line-gcc", "asan-llvm-symbolizer-demangle-clang"])
    }
}
