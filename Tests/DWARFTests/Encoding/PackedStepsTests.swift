import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// Steps that skip an entry's attributes. Sizes of forms: DWARF 5, section 7.5.6.
struct PackedStepsTests {
    private let sizes = FormSizes(addressSize: 8, offsetSize: 4, version: 5, byteOrder: .littleEndian)

    private func steps(_ forms: [UInt16]) -> PackedSteps {
        var builder = PackedSteps.Builder()
        for form in forms { builder.add(SkipStep(form, sizes)) }
        return builder.finish()
    }

    /// The end of attributes that begin at the second byte; `nil`: they are skipped one by one, as the abbreviation declares them.
    private func end(_ forms: [UInt16], _ values: [UInt8]) throws(ReadError) -> Int? {
        let bytes = [0xff] + values
        var position = 1
        return try steps(forms).pass(&position, bytes.span.rawBytes, sizes) ? position : nil
    }

    @Test(
        arguments: [
            ([], [], 0), ([Form.flagPresent, Form.implicitConst], [], 0),
            ([Form.data1, Form.strx3, Form.addr], [], 12),
            ([Form.udata], [0x7f], 1), ([Form.addrx], [0x80, 0x01], 2), ([Form.strx], [0xff, 0xff, 0xff, 0x00], 4),
            ([Form.exprloc], [0], 1), ([Form.exprloc], [2, 0x91, 0x70], 3),
            // A length of 130 in two bytes.
            ([Form.block], [0x82, 0x01] + [UInt8](repeating: 9, count: 130), 132),
            ([Form.string], [0x61, 0x62, 0], 3), ([Form.block1], [1, 9], 2), ([Form.block2], [2, 0, 9, 9], 4),
            ([Form.block4], [1, 0, 0, 0, 9], 5),
            // clang's variable: strx1, ref4, data1, exprloc, strx1.
            ([Form.strx1, Form.ref4, Form.data1, Form.exprloc, Form.strx1], [1, 2, 2, 2, 2, 3, 2, 0xa1, 0x05, 7], 10),
            // 72 bytes, which takes three steps of at most 31, and a number.
            ([UInt16](repeating: Form.data8, count: 9) + [Form.udata], [UInt8](repeating: 0, count: 72) + [5], 73),
        ] as [([UInt16], [UInt8], Int)])
    func `attributes are passed`(_ forms: [UInt16], _ values: [UInt8], _ size: Int) throws {
        #expect(try end(forms, values) == 1 + size)
    }

    @Test func `eight steps fit; what does not fit, or contains its form, is passed as it is declared`() throws {
        let numbers = [UInt16](repeating: Form.udata, count: 8)
        #expect(try end(numbers, [1, 2, 3, 4, 5, 6, 7, 8]) == 9)
        #expect(try end(numbers + [Form.udata], []) == nil)
        #expect(try end(numbers + [Form.data1], []) == nil)
        #expect(try end(numbers + [Form.flagPresent], [1, 2, 3, 4, 5, 6, 7, 8]) == 9)
        #expect(try end([Form.data4, Form.indirect], []) == nil)
        #expect(try end([Form.llvmAddrxOffset, Form.data4], []) == nil)
        // A form that no standard defines.
        #expect(try end([0x77], []) == nil)
        // 31 bytes a step: 248 bytes are eight steps.
        let wide = [UInt16](repeating: Form.data16, count: 15)
        #expect(try end(wide + [Form.data8], []) == 249)
        #expect(try end(wide + [Form.data8, Form.data1], []) == nil)
    }

    @Test(
        arguments: [
            ([Form.udata], []), ([Form.udata], [0x80]), ([Form.data4, Form.udata], [1, 2, 3]), ([Form.string], [0x61]),
            ([Form.block], [0x80]), ([Form.block], [0x81, 0x01, 9]), ([Form.block1], [2, 9]), ([Form.block2], [1]),
            ([Form.block4], [0xff, 0xff, 0xff, 0xff]),
        ] as [([UInt16], [UInt8])])
    func `values that go on after the last byte are refused`(_ forms: [UInt16], _ values: [UInt8]) {
        #expect(throws: ReadError.self) { try end(forms, values) }
    }

    @Test(arguments: [([Form.data8], [1], 9), ([Form.exprloc], [3, 9], 5)] as [([UInt16], [UInt8], Int)])
    func `fixed sizes and short blocks end after the last byte, for the walk to see`(
        _ forms: [UInt16], _ values: [UInt8], _ position: Int
    ) throws {
        #expect(try end(forms, values) == position)
    }
}
