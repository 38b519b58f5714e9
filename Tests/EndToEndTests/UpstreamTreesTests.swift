import TestSupport
import Testing

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
