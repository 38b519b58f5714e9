import BinaryPrimitives
import Testing

struct EscapingTests {
    private func json(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONString.append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("plain", "\"plain\""), ("a\"b\\c", "\"a\\\"b\\\\c\""), ("a\n\r\tb", "\"a\\n\\r\\tb\""),
        ("\u{1}\u{1f}\u{7f}", "\"\\u0001\\u001f\\u007f\""),
        ("größe 🪨", "\"größe 🪨\""), ("", "\"\""),
    ])
    func `JSON strings as RFC 8259 has them`(text: String, expected: String) {
        #expect(json(text) == expected)
    }

    @Test func `control characters never reach a terminal`() {
        #expect(PlainText.line("a\u{1b}[31mb\u{7}") == "a\\u{1b}[31mb\\u{7}")
        #expect(PlainText.line("a\nb\tc") == "a\\nb c")
        #expect(PlainText.line("größe") == "größe")
    }
}
