import BinaryPrimitives
import CrashLogModel
import Testing

@testable import CrashLogFormats

/// Each layer gives a text and a map of its bytes: what the map says is in the text below, is there.
struct LayerMapTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var layer: Damage
        var seed: UInt64
        var testDescription: String { "\(layer) \(seed)" }
    }

    /// SplitMix64 (Steele, Lea, Flood, 2014), so that a seed gives the same text everywhere.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = state
            value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
            return value ^ value >> 31
        }
    }

    private static let layers: [Damage] = [
        .prefix(Array("> ".utf8)), .writersPrefix, .html, .forumCode, .jsonString, .escapedLine, .jsonLines(key: Array("log".utf8)),
        .quotedPrintable, .typography, .emptyLines, .collapsed, .colours, .carriageReturns, .numbered, .tableCell,
        .wrapped(width: 40, isExact: true), .wrapped(width: 60, isExact: false),
    ]

    static let cases = layers.flatMap { layer in (1...24).map { Case(layer: layer, seed: $0) } }

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
        var generator = Generator(state: seed)
        return (0..<Int.random(in: 1...120, using: &generator)).flatMap { _ in Array((pieces.randomElement(using: &generator) ?? "").utf8) }
    }

    /// The text without the layer, as `OpenLayer` makes it: line by line, up to where the layer ends.
    private static func removed(_ layer: Damage, from raw: [UInt8], at start: Int) -> (text: [UInt8], map: TextMap, end: Int) {
        var restorer = layer.restorer()
        var (writer, text, position) = (TextWriter(), [UInt8](), 0)
        let bytes = raw.span
        while position < raw.count {
            let end = bytes.firstLineFeed(from: position).map { $0 + 1 } ?? raw.count
            let line = bytes.clamped(to: position..<end)
            if restorer.needsNext {
                restorer.look(at: line, before: bytes.clamped(to: end..<(bytes.firstLineFeed(from: end) ?? raw.count)))
            }
            let count = restorer.take(line, at: start + position, to: &writer)
            text += writer.takeBytes()
            position += count
            if count < line.count { break }
        }
        return (text, writer.map, start + position)
    }

    @Test(arguments: cases) func `the map leads to the bytes below, and back`(test: Case) {
        let raw = Self.text(test.seed)
        let start = 1000
        let (text, map, end) = Self.removed(test.layer, from: raw, at: start)
        #expect(map.end == text.count)
        var last = start
        for part in map.parts {
            // In order, inside of what was read, none twice.
            #expect(part.raw.lowerBound >= last && part.raw.upperBound <= end)
            last = part.raw.upperBound
            if part.isCopied {
                #expect(part.text.count == part.raw.count)
                #expect(text[part.text].elementsEqual(raw[part.raw.lowerBound - start..<part.raw.upperBound - start]))
            }
            // Down and up again.
            #expect(map.text(map.raw(part.text)) == part.text)
            #expect(map.raw(map.text(part.raw)) == part.raw)
        }
    }

    @Test(arguments: cases) func `an edit that is undone gives the same bytes`(test: Case) {
        let raw = Self.text(test.seed)
        let (text, map, _) = Self.removed(test.layer, from: raw, at: 0)
        let restored = RestoredText(bytes: text, map: map, spelling: test.layer.spelling)
        // `moor` replaces each copied part of some length, and the part's own bytes replace `moor`.
        for part in map.parts where part.isCopied && part.text.count > 3 && !text[part.text].contains(where: { $0 < 0x20 }) {
            let edits = restored.edits([TextEdit(range: part.text, replacement: Array("moor".utf8))], in: raw.span)
            #expect(edits.count == 1 && edits[0].range == part.raw && edits[0].replacement == Array("moor".utf8))
            guard let edit = edits.first else { continue }
            var changed = raw
            changed.replaceSubrange(edit.range, with: edit.replacement)
            changed.replaceSubrange(edit.range.lowerBound..<edit.range.lowerBound + 4, with: raw[edit.range])
            #expect(changed == raw)
        }
    }
}
