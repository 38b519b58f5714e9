import BinaryPrimitives
import Testing

/// Caps that are computed from the input's size.
struct LimitsTests {
    /// Three times 34 bytes are more than 100, and three times 33 are not.
    @Test func `names to write are so many bytes, or so many times the file's`() {
        var limits = Limits()
        limits.writtenNames = 100
        limits.writtenNamesPerByte = 3
        #expect([0, 33, 34, 1000].map { limits.namesToWrite(fromFileOf: $0) } == [100, 100, 102, 3000])
        #expect(limits.namesToWrite(fromFileOf: .max) == .max)
    }
}
