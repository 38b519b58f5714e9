import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// `.debug_aranges` (DWARF 5, section 6.1.2).
struct ArangesTests {
    private func units(_ table: [UInt8], _ wanted: [UInt64], _ order: ByteOrder = .littleEndian) throws -> [Int] {
        Aranges(try makeSections([.info: [], .aranges: table], order), wanted: wanted, ReadBuffer()).units
    }

    @Test(arguments: [4, 8], [false, true])
    func `a unit claims the addresses of its ranges`(addressSize: Int, is64Bit: Bool) throws {
        for order in [ByteOrder.littleEndian, .bigEndian] {
            let table = AddressTable.set(unit: 0x20, [(0x1000, 0x10), (0x2000, 1)], addressSize: addressSize, is64Bit: is64Bit, order)
            let found = try units(table, [0xfff, 0x1000, 0x100f, 0x1010, 0x2000, 0x2001], order)
            #expect(found == [-1, 0x20, 0x20, -1, 0x20, -1])
        }
    }

    @Test func `several sets follow one another`() throws {
        let table =
            AddressTable.set(unit: 0, [(0x1000, 0x10)]) + AddressTable.set(unit: 0x80, [(0x3000, 0x10)])
            + AddressTable.set(unit: 0x40, [(0x2000, 0x10)])
        #expect(try units(table, [0x1000, 0x2000, 0x3000]) == [0, 0x40, 0x80])
    }

    @Test func `of several units that claim an address the first in the file has it`() throws {
        let table = AddressTable.set(unit: 0x80, [(0x1000, 0x10)]) + AddressTable.set(unit: 0x40, [(0x1008, 0x10)])
        #expect(try units(table, [0x1000, 0x1008, 0x1010]) == [0x80, 0x40, 0x40])
    }

    @Test func `a damaged set ends the table; what came before it counts`() throws {
        let good = AddressTable.set(unit: 0x40, [(0x1000, 0x10)])
        var damaged = AddressTable.set(unit: 0x80, [(0x2000, 0x10)])
        damaged[0] = 0xf0  // a length beyond the section
        #expect(try units(good + damaged, [0x1000, 0x2000]) == [0x40, -1])
        for count in 0..<good.count { _ = try units(Array(good[..<count]), [0x1000]) }
    }

    @Test func `a set of another version or with odd addresses is passed over`() throws {
        let good = AddressTable.set(unit: 0x40, [(0x1000, 0x10)])
        #expect(try units(AddressTable.set(unit: 0x80, [(0x1000, 0x10)], version: 3) + good, [0x1000]) == [0x40])
        var odd = AddressTable.set(unit: 0x80, [(0x1000, 0x10)])
        odd[10] = 3  // address_size
        #expect(try units(odd + good, [0x1000]) == [0x40])
    }

    @Test func `ranges at zero are code that the linker removed, unless code is linked there`() throws {
        let table = AddressTable.set(unit: 0x40, [(0, 0x2000)])
        #expect(try units(table, [0x1000]) == [-1])
        let file = try MappedFile(bytes: table.span.rawBytes, name: "aranges")
        let sections = DWARFSections(file, [.aranges: 0..<table.count], .littleEndian, zeroIsRemovedCode: false)
        #expect(Aranges(sections, wanted: [0, 0x1000, 0x2000], ReadBuffer()).units == [0x40, 0x40, -1])
    }

    @Test func `empty ranges and ranges that leave the address space claim nothing`() throws {
        #expect(try units(AddressTable.set(unit: 0x40, [(0x1000, 0), (.max - 1, 0x10)]), [0x1000, .max - 1]) == [-1, -1])
    }

    @Test func `a unit that the table leaves out is found by its own ranges`() throws {
        var info = InfoBuilder()
        let first = info.add(.unit(0x1000..<0x1010, children: [.subprogram("listed", 0x1000..<0x1010)]))
        info.add(.unit(0x2000..<0x2010, children: [.subprogram("unlisted", 0x2000..<0x2010)]))
        let sections = try info.sections([.aranges: AddressTable.set(unit: UInt64(first), [(0x1000, 0x10)])])
        #expect(sections.names(0x1008) == ["listed"])
        #expect(sections.names(0x2008) == ["unlisted"])
    }

