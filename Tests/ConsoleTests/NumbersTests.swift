import Console
import Testing

/// Numbers as people type them.
@Suite struct NumbersTests {
    /// 0x1a2b = 1 · 4096 + 10 · 256 + 2 · 16 + 11 = 6699.
    @Test(arguments: [("0x1a2b", 6699), ("0X1A2B", 6699), ("6805", 6805), ("1a2b", 6699), ("0", 0), ("0xffffffffffffffff", UInt64.max)])
    func `an address is hexadecimal with 0x or a letter in it, else decimal`(text: String, value: UInt64) {
        #expect(Numbers.address(text) == value)
    }

    @Test(arguments: ["", "0x", "+1", "-1", "0x-1", "12 ", "1g", "0x10000000000000000", "99999999999999999999"])
    func `what is no number of 64 bits is refused`(text: String) { #expect(Numbers.address(text) == nil) }

    /// 0x6805 = 6 · 4096 + 8 · 256 + 5.
    @Test func `digits alone are hexadecimal where only that is meant`() {
        #expect(Numbers.hexadecimal("6805") == 26629)
        #expect(Numbers.hexadecimal("0x6805") == 26629)
        #expect(Numbers.hexadecimal("+6805") == nil)
    }

    @Test func `digits are filled with zeros`() {
        #expect(UInt64(0x1f).hexadecimal(width: 8) == "0000001f")
        #expect(UInt64(0x1f).hexadecimal() == "1f")
        #expect(UInt64.max.hexadecimal(width: 4) == "ffffffffffffffff")
    }
}
