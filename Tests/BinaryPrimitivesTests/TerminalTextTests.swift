import BinaryPrimitives
import TestSupport
import Testing

/// Text that reaches a terminal, whole and in pieces.
struct TerminalTextTests {
    private func shown(_ bytes: [UInt8], colors: Bool = false, pieces: Int = .max) -> [UInt8] {
        var terminal = TerminalText(keepsColors: colors)
        var output: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let end = pieces < bytes.count - start ? start + pieces : bytes.count
            terminal.append(Array(bytes[start..<end]), isEnd: end == bytes.count, to: &output)
            start = end
        }
        return output
    }

    @Test(arguments: Hostile.bytes) func `nothing commands it`(bytes: [UInt8]) {
        for bytes in [bytes, Array("before ".utf8) + bytes + Array(" after\n".utf8)] {
            let whole = shown(bytes)
            #expect(ShownText(whole).commands == [])
            #expect(ShownText(shown(bytes, colors: true), allowsColors: true).commands == [])
            for pieces in 1...3 {
                #expect(shown(bytes, pieces: pieces) == whole)
                #expect(shown(bytes, colors: true, pieces: pieces) == shown(bytes, colors: true))
            }
        }
    }

    @Test(arguments: ["plain\tand\nlines\r\n", "größe 🪨 👩‍👩‍👧 日本語\n", "\u{a0}\u{fc}"]) func `text stays as it is`(text: String) {
        for pieces in 1...4 { #expect(shown(Array(text.utf8), pieces: pieces) == Array(text.utf8)) }
    }

    @Test func `colours stay where they are wanted`() {
        let colored = "\u{1b}[1;38;5;200mred\u{1b}[0m\u{1b}[m\u{1b}[38:2::1:2:3m"
        #expect(shown(Array(colored.utf8), colors: true) == Array(colored.utf8))
        #expect(String(decoding: shown(Array("\u{1b}[31mx".utf8)), as: UTF8.self) == "\\u{1b}[31mx")
        // Not every sequence that ends with an m is one: `ESC [ > … m` changes what keys send.
        for text in ["\u{1b}[>4;2m", "\u{1b}[?1m", "\u{1b}[1\u{7}m", "\u{1b}[" + String(repeating: "1;", count: 40) + "m"] {
            #expect(!shown(Array(text.utf8), colors: true).contains(0x1B), "\(text.debugDescription)")
        }
    }

    @Test func `bytes that are no UTF-8 are shown where terminals have other encodings`() {
        #expect(shown([0x9B, 0x41, 0xC2]) == Array("\\x9bA".utf8) + [0xC2])
        #expect(shown([0xE9, 0x20]) == [0xE9, 0x20])
    }
}
