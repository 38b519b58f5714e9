import Testing

@testable import BatchProcessing

/// The keys of rows: a store keeps them, so that no later cairn may make others of the same stack.
struct OutcomeRowsTests {
    private func frame(
        _ kind: String, image: Int? = nil, offset: UInt64? = nil, address: UInt64? = nil, printed: String? = nil, reason: String? = nil
    ) -> LogOutcome.Frame {
        var frame = LogOutcome.Frame(kind: kind, functions: [])
        (frame.image, frame.offset, frame.address) = (image, offset, address)
        (frame.printed, frame.reason) = (printed, reason)
        return frame
    }

    /// Kind, image, offset, address and printed name of each frame, in decimal digits; and the
    /// reason of one in no image.
    @Test func `a stack's key is the hash of its frames as a text`() {
        let frames = [
            frame("program-counter", image: 1, offset: 0, reason: "not counted"),
            frame("return-address", image: 0, offset: 120, printed: "größe"),
            frame("exact", image: 2, offset: .max),
            frame("return-address", address: 4096, reason: "no image of the log holds this address"),
            frame("omitted 7", image: 9),
        ]
        let text =
            "stack"
            + "\u{1}program-counter\u{2}9223372036854775807\u{2}0\u{2}0\u{2}"
            + "\u{1}return-address\u{2}-9223372036854775808\u{2}120\u{2}0\u{2}größe"
            + "\u{1}exact\u{2}10\u{2}18446744073709551615\u{2}0\u{2}"
            + "\u{1}return-address\u{2}0\u{2}0\u{2}4096\u{2}\u{2}no image of the log holds this address"
            + "\u{1}omitted 7\u{2}0\u{2}0\u{2}0\u{2}"
        #expect(OutcomeRows.key(frames, [.min, .max, 10]) == ContentHash.number(of: text))
    }
}

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
