import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// Forms (DWARF 5, section 7.5.5): how many bytes each takes, and what it says.
struct FormTests {
    /// The forms of fixed size with their sizes in a unit with 8-byte addresses in the 32-bit
    /// format.
    static let fixed: [(form: UInt16, size: Int)] = [
        (Form.addr, 8), (Form.data1, 1), (Form.data2, 2), (Form.data4, 4), (Form.data8, 8), (Form.data16, 16), (Form.flag, 1),
        (Form.flagPresent, 0), (Form.implicitConst, 0), (Form.strp, 4), (Form.lineStrp, 4), (Form.secOffset, 4), (Form.strpSup, 4),
        (Form.ref1, 1), (Form.ref2, 2), (Form.ref4, 4), (Form.ref8, 8), (Form.refAddr, 4), (Form.refSig8, 8), (Form.refSup4, 4),
        (Form.refSup8, 8), (Form.strx1, 1), (Form.strx2, 2), (Form.strx3, 3), (Form.strx4, 4), (Form.addrx1, 1), (Form.addrx2, 2),
        (Form.addrx3, 3), (Form.addrx4, 4), (Form.gnuRefAlt, 4), (Form.gnuStrpAlt, 4),
    ]
    static let leb128: [UInt16] = [
        Form.udata, Form.sdata, Form.refUdata, Form.strx, Form.addrx, Form.loclistx, Form.rnglistx, Form.gnuAddrIndex, Form.gnuStrIndex,
    ]

    private func sizes(_ address: Int = 8, _ offset: Int = 4, _ version: UInt16 = 5, _ order: ByteOrder = .littleEndian) -> FormSizes {
        FormSizes(addressSize: address, offsetSize: offset, version: version, byteOrder: order)
    }

    /// How many bytes reading and skipping take: always the same.
    private func length(_ form: UInt16, _ bytes: [UInt8], _ sizes: FormSizes) throws -> Int {
        var reading = bytes.span.rawBytes
        _ = try reading.readValue(form, implicit: 0, sizes)
        var skipping = bytes.span.rawBytes
        try skipping.skipValue(form, sizes)
        #expect(reading.byteCount == skipping.byteCount, "form \(form) is read and skipped differently")
        return bytes.count - reading.byteCount
    }

    private func value(_ form: UInt16, _ bytes: [UInt8], _ sizes: FormSizes) throws -> String {
        var cursor = bytes.span.rawBytes
        return "\(try cursor.readValue(form, implicit: 0, sizes))"
    }

