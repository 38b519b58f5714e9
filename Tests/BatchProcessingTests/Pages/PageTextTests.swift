import TestSupport
import Testing

@testable import BatchProcessing

struct PageTextTests {
    /// Characters as the pages' readers parse them: Python's parser of HTML, and Expat, a strict
    /// parser of XML.
    @Test(arguments: [
        "<script>alert(1)</script>", "\"' onmouseover=alert(1) x=\"", "]]> --> </style></script>", "&lt; &amp;",
        "\u{0600}<img src=x onerror=alert(1)>",
        "\"\u{0301} onfocus=alert(1) x=\"\u{0301}", "'\u{20DD}'", "<\u{FE0F}b>", "日本語 💥",
    ])
    func `text stays text in elements and attributes`(_ text: String) throws {
        let script = """
            import html.parser, sys, xml.etree.ElementTree as tree
            source, expected = sys.argv[1], sys.argv[2]
            element = tree.fromstring(source)
            assert element.text == expected and element.attrib == {"title": expected} and len(element) == 0, (element.text, element.attrib)
            class Page(html.parser.HTMLParser):
                def handle_starttag(self, tag, attributes): assert (tag, attributes) == ("p", [("title", expected)]), (tag, attributes)
                def handle_data(self, data): assert data == expected, data
            Page(convert_charrefs=True).feed(source)
            """
        let escaped = PageText.escaped(text)
        try run("python3", ["-c", script, "<p title=\"\(escaped)\">\(escaped)</p>", text]).requireSuccess()
    }

    /// Trojan Source (CVE-2021-42574): text that is read otherwise than it is.
    @Test func `what hides or turns text round is written out`() {
        #expect(PageText.escaped("a\u{202E}b\u{2066}") == "a\\u{202e}b\\u{2066}")
        #expect(PageText.escaped("\u{1B}[31m\u{0}\u{7F}\u{85}") == "\\u{1b}[31m\\u{0}\\u{7f}\\u{85}")
        // Neither XML nor HTML has these characters.
        let none = [0xFFFE, 0xFDD0, 0x1FFFF].compactMap { Unicode.Scalar(UInt32($0)) }
        #expect(PageText.escaped(String(String.UnicodeScalarView(none))) == "\\u{fffe}\\u{fdd0}\\u{1ffff}")
        #expect(PageText.escaped("a\nb\tc") == "a\nb\tc")
    }

    @Test func `numbers and shares`() {
        #expect(
            [0, 7, 999, 1000, 12345, 1_234_567, -1000].map(PageText.number) == ["0", "7", "999", "1,000", "12,345", "1,234,567", "-1,000"])
        // 1/3 = 33.33 %; 1 of 10,000 is 0.01 %, 9,999 of 10,000 99.99 %: neither is rounded to none
        // or all.
        #expect(PageText.share(1, of: 3) == "33.3 %")
        #expect(PageText.share(2, of: 3) == "66.7 %")
        #expect(PageText.share(1, of: 10_000) == "<0.1 %")
        #expect(PageText.share(9_999, of: 10_000) == "99.9 %")
        #expect(PageText.share(5, of: 5) == "100 %")
        #expect(PageText.share(0, of: 5) == "0 %")
        #expect(PageText.share(0, of: 0) == "0 %")
    }

    @Test func `instants`() {
        // `date -u -d @1767225599.5`; and the second that 1969 ended with.
        #expect(PageText.instant(1_767_225_599_500_000_000) == ("2025-12-31T23:59:59Z", "2025-12-31 23:59"))
        #expect(PageText.instant(-1) == ("1969-12-31T23:59:59Z", "1969-12-31 23:59"))
    }

    @Test func `how long ago`() {
        let minute: Int64 = 60_000_000_000
        let expected: [(minutes: Int64, text: String)] = [
            (-5, "0 min ago"), (0, "0 min ago"), (59, "59 min ago"), (60, "1 h ago"), (47 * 60 + 59, "47 h ago"), (48 * 60, "2 d ago"),
            (60 * 1440 - 1, "59 d ago"), (61 * 1440, "2 months ago"), (400 * 1440, "13 months ago"), (731 * 1440, "2 years ago"),
        ]
        for (minutes, text) in expected { #expect(PageText.ago(1_000 * minute - minutes * minute, now: 1_000 * minute) == text) }
    }

    /// A line may end anywhere but after `-[`, and within `+0x40`'s first two characters.
    @Test func `signs stay with what follows them`() {
        func pieces(_ text: String) -> [String] {
            PageText.pieces(text).map { piece in (piece["pair"] as? String).map { "(\($0))" } ?? piece["text"] as? String ?? "?" }
        }
        #expect(pieces("-[Shelf take]") == ["(-[)", "Shelf take]"])
        #expect(pieces("app+0x40") == ["app", "(+0)", "x40"])
        #expect(pieces("operator-") == ["operator-"] && pieces("") == [] && pieces("a--b") == ["a", "(--)", "b"])
    }
}
