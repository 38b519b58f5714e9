import CrashLogFormats
import LogChecks
import TestSupport
import Testing

/// Each layer gives a text and a map of its bytes: the bytes that the map names are in the text
/// below.
struct LayerMapTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var layer: Damage
        var seed: UInt64
        var testDescription: String { "\(layer) \(seed)" }
    }

    static let cases = LayerChecks.layers.flatMap { layer in (1...24).map { Case(layer: layer, seed: $0) } }

    /// Pieces that layers look for, and rows between them.
    private static let pieces = [
        "#0 0x401136 in moor () at moor.c:3", "3 dyld 0x1c1dd8dec start + 20", "Process: Moor", "> ", " ", "\t", "<br>", "<p>", "</pre>",
        "&lt;", "&amp", "[code]", "{noformat}", "\"", "\"\"", "\\n", "\\\"", "\\u0041", "\\ud83d\\ude00", "\\", "=3D", "=\n", "=E2=80=99",
        "=",
        "\u{2013}", "\u{A0}", "\u{200B}", "\u{1B}[31m", "\u{1B}[0m", "\u{1B}", "\r", "\r\n", "\n", "\n\n", "12:", "   7\t", "4 | ",
        "{\"log\":\"a\\n\",\"time\":\"b\"}", "{\"x\":{\"log\":\"a\"}}", "{", "}", "2026-11-29T10:00:00Z ", "moor[812]: ",
        "a word that is long enough",
    ]

    private static func text(_ seed: UInt64) -> [UInt8] {
        var generator = SplitMix64(seed: seed)
        return (0..<Int.random(in: 1...120, using: &generator)).flatMap { _ in Array((pieces.randomElement(using: &generator) ?? "").utf8) }
    }

    @Test(arguments: cases) func `the map leads to the bytes below, and back`(test: Case) {
        #expect(LayerChecks.problemOfMap(test.layer, Self.text(test.seed)) == nil)
    }

    @Test(arguments: cases) func `an edit that is undone gives the same bytes`(test: Case) {
        #expect(LayerChecks.problemOfEdits(test.layer, Self.text(test.seed)) == nil)
    }
}
