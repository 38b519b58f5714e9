import BinaryPrimitives
import Testing

/// The examples of DWARF 5, tables 7.7 and 7.8, and the edges of 64 bits.
struct LEB128Tests {
    private func unsigned(_ bytes: [UInt8]) throws -> UInt64 {
        var span = bytes.span.rawBytes
        return try span.readULEB128()
    }

    private func signed(_ bytes: [UInt8]) throws -> Int64 {
        var span = bytes.span.rawBytes
        return try span.readSLEB128()
    }

    @Test(
        arguments: [
            ([2], 2), ([127], 127), ([0x80, 1], 128), ([0x81, 1], 129), ([0x82, 1], 130), ([0xb9, 0x64], 12857),
        ] as [([UInt8], UInt64)])
    func `unsigned numbers of the standard's table`(bytes: [UInt8], value: UInt64) throws {
        #expect(try unsigned(bytes) == value)
    }

    @Test(
        arguments: [
            ([2], 2), ([0x7e], -2), ([0xff, 0], 127), ([0x81, 0x7f], -127), ([0x80, 1], 128), ([0x80, 0x7f], -128), ([0x81, 1], 129),
            ([0xff, 0x7e], -129),
        ] as [([UInt8], Int64)])
    func `signed numbers of the standard's table`(bytes: [UInt8], value: Int64) throws {
        #expect(try signed(bytes) == value)
    }

    @Test func `64 bits fit, 65 do not`() throws {
        let ones = [UInt8](repeating: 0xff, count: 9)
        #expect(try unsigned(ones + [1]) == .max)
        #expect(throws: ReadError(.numberTooLarge, bytesLeft: 10)) { try unsigned(ones + [2]) }
        #expect(try signed([UInt8](repeating: 0x80, count: 9) + [0x7f]) == .min)
        #expect(try signed(ones + [0]) == .max)
        #expect(throws: ReadError(.numberTooLarge, bytesLeft: 10)) { try signed(ones + [1]) }
    }

    @Test func `padding is not an error`() throws {
        #expect(try unsigned([0x85, 0x80, 0x80, 0]) == 5)
        #expect(try unsigned([UInt8](repeating: 0x80, count: 15) + [0]) == 0)
        #expect(try signed([UInt8](repeating: 0xff, count: 15) + [0x7f]) == -1)
    }

    @Test func `a number that never ends is an error`() {
        #expect(throws: ReadError(.outOfBytes(needed: 1), bytesLeft: 0)) { try unsigned([0x80, 0x80]) }
        #expect(throws: ReadError(.outOfBytes(needed: 1), bytesLeft: 0)) { try unsigned([]) }
    }
}
