import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

/// gdb's stacks beside what other parsers make of them.
@Suite(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
struct GDBUpstreamTests {
    private static let folder = TestPaths.corpus ?? ""

    private func report(_ name: String) throws -> CrashReport {
        try SampleLog(bytes: TestPaths.bytes(of: Self.folder + "/logs/gdb-bt/" + name)).report()
    }

    /// casr's crash line is the first source location that is not a library's.
    @Test(arguments: ["1ed8c245b8567", "501ab73a4d212", "5a765268270cb", "aae17a1ced499", "ee1e6157fd97d"])
    func `the first place is casr's crash line`(name: String) throws {
        let bytes = TestPaths.bytes(of: Self.folder + "/expected/upstream/casr-gdb-\(name).casrep")
        let text = String(decoding: bytes, as: UTF8.self)
        let mark = try #require(text.firstRange(of: "\"CrashLine\": \""))
        let line = String(text[mark.upperBound...].prefix { $0 != "\"" })
        let frames = try report("casr-\(name).txt").threads[0].frames
        #expect(text.occurrences(of: "\"#") == frames.count)
        let locations = frames.compactMap(\.printed?.location).map { "\($0.file):\($0.line)" }
        #expect(locations.contains { line.hasPrefix($0) }, "\(line): \(locations)")
    }

    /// clusterfuzz's state: the first three significant functions; it skips memcpy.
    @Test func `functions are clusterfuzz's`() throws {
        let rows = String(decoding: TestPaths.bytes(of: Self.folder + "/expected/upstream/clusterfuzz-expected.tsv"), as: UTF8.self).split(
            separator: "\n")
        let row = try #require(rows.first { $0.hasPrefix("logs/gdb-bt/clusterfuzz-gdb_sigtrap.txt\t") }).split(
            separator: "\t", omittingEmptySubsequences: false)
        let report = try report("clusterfuzz-gdb_sigtrap.txt")
        let names = report.threads[0].frames.compactMap(\.printed?.name)
        let state = row[3].split(separator: "\\n").flatMap { $0.split(separator: "\n") }.map(String.init)
        #expect(Array(names.drop { $0.hasSuffix("memcpy") }.prefix(3)) == state)
        #expect(report.cause?.signal == String(row[1]))
        #expect(UInt64(row[2].dropFirst(2), radix: 16) == report.threads[0].frames[0].address?.value)
    }
}