    /// A linker that joins tables wrongly, or one that another tool wrote.
    @Test(arguments: [false, true])
    func `a table that gives code to another unit, or to none, does not hide the units' own ranges`(isUnit: Bool) throws {
        var info = InfoBuilder()
        let first = info.add(.unit(0x1000..<0x1010, children: [.subprogram("first", 0x1000..<0x1010)]))
        info.add(.unit(0x2000..<0x2010, children: [.subprogram("second", 0x2000..<0x2010)]))
        let table = AddressTable.set(unit: UInt64(isUnit ? first : first + 5), [(0x1000, 0x10), (0x2000, 0x10)])
        let sections = try info.sections([.aranges: table])
        #expect(sections.names(0x1008) == ["first"])
        #expect(sections.names(0x2008) == ["second"])
        #expect(sections.names(0x3000) == [])
        // As an index has it, which is not made where no unit begins.
        if isUnit {
            var ownership = UnitOwnership(try UnitTable(sections), predicts: false)
            try ownership.pass()
            #expect(try ownership.owners().map(\.ranges) == [[0x1000..<0x1010], [0x2000..<0x2010]])
        }
    }

    @Test func `what the table leaves out of a unit that it describes is found too`() throws {
        var info = InfoBuilder()
        let unit = info.add(
            .unit(0x1000..<0x1020, children: [.subprogram("listed", 0x1000..<0x1010), .subprogram("unlisted", 0x1010..<0x1020)]))
        let sections = try info.sections([.aranges: AddressTable.set(unit: UInt64(unit), [(0x1000, 0x10)])])
        #expect(sections.names(0x1008) == ["listed"])
        #expect(sections.names(0x1018) == ["unlisted"])
    }

    @Test func `a unit that the table places outside of the section hides no other`() throws {
        for (offset, is64Bit) in [(0x5000, false), (0x7fff_ffff_ffff_ffff, true), (.max, true)] as [(UInt64, Bool)] {
            var info = InfoBuilder()
            info.add(.unit(0x1000..<0x1010, children: [.subprogram("f", 0x1000..<0x1010)]))
            let result = try info.sections([.aranges: AddressTable.set(unit: offset, [(0x1000, 0x10)], is64Bit: is64Bit)]).result(0x1000)
            #expect(result.functions.map(\.name) == ["f"])
        }
    }
}

/// Puts `.debug_aranges` together (DWARF 5, section 6.1.2).
enum AddressTable {
    /// One set: the offset of its unit, and its ranges as starts and lengths.
    static func set(
        unit: UInt64, _ ranges: [(UInt64, UInt64)], addressSize: Int = 8, is64Bit: Bool = false, version: UInt16 = 2,
        _ order: ByteOrder = .littleEndian
    ) -> [UInt8] {
        var body = ByteWriter(order)
        body.put(version)
        body.putWord(unit, wide: is64Bit)
        body.bytes += [UInt8(addressSize), 0]
        // The first tuple begins at a multiple of its size, counted from the set's first byte.
        while (body.count + (is64Bit ? 12 : 4)) % (2 * addressSize) != 0 { body.put(UInt8(0xee)) }
        for (start, length) in ranges + [(0, 0)] {
            body.put(start, size: addressSize)
            body.put(length, size: addressSize)
        }
        var whole = ByteWriter(order)
        if is64Bit { whole.put(UInt32.max) }
        whole.putWord(UInt64(body.count), wide: is64Bit)
        return whole.bytes + body.bytes
    }

    static func set(unit: UInt64, _ ranges: [Range<UInt64>]) -> [UInt8] {
        set(unit: unit, ranges.map { ($0.lowerBound, $0.upperBound - $0.lowerBound) })
    }
}

struct DescribedUnitsTests {
    @Test(arguments: [[], [5], [0, 16, 300], [300, 0, 16], [16, 16, 0, 0]] as [[Int]])
    func `a unit is described if it was added, in whatever order and however often`(units: [Int]) {
        var described = DescribedUnits()
        for unit in units { described.add(unit) }
        described.sort()
        for unit in -1...301 { #expect(described.contains(unit) == units.contains(unit), "\(unit)") }
    }
}
