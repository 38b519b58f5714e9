import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Undamaged logs behind beginnings of lines that look like traces of some damage: results are
/// written into them unchanged.
struct UndamagedLogsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var beginning: String
        var sample: CorpusTests.Sample
        var testDescription: String { "\(beginning)\(sample.testDescription)" }
    }

    /// Numbers of processes and checksums (`=42` is not a mail's), entities, tags and escapes that
    /// a logger writes itself.
    private static let beginnings = [
        "", "[pid=42] ", "(W pid=4242) ", "pid=4C21 ", "id=3D42 ", "crc=E2A0B1 ", "k=20 ", "a=E2=B0 ", "<info> ", "a<b> ", "&a=1&b=2 ",
        "\\n",
        "\"x\": ",
        "1. ", "* ", "| ", "+ ", "=> ", "[b] ", "\u{2013} ",
    ]

    /// Lines of text: in a document such a beginning would be damage.
    private static let samples = CorpusTests.editable.filter { sample in
        let text = sample.log.bytes
        return text.count < 40_000 && !sample.path.contains("html")
            && text.first { $0 > 0x20 }.map { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "<") } ?? false
    }

    static let cases = Repeats.sample(
        1000, of: beginnings.flatMap { beginning in samples.map { Case(beginning: beginning, sample: $0) } }, for: "undamaged")

    @Test func `there are many logs`() { #expect(Self.samples.count >= 50) }

    @Test(arguments: cases) func `names are written as they are`(test: Case) {
        // A JSON document in the log needs its own escapes of quotes.
        let literal = test.sample.path.hasSuffix(".json") ? "" : ", operator\"\"_m | '-'"
        let name = "operator==(Rope const&, List<Rope>\(literal))"
        let lines = test.sample.log.text.split(separator: "\n", omittingEmptySubsequences: false)
        let log = SampleLog(lines.map { $0.isEmpty ? "" : test.beginning + $0 }.joined(separator: "\n"))
        let symbolicated = log.symbolicated { frame in
            frame.address.map { _ in .function(name, offset: 4, "/src/rope.cc", 7, image: frame.imageName ?? "App") }
        }.text
        for spelling in [
            "operator=3D", "const&amp;", "List&lt;", "Rope&gt;", "List\\u003c", "operator\\=", "operator=\n", "operator\\\"",
            "operator&quot;",
            "operator\u{201C}", "_m \\|", "\u{2018}-", "'\u{2013}",
        ] {
            #expect(symbolicated.count(of: spelling) == log.text.count(of: spelling), "\(spelling) was written")
        }
    }
}

extension String {
    /// How often a text is in it.
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