    @Test func `forms of fixed size`() throws {
        let bytes = [UInt8](repeating: 1, count: 20)
        for (form, size) in Self.fixed { #expect(try length(form, bytes, sizes()) == size, "form \(form)") }
    }

    @Test func `what depends on the unit`() throws {
        let bytes = [UInt8](repeating: 1, count: 20)
        #expect(try length(Form.addr, bytes, sizes(4)) == 4)
        for form in [Form.strp, Form.lineStrp, Form.secOffset, Form.strpSup, Form.refAddr, Form.gnuRefAlt, Form.gnuStrpAlt] {
            #expect(try length(form, bytes, sizes(4, 8)) == 8, "form \(form)")
        }
        // DWARF 2 gave `ref_addr` the size of an address.
        #expect(try length(Form.refAddr, bytes, sizes(8, 4, 2)) == 8)
        #expect(try length(Form.refAddr, bytes, sizes(4, 8, 2)) == 4)
    }

    @Test func `numbers in LEB128 end with a byte below 0x80`() throws {
        for form in Self.leb128 { #expect(try length(form, [0x80, 0x80, 0x01, 0xff], sizes()) == 3, "form \(form)") }
    }

    @Test func `blocks and strings`() throws {
        let content = [UInt8](repeating: 7, count: 300)
        #expect(try length(Form.block1, [3] + content, sizes()) == 4)
        #expect(try length(Form.block2, [0x2c, 0x01] + content, sizes()) == 302)
        #expect(try length(Form.block2, [0x01, 0x2c] + content, sizes(8, 4, 5, .bigEndian)) == 302)
        #expect(try length(Form.block4, [4, 0, 0, 0] + content, sizes()) == 8)
        #expect(try length(Form.block, [0xac, 0x02] + content, sizes()) == 302)  // 0x2c + 2 * 128 = 300
        #expect(try length(Form.exprloc, [2] + content, sizes()) == 3)
        #expect(try length(Form.string, Array("main".utf8) + [0, 1], sizes()) == 5)
    }

    @Test func `indirect stands before another form`() throws {
        #expect(try length(Form.indirect, [UInt8(Form.data4), 1, 2, 3, 4, 5], sizes()) == 5)
        #expect(try length(Form.indirect, [UInt8(Form.udata), 0x80, 0x01], sizes()) == 3)
        #expect(try value(Form.indirect, [UInt8(Form.data2), 0x34, 0x12], sizes()) == "unsigned(4660)")
    }

    @Test func `values, in both byte orders`() throws {
        let big = sizes(8, 4, 5, .bigEndian)
        #expect(try value(Form.data2, [0x12, 0x34], sizes()) == "unsigned(13330)")  // 0x3412
        #expect(try value(Form.data2, [0x12, 0x34], big) == "unsigned(4660)")  // 0x1234
        #expect(try value(Form.strx3, [1, 2, 3], sizes()) == "stringIndex(197121)")  // 0x030201
        #expect(try value(Form.strx3, [1, 2, 3], big) == "stringIndex(66051)")  // 0x010203
        #expect(try value(Form.addrx3, [1, 2, 3], big) == "addressIndex(66051)")
        #expect(try value(Form.sdata, [0x7f], sizes()) == "signed(-1)")
        #expect(try value(Form.flagPresent, [], sizes()) == "unsigned(1)")
        #expect(try value(Form.addr, [0, 0x10, 0, 0], sizes(4)) == "address(4096)")
        #expect(try value(Form.ref4, [0x2a, 0, 0, 0], sizes()) == "unitReference(42)")
        #expect(try value(Form.refAddr, [0x2a, 0, 0, 0], sizes()) == "infoReference(42)")
        #expect(try value(Form.lineStrp, [0x2a, 0, 0, 0], sizes()) == "lineStringOffset(42)")
        #expect(try value(Form.rnglistx, [5], sizes()) == "rangeListIndex(5)")
    }

    @Test func `a form that nobody defines is refused: what follows it cannot be found`() throws {
        for form in [0, 0x02, 0x2d, 0x1f40, 0xffff] as [UInt16] {
            #expect(throws: ReadError.self, "form \(form)") { try length(form, [1, 2, 3, 4], sizes()) }
        }
        // `indirect` to itself would never end, and `implicit_const` has no place for its value
        // there.
        for form in [Form.indirect, Form.implicitConst] {
            #expect(throws: ReadError.self) { try length(Form.indirect, [UInt8(form), 1, 2], sizes()) }
        }
    }

    @Test func `values that are cut off are refused`() throws {
        for (form, size) in Self.fixed where size > 0 {
            #expect(throws: ReadError.self, "form \(form)") { try length(form, [UInt8](repeating: 1, count: size - 1), sizes()) }
        }
        for form in Self.leb128 { #expect(throws: ReadError.self) { try length(form, [0x80, 0x80], sizes()) } }
        for (form, bytes) in [
            (Form.block1, [5, 1, 2]), (Form.block2, [5, 0, 1]), (Form.block4, [0xff, 0xff, 0xff, 0xff, 1]), (Form.block, [0x7f, 1]),
            (Form.string, [0x61, 0x62]), (Form.exprloc, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]), (Form.indirect, []),
        ] as [(UInt16, [UInt8])] {
            #expect(throws: ReadError.self, "form \(form)") { try length(form, bytes, sizes()) }
        }
    }
}
