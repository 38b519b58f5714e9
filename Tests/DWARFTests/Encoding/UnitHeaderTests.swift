import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// Headers of units (DWARF 5, section 7.5.1; DWARF 4, section 7.5.1.1).
struct UnitHeaderTests {
    /// A header, and one byte after it: an empty entry.
    private func header(
        version: UInt16, kind: UInt8 = UnitKind.compile, is64Bit: Bool = false, addressSize: UInt8 = 8, length: UInt64? = nil,
        _ order: ByteOrder = .littleEndian
    ) -> [UInt8] {
        var body = ByteWriter(order)
        body.put(version)
        if version >= 5 { body.bytes += [kind, addressSize] }
        body.putWord(0x40, wide: is64Bit)
        if version < 5 { body.put(addressSize) }
        if version >= 5, kind == UnitKind.skeleton || kind == UnitKind.splitCompile { body.put(UInt64(0x1234)) }
        if version >= 5, kind == UnitKind.type {
            body.put(UInt64(0x1234))
            body.putWord(0x20, wide: is64Bit)
        }
        body.put(UInt8(0))
        var whole = ByteWriter(order)
        if is64Bit { whole.put(UInt32.max) }
        whole.putWord(length ?? UInt64(body.count), wide: is64Bit)
        return whole.bytes + body.bytes
    }

    private func read(_ bytes: [UInt8], _ order: ByteOrder = .littleEndian) throws(DWARFError) -> UnitHeader {
        try UnitHeader(bytes.span.rawBytes, at: 0, sectionSize: bytes.count, order)
    }

    @Test(arguments: [2, 3, 4, 5] as [UInt16], [false, true])
    func `every version is read in both formats and both byte orders`(version: UInt16, is64Bit: Bool) throws {
        for order in [ByteOrder.littleEndian, .bigEndian] {
            for addressSize in [4, 8] as [UInt8] {
                let bytes = header(version: version, is64Bit: is64Bit, addressSize: addressSize, order)
                let unit = try read(bytes, order)
                #expect(unit.version == version)
                #expect(unit.kind == UnitKind.compile)
                #expect(unit.abbreviationsOffset == 0x40)
                #expect(unit.addressSize == Int(addressSize))
                #expect(unit.offsetSize == (is64Bit ? 8 : 4))
                #expect(unit.end == bytes.count)
                // Length (4, or 4 + 8), version (2), an offset (4 or 8), address size (1), and
                // since version 5 the kind (1).
                #expect(unit.firstEntry == (is64Bit ? 12 + 2 + 8 + 1 : 4 + 2 + 4 + 1) + (version >= 5 ? 1 : 0))
            }
        }
    }

    @Test func `kinds of version 5 have longer headers, and type units cover no code`() throws {
        // 12 bytes of a compile unit's header; a skeleton has an ID of 8 beside, a type unit a
        // signature of 8 and an offset.
        #expect(try read(header(version: 5, kind: UnitKind.skeleton)).firstEntry == 20)
        #expect(try read(header(version: 5, kind: UnitKind.splitCompile)).firstEntry == 20)
        #expect(try read(header(version: 5, kind: UnitKind.type)).firstEntry == 24)
        #expect(try read(header(version: 5, kind: UnitKind.type, is64Bit: true)).firstEntry == 40)
        #expect(try read(header(version: 5, kind: UnitKind.type)).coversCode == false)
        #expect(try read(header(version: 5, kind: UnitKind.partial)).coversCode)
    }

    @Test(arguments: [
        ("reaches beyond the section's 12 bytes", 100, 4, 8), ("unsupported version 6, supported are 2-5", 8, 6, 8),
        ("unsupported version 1, supported are 2-5", 8, 1, 8), ("3 bytes: expected 2, 4 or 8", 8, 4, 3),
        ("0 bytes: expected 2, 4 or 8", 8, 4, 0),
    ])
    func `a header that makes no sense is refused with what was expected`(
        problem: String, length: UInt64, version: UInt16, addressSize: UInt8
    ) throws {
        // Written as version 4 writes it, whatever the version says.
        var bytes = header(version: 4, addressSize: addressSize, length: length)
        bytes[4] = UInt8(version)
        let error = #expect(throws: DWARFError.self) { try read(bytes) }
        #expect(error?.problem.contains(problem) == true, "\(error?.problem ?? "")")
        #expect(error?.section == ".debug_info")
    }

    @Test func `a header that is cut off is refused at its end`() throws {
        let whole = header(version: 5, kind: UnitKind.type, is64Bit: true)
        for count in 0..<39 {
            let cut = Array(whole[..<count])
            #expect(throws: DWARFError.self, "\(count) bytes") { try read(cut) }
        }
    }

    @Test func `a length that leaves no room for the header is refused`() throws {
        let error = #expect(throws: DWARFError.self) { try read(header(version: 4, length: 3) + [UInt8](repeating: 0, count: 20)) }
        #expect(error?.problem == "the unit is shorter than its header")
    }

    @Test func `reserved lengths reach beyond every section`() throws {
        #expect(throws: DWARFError.self) { try read(header(version: 4, length: 0xffff_fff0)) }
        #expect(throws: DWARFError.self) { try read(header(version: 4, is64Bit: true, length: .max)) }
    }

    @Test func `a unit of an unknown version does not hide those behind it`() throws {
        var info = InfoBuilder()
        info.add(.unit(0x1000..<0x1010, children: [.subprogram("before", 0x1000..<0x1010)]))
        info.version = 9
        info.add(.unit(0x2000..<0x2010, children: [.subprogram("unknown", 0x2000..<0x2010)]))
        info.version = 4
        info.add(.unit(0x3000..<0x3010, children: [.subprogram("behind", 0x3000..<0x3010)]))
        let sections = try info.sections()
        #expect(sections.names(0x1000) == ["before"])
        #expect(sections.names(0x2000) == [])
        #expect(sections.names(0x3000) == ["behind"])
    }
}
