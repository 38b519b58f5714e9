import BinaryPrimitives
import TestSupport
import Testing

@testable import Unwinding

/// Operations of DWARF 5, section 2.5, whose results are computed by hand.
struct ExpressionTests {
    static func value(_ bytes: [UInt8], frame: UInt64? = nil, _ processor: Processor = .x86_64) -> UInt64? {
        var registers = Registers(processor, programCounter: 0x40_0000, stackPointer: 0x1000)
        registers[0] = 0x20
        let memory = Memory([.init(address: 0x1000, .bytes((0..<32).map { UInt8($0) }))], .littleEndian)
        return FrameExpression(registers: registers, memory: memory, order: .littleEndian, addressSize: processor.registerSize)
            .value(of: bytes, frame: frame)
    }

    static let cases: [([UInt8], UInt64?)] = [
        ([0x35], 5), ([0x08, 0xff], 255), ([0x09, 0xff], .max), ([0x0b, 0xfe, 0xff], .max - 1), ([0x11, 0x7f], .max),
        ([0x10, 0x80, 0x01], 128),
        ([0x0c, 1, 0, 0, 0x80], 0x8000_0001), ([0x0e, 1, 2, 3, 4, 5, 6, 7, 8], 0x0807_0605_0403_0201),
        // breg0 (rax) 4; breg7 (rsp) 8 dereferenced.
        ([0x70, 4], 0x24), ([0x77, 8, 0x06], 0x0f0e_0d0c_0b0a_0908), ([0x77, 2, 0x94, 2], 0x0302), ([0x92, 7, 1], 0x1001),
        ([0x38, 0x33, 0x1c], 5), ([0x33, 0x38, 0x1c], .max - 4), ([0x33, 0x38, 0x22], 11), ([0x33, 0x38, 0x1e], 24),
        ([0x33, 0x38, 0x24], 0x300),
        ([0x38, 0x1f, 0x33, 0x1b], UInt64(bitPattern: -2)), ([0x38, 0x33, 0x1d], 2), ([0x38, 0x30, 0x1b], nil), ([0x38, 0x30, 0x1d], nil),
        ([0x35, 0x23, 0x80, 0x01], 133), ([0x38, 0x1f, 0x19], 8), ([0x30, 0x20], .max), ([0x38, 0x1f, 0x31, 0x26], UInt64(bitPattern: -4)),
        ([0x31, 0x32, 0x16, 0x1c], 1), ([0x31, 0x32, 0x14, 0x1c], 1), ([0x31, 0x32, 0x33, 0x17, 0x1c], UInt64(bitPattern: -1)),
        ([0x31, 0x32, 0x15, 1], 1), ([0x35, 0x12, 0x1e], 25), ([0x31, 0x32, 0x13], 1),
        ([0x31, 0x32, 0x2d], 1), ([0x31, 0x1f, 0x32, 0x2b], 0), ([0x32, 0x32, 0x29], 1), ([0x32, 0x32, 0x2e], 0), ([0x33, 0x35, 0x1a], 1),
        // skip over `lit1`; a branch that is taken, and one that is not.
        ([0x35, 0x2f, 1, 0, 0x31], 5), ([0x35, 0x31, 0x28, 1, 0, 0x31], 5), ([0x35, 0x30, 0x28, 1, 0, 0x31], 1),
        // Without a value; an operation that is not known; a loop without an end; memory and a
        // register that are not there.
        ([], nil), ([0xe0], nil), ([0x31, 0x2f, 0xfc, 0xff], nil), ([0x31, 0x06], nil), ([0x71, 0], nil), ([0x22], nil),
        ([0x31, 0x2f, 0xf0, 0xff], nil),
    ]

    @Test(arguments: cases) func `an expression has its value`(bytes: [UInt8], expected: UInt64?) { #expect(Self.value(bytes) == expected) }

    @Test func `a register's expression begins with the frame's address`() {
        #expect(Self.value([0x23, 8], frame: 0x2000) == 0x2008)
        #expect(Self.value([0x23, 8]) == nil)
    }

    @Test func `values are as wide as registers`() {
        #expect(Self.value([0x31, 0x1f], .i386) == 0xffff_ffff)
        #expect(Self.value([0x09, 0xff, 0x34, 0x26], .i386) == 0xffff_ffff)
        #expect(Self.value([0x31, 0x1f, 0x34, 0x25], .i386) == 0x0fff_ffff)
    }

    @Test func `hostile expressions end`() {
        #expect(Self.value([UInt8](repeating: 0x31, count: 100_000)) == nil)
        #expect(Self.value([0x31, 0x12, 0x2f, 0xfc, 0xff]) == nil)
    }
}
