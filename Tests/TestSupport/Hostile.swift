/// Untrusted text in a name, a message or a path, to be taken for something else where it is shown.
/// One list for every output; a new trick is a new line here.
package enum Hostile {
    /// As Unicode. Each begins or ends with what it is about, so that cutting one short does not
    /// make it harmless.
    package static let texts: [String] =
        terminal + directions + markup + documents + services + words + [
            String(repeating: "#", count: 100) + "[x]", String(repeating: "\u{1b}[31mlong ", count: 50),
        ]

    /// ECMA-48's controls with seven and eight bits, and what terminals have added: titles, links,
    /// the clipboard, requests whose replies come on standard input.
    static let terminal: [String] = [
        "\u{1b}[31mred\u{1b}[0m\u{1b}]0;title\u{7}", "\u{9b}31m", "\u{1b}[2J\u{1b}[H gone", "\u{1b}[1A\u{1b}[2K over",
        "\u{1b}]8;;http://127.0.0.1/\u{1b}\\link\u{1b}]8;;\u{1b}\\", "\u{1b}]52;c;cm0gLXJmIC8K\u{7}", "\u{9d}52;c;cm0K\u{9c}",
        "\u{1b}P$q q\u{1b}\\", "\u{1b}[6n\u{1b}[c\u{5}", "\u{1b}c", "\u{1b}#8", "\u{1b}[8mhidden", "\u{90}x\u{9c}\u{85}y",
        "\u{0}\u{1}\u{8}\u{b}", "safe\u{8}\u{8}\u{8}\u{8}evil", "\u{7f}\u{7f}", "first\rsecond", "first\r\nsecond", "first\nsecond", "a\tb",
        "\u{e}\u{f}",
        "a\u{2028}b\u{2029}c",
    ]

    /// Characters that reverse the direction of text, hide it or join it (Trojan Source), and
    /// invisible ones.
    static let directions: [String] = [
        "\u{202e}desrever\u{2066}", "\u{202a}\u{202b}\u{202d}x\u{202c}", "\u{2067}a\u{2069}\u{2068}b", "\u{200e}\u{200f}\u{61c}",
        "ma\u{200b}in", "ma\u{2060}in",
        "\u{feff}main", "main\u{e0041}\u{e0042}\u{e007f}", "\u{fffe}\u{ffff}", "\u{1fffe}\u{10ffff}", "soft\u{ad}hyphen",
        "\u{fff9}a\u{fffa}b\u{fffb}",
    ]

    static let markup: [String] = [
        "<script>alert(1)</script>", "<img src=x onerror=y>", "\" onmouseover=\"alert(1)", "' onfocus='alert(1)' autofocus='",
        "</title></style></textarea><svg/onload=x>",
        "</details></summary>", "<!-- x --><?php ?>", "--> <![CDATA[ x", "]]><failure/>", "&lt;&#x0;&bomb;", "javascript:alert(1)",
        "data:text/html,<b>x</b>",
        "](javascript:x) ![a](http://x/y.png)", "[a](http://127.0.0.1 \"b\")", "<http://127.0.0.1/>",
        "http://127.0.0.1/auto www.example.org",
        "```\n# heading\n```", "~~~\n* a", "`code` | cell |\n|---|", "@everyone #12 ~~x~~ **b** _c_", "![](data:,)",
        "{{{reset}}}{{{bt:0:0x10}}}", "{{#a}}{{{b}}}{{/a}}",
    ]

    static let documents: [String] = [
        "\"},{\"x\":\"", "\\\"\\u0000", "\\", "%00%0A%2e%2e/", "../../etc/passwd", "file:///etc/passwd", "a b?c#d&e=f", "=1+1",
        "=HYPERLINK(\"http://127.0.0.1\",\"x\")", "+1", "-1", "@SUM(A1)",
        "\t=1", "\r=1", "a,b;c\td", "\"quoted\"", "\u{ff1d}1",
    ]

    /// Commands to the services whose consoles show what is printed.
    static let services: [String] = [
        "::error file=x.c,line=1::injected", "x\n::set-output name=a::b", "x\r::stop-commands::t", "  ::add-mask::x",
        "\u{3000}::warning::x",
        "##[error]injected", "x ##[set-env name=a;]b", "##[group]x", "%0A::error::x", "a,line=7,file=/etc/passwd", "a::b",
        "##vso[task.setvariable variable=PATH]x", "x ##vso[task.complete result=Succeeded;]", "##teamcity[testFailed name='x']",
        "x\u{1b}[0Ksection_start:1560896352:x\r\u{1b}[0Ky",
        "section_end:1560896352:x\r\u{1b}[0K", "###[error]x", "::notice title=a",
    ]

    /// Texts that a shell would run if the line is copied.
    static let words: [String] = [
        "$(id) `id` ${{ secrets.X }}", "a; rm -rf x", "a' ; touch pwned ; '", "a\" && touch pwned", "-rf", "--output=x", "| tee x", "> x",
        "a\\\nb", "!!", "*", "~root", "#c",
    ]

    /// Bytes that are no UTF-8: a C1 control by itself, overlong forms of controls, a lone
    /// surrogate, a sequence that is cut short, and one that would take the next byte.
    package static let bytes: [[UInt8]] =
        texts.map { Array($0.utf8) } + [
            [0x61, 0x9B, 0x33, 0x31, 0x6D], [0x9D, 0x35, 0x32, 0x3B, 0x9C], [0xC1, 0x9B, 0x41], [0xC0, 0x9B], [0xE0, 0x82, 0x9B, 0x78],
            [0xF0, 0x80, 0x82, 0x9B], [0xED, 0xA0, 0x80, 0x78],
            [0x61, 0xC2], [0x61, 0xE2, 0x80], [0xFF, 0xFE, 0x41, 0x00], [0x80, 0x85, 0x8D, 0x90],
        ]

    /// Those that may be in a name that ends with a zero byte: symbols, source files, folders
    /// (without `/`).
    package static let names: [[UInt8]] = bytes.filter { !$0.contains(0) && $0.count < 200 }
}
