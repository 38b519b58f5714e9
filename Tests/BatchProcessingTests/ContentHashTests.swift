import BatchProcessing
import Testing

struct ContentHashTests {
    /// `printf abc | sha256sum`
    private static let digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func `it is read and written as sha256sum writes it`() throws {
        let hash = try #require(ContentHash(hexadecimal: Self.digits))
        #expect(hash.hexadecimal == Self.digits)
        #expect(hash.bytes.prefix(3) == [0xba, 0x78, 0x16])
        // 0xba7816bf8f01cfea >> 1
        #expect(hash.number == 0x5d3c_0b5f_c780_e7f5)
        #expect(ContentHash(hexadecimal: "ba78") == nil)
        #expect(ContentHash(hexadecimal: String(Self.digits.dropLast()) + "g") == nil)
    }
}
