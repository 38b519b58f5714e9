/// What a log may hold to be taken for something else where it is shown.
enum Hostile {
    static let texts: [String] = [
        "::error file=x.c,line=1::injected", "x\n::set-output name=a::b", "x\r::stop-commands::t", "##[error]injected",
        "x ##[set-env name=a;]b", "%0A::error::x", "a,line=7,file=/etc/passwd",
        "a::b", "<script>alert(1)</script>", "<img src=x onerror=y>", "</details></summary>", "](javascript:x) ![a](http://x/y.png)",
        "```\n# heading\n```", "`code` | cell |\n|---|",
        "@everyone #12 ~~x~~ **b**", "]]><failure/>", "&lt;&#x0;&bomb;", "\u{1b}[31mred\u{1b}[0m\u{1b}]0;title\u{7}", "\u{9b}31m",
        "\u{202e}desrever\u{2066}", "\u{0}\u{1}\u{8}\u{b}",
        "a\u{2028}b\u{2029}c", "\u{fffe}\u{ffff}", "\"},{\"x\":\"", "\\\"\\u0000", "$(id) `id` ${{ secrets.X }}", "<!-- x --><?php ?>",
        "--> <![CDATA[ x",
        String(repeating: "#", count: 100) + "[x]",
    ]
}
