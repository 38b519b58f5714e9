import BinaryPrimitives
import Pages
import Testing

@testable import BatchProcessing

struct PageTemplatesTests {
    @Test func `every template can be parsed`() { #expect(PageTemplates(version: "1", written: 0).missing == []) }

    /// Values are escaped: three braces, which leave them as they are, are only around our own
    /// style sheets and scripts, and around rows and boxes that were escaped one by one.
    @Test func `nothing but our own style and script is written as it is`() {
        let allowed = ["frame": ["style", "script"], "list": ["rows", "rows"], "groupList": ["rows"], "group": ["boxes"]]
        for (name, text) in PageTemplates.texts {
            let plain = text.split(separator: "{{{").dropFirst().map { $0.prefix { $0 != "}" } }
            #expect(plain.map(String.init) == allowed[name] ?? [], "\(name): \(plain)")
            #expect(!text.contains("{{&"), "\(name)")
            // Attributes without quotation marks would end at a space.
            #expect(!text.contains("={{"), "\(name)")
        }
    }

    /// `printf '' | openssl dgst -sha256 -binary | base64`, and of `abc` (FIPS 180-4's example).
    @Test func `the policy names style and script by their hashes`() throws {
        #expect(PageHash.text(of: "") == "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        #expect(PageHash.text(of: "abc") == "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
        #expect(Base64.encoded(Array("f".utf8)) == "Zg==" && Base64.encoded(Array("fo".utf8)) == "Zm8=")
        let templates = PageTemplates(version: "1", written: 0)
        for kind in PageKind.allCases {
            let page = String(decoding: templates.page(kind, ["title": "t"]), as: UTF8.self)
            let style = try #require(PageTemplates.styles[kind])
            #expect(page.contains("style-src &#39;\(PageHash.text(of: style))&#39;") && page.contains("<style>\(style)</style>"))
            if let script = PageTemplates.scripts[kind] {
                #expect(page.contains("script-src &#39;\(PageHash.text(of: script))&#39;") && page.contains("<script>\(script)</script>"))
            } else {
                #expect(!page.contains("<script") && !page.contains("script-src"))
            }
        }
    }

    @Test func `a style sheet loses its blanks and nothing else`() {
        #expect(
            PageStyle.compact("  a, b { color: red; margin: 0 1px; }\n  @media print {\n    p { top: 0; }\n  }\n")
                == "a,b{color:red;margin:0 1px}@media print{p{top:0}}")
    }

    /// Pairs of text and ground by their names in the style sheet, as WCAG 2.2 computes contrast:
    /// 4.5 for text, 3 for drawings (success criteria 1.4.3 and 1.4.11).
    @Test func `colours have enough contrast in the light and in the dark`() throws {
        let sheets = [PageStyle.plain, PageTemplates.groupStyle, PageTemplates.flameStyle].map { sheet in
            sheet.split(separator: ":root {", omittingEmptySubsequences: false).dropFirst().map { $0.prefix { $0 != "}" } }
        }
        // The light, then the dark.
        #expect(sheets.map(\.count) == [2, 2, 2])
        for scheme in 0..<2 {
            var colors: [String: Double] = [:]
            for line in sheets.compactMap({ $0.dropFirst(scheme).first }).joined(separator: ";").split(separator: ";") {
                let pair = line.split(separator: ":").map { $0.trimming(while: \.isWhitespace) }
                guard pair.count == 2, pair[0].hasPrefix("--"), pair[1].count == 7 else { continue }
                colors[String(pair[0].dropFirst(2))] = try luminance(pair[1].dropFirst())
            }
            for (text, ground, least) in [
                ("text", "page", 4.5), ("text", "panel", 4.5), ("quiet", "page", 4.5), ("quiet", "panel", 4.5), ("link", "page", 4.5),
                ("link", "panel", 4.5),
                ("own-text", "own", 4.5), ("library-text", "library", 4.5), ("unknown-text", "unknown", 4.5), ("bar", "page", 3),
                ("s1", "page", 3), ("s2", "page", 3), ("s3", "page", 3), ("s4", "page", 3), ("other", "page", 3),
                ("focus", "page", 4.5),
                ("edge", "page", 3), ("focus", "page", 3),
                ("focus", "panel", 3),
            ] {
                let pair = [try #require(colors[text]), try #require(colors[ground])].sorted()
                #expect((pair[1] + 0.05) / (pair[0] + 0.05) >= least, "\(text) on \(ground): \((pair[1] + 0.05) / (pair[0] + 0.05))")
            }
        }
    }

    /// Relative luminance of `1a1f26`, by the definition of WCAG 2.2.
    private func luminance(_ digits: Substring) throws -> Double {
        let value = try #require(Int(digits, radix: 16))
        let channels = [value >> 16 & 255, value >> 8 & 255, value & 255].map { channel in
            let part = Double(channel) / 255
            return part <= 0.04045 ? part / 12.92 : power((part + 0.055) / 1.055)
        }
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }

    /// To the power of 2.4 = 12/5: the fifth root by Newton's method, to the power of twelve.
    private func power(_ base: Double) -> Double {
        var root = 1.0
        for _ in 0..<60 { root -= (root * root * root * root * root - base) / (5 * root * root * root * root) }
        return (0..<12).reduce(1.0) { product, _ in product * root }
    }
}

extension Substring {
    fileprivate func trimming(while predicate: (Character) -> Bool) -> Substring {
        var text = drop(while: predicate)
        while let last = text.last, predicate(last) { text.removeLast() }
        return text
    }
}
