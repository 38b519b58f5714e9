import BinaryPrimitives
import Testing

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
