import BinaryPrimitives
import TestSupport
import Testing

/// The scanner's primitives and their edges.
struct TextScanningTests {
    private func scan<Result>(_ text: String, _ body: (inout Span<UInt8>) -> Result) -> (Result, rest: String) {
        let bytes = Array(text.utf8)
        var span = bytes.span
        let result = body(&span)
        return (result, span.text)
    }

    @Test(
        arguments: [
            ("0", 0, ""), ("18446744073709551615 x", UInt64.max, " x"), ("007,", 7, ","),
            ("18446744073709551616", nil, "18446744073709551616"),
            ("99999999999999999999999", nil, "99999999999999999999999"), ("x", nil, "x"), ("", nil, ""),
        ] as [(String, UInt64?, String)])
    func `decimal numbers of 64 bits`(text: String, value: UInt64?, rest: String) {
        #expect(scan(text) { $0.readDecimal() } == (value, rest))
    }

    @Test(
        arguments: [
            ("0x0", 0, ""), ("0XfFfFfFfFfFfFfFfF.", UInt64.max, "."), ("0x10000000000000000", nil, "0x10000000000000000"),
            ("0x", nil, "0x"),
            ("1f", nil, "1f"), ("0x0000000000000000000012 ", 18, " "),
        ] as [(String, UInt64?, String)])
    func `addresses of 64 bits`(text: String, value: UInt64?, rest: String) {
        #expect(scan(text) { $0.readAddress() } == (value, rest))
    }

    @Test func `prefixes, tokens and blanks`() {
        #expect(scan("Thread 0") { $0.consume("Thread ") } == (true, "0"))
        #expect(scan("Thr") { $0.consume("Thread ") } == (false, "Thr"))
        #expect(scan("ab\tcd") { $0.readToken().text } == ("ab", "\tcd"))
        #expect(scan(" \t x ") { $0.skipBlanks() }.rest == "x ")
        #expect(scan(" \t x ") { $0.trimmed().text }.0 == "x")
        #expect(scan("\t ") { $0.trimmed().count }.0 == 0)
    }

    @Test func `searching from both ends`() {
        let bytes = Array("a + b + c".utf8)
        let span = bytes.span
        #expect(span.firstRange(of: " + ") == 1..<4)
        #expect(span.firstRange(of: " + ", from: 2) == 5..<8)
        #expect(span.lastRange(of: " + ") == 5..<8)
        #expect(span.lastRange(of: " + ", before: 7) == 1..<4)
        #expect(span.firstRange(of: "a + b + c d") == nil)
        #expect(span.lastRange(of: "a + b + c d") == nil)
        #expect(span.firstRange(of: "") == nil)
        #expect(span.firstIndex(of: UInt8(ascii: "+"), from: 3) == 6)
        #expect(span.lastIndex(of: UInt8(ascii: "+"), before: 6) == 2)
        #expect(span.hasSuffix("+ c") && !span.hasSuffix("xa + b + c"))
    }

    /// Long texts are searched in another way than lines. What is found is what comparing at every
    /// place finds.
    @Test func `searching long texts`() {
        // Knuth's multiplier for 64 bits (MMIX); its high bits are used.
        var state: UInt64 = 7
        func draw(_ count: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % count)
        }
        for _ in 0..<300 {
            // Texts of three letters, so that parts of the wanted text are everywhere.
            let bytes = (0..<250 + draw(60)).map { _ in UInt8(ascii: "a") + UInt8(draw(3)) }
            let wanted = (0..<1 + draw(7)).map { _ in UInt8(ascii: "a") + UInt8(draw(3)) }
            let start = draw(40)
            let position = (start..<max(start, bytes.count - wanted.count + 1)).first { Array(bytes[$0..<$0 + wanted.count]) == wanted }
            #expect(
                bytes.span.firstRange(of: String(decoding: wanted, as: UTF8.self), from: start) == position.map { $0..<$0 + wanted.count })
        }
    }

    /// Texts that are written in the program are searched for in another way than those that come
    /// from elsewhere.
    @Test(arguments: ["", "a", "b", "ab", "aab", "abcab", "aaaaaaaa", "+", "cba"] as [StaticString])
    func `texts of the program are found as others are`(literal: StaticString) {
        let text = "\(literal)"
        var numbers = SplitMix64(seed: 3)
        for _ in 0..<400 {
            // Lines, and texts longer than those.
            let count = Int(numbers.next() % 2 == 0 ? numbers.next() % 12 : numbers.next() % 700)
            let bytes = (0..<count).map { _ in UInt8(ascii: "a") + UInt8(numbers.next() % 3) }
            let span = bytes.span
            let start = Int(numbers.next() % 20) - 2
            #expect(span.firstRange(of: literal, from: start) == span.firstRange(of: text, from: start))
            #expect(span.lastRange(of: literal, before: start + 9) == span.lastRange(of: text, before: start + 9))
            #expect(span.contains(literal) == span.contains(text))
            #expect(span.hasPrefix(literal) == bytes.starts(with: text.utf8))
            #expect(span.hasSuffix(literal) == bytes.reversed().starts(with: text.utf8.reversed()))
            #expect(span.equals(literal) == bytes.elementsEqual(text.utf8))
            var (rest, other) = (span, span)
            #expect(rest.consume(literal) == other.consume(text) && rest.count == other.count)
            #expect(rest.consumeSuffix(literal) == other.consumeSuffix(text) && rest.count == other.count)
            for byte in bytes.prefix(5) { #expect(isOne(byte, of: literal) == text.utf8.contains(byte)) }
        }
    }

    @Test func `places outside are no places`() {
        let bytes = Array("abc".utf8)
        let span = bytes.span
        #expect(span.at(-1) == nil && span.at(3) == nil && span.at(2) == UInt8(ascii: "c"))
        #expect(span.clamped(to: 2..<9).text == "c")
        #expect(span.clamped(to: 7..<9).count == 0)
        #expect(span.from(5).count == 0 && span.from(-1).count == 3 && span.upTo(-1).count == 0)
    }
}

/// Searching eight bytes at a time, and the remaining bytes, finds the same indices as comparing
/// each byte.
struct WordwiseSearchTests {
    @Test func `each place of a mark is found, in texts of every length`() {
        for count in 0..<40 {
            for position in 0..<max(1, count) {
                for mark in [UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x0A] {
                    // Bytes that differ from a mark by one bit, or by the carry of a subtraction.
                    var bytes = [UInt8](repeating: 0, count: count).indices.map {
                        [0x23, 0x5D, 0xA2, 0x0B, 0x21, 0x00, 0xFF, 0x8A][$0 % 8] as UInt8
                    }
                    if position < count { bytes[position] = mark }
                    let quote = bytes.firstIndex { $0 == 0x22 || $0 == 0x5C }
                    let line = bytes.firstIndex(of: 0x0A)
                    #expect(bytes.span.firstQuoteOrBackslash(from: 0) == quote)
                    #expect(bytes.span.firstLineFeed(from: 0) == line)
                    #expect(bytes.span.firstQuoteOrBackslash(from: position) == quote)
                    #expect(bytes.span.firstQuoteOrBackslash(from: position + 1) == nil)
                    #expect(bytes.span.firstLineFeed(from: position + 1) == nil)
                }
            }
        }
    }
}
