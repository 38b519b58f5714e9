import Testing

@testable import DWARFInspection

/// How names out of files are written: as they are, except for what would command a terminal or
/// turn its text round, which is written in octal, byte by byte.
struct DumpOutputTests {
    @Test(arguments: [
        ("main".utf8.map { $0 }, "main"), ("a\u{1b}[31m".utf8.map { $0 }, #"a\033[31m"#), ("größe".utf8.map { $0 }, "größe"),
        // U+009B is C2 9B in UTF-8, octal 302 233; U+202E is E2 80 AE, octal 342 200 256; and bytes
        // that are no UTF-8.
        ("a\u{9b}31m".utf8.map { $0 }, #"a\302\23331m"#), ("a\u{202e}b".utf8.map { $0 }, #"a\342\200\256b"#),
        ([0x61, 0x9b, 0x33, 0xff], #"a\2333\377"#),
    ])
    func `a name commands nothing`(bytes: [UInt8], text: String) {
        var written: [UInt8] = []
        let output = DumpOutput { written += $0 }
        output.name(bytes)
        output.flush()
        #expect(String(decoding: written, as: UTF8.self) == text)
    }

    /// A reader of JSON gets the name.
    @Test func `a name in JSON is escaped by numbers`() {
        var written: [UInt8] = []
        let output = DumpOutput { written += $0 }
        JSONText.write("a\u{9b}\"\u{202e}é", to: output)
        output.flush()
        #expect(String(decoding: written, as: UTF8.self) == #""a\u009b\"\u202eé""#)
    }
}
