import Testing

@testable import Personalities

/// Parsing of eu-addr2line's input: `strtoumax(3)` with base 16 first, then `sscanf(3)` with `%i`
/// (`handle_address` of elfutils 0.188).
struct EUAddr2LineInputTests {
    @Test(arguments: [
        ("0x760", 0x760), ("760", 0x760), ("  0X7f", 0x7f), ("017", 0x17), ("-5", 0 &- 5), ("+7", 7), ("feed", 0xfeed),
        ("99999999999999999999999", UInt64.max), ("ffffffffffffffff", UInt64.max),
    ])
    func `numbers are hexadecimal`(line: String, value: UInt64) {
        #expect(EUAddr2LineInput(Array(line.utf8).span) == .address(value))
    }

    @Test(arguments: [
        ("main", 4, 0), ("main+3", 4, 3), ("main+0x10", 4, 16), ("main+010", 4, 8), ("main-3", 4, 0 &- 3), ("0x760 and more", 14, 0),
        ("operator new", 12, 0), ("(.nothing)", 10, 0), ("(.text)zz", 9, 0),
    ])
    func `what is no number is a symbol, with an offset in C's notation`(line: String, length: Int, offset: UInt64) {
        #expect(EUAddr2LineInput(Array(line.utf8).span) == .symbol(0..<length, offset: offset))
    }

    @Test func `a section stands in parentheses`() {
        #expect(EUAddr2LineInput(Array("(.text.run)0x12".utf8).span) == .section(1..<10, offset: 0x12))
        #expect(EUAddr2LineInput(Array("(.text) -1".utf8).span) == .section(1..<6, offset: 0 &- 1))
    }

    @Test(arguments: ["", "+", "-", "main+", "main+x", "main+3x", "+x"])
    func `the rest means nothing`(line: String) {
        #expect(EUAddr2LineInput(Array(line.utf8).span) == .none)
    }
}
