import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// Range lists of both generations, as a function's code in several pieces (DWARF 5, section
/// 2.17.3).
struct RangeListTests {
    // Version 4: pairs of addresses in `.debug_ranges`.

    /// Sections with a unit from 0x1000 to 0x9000 and one function whose pieces are the list at 0.
    private func ranges4(_ pairs: [(UInt64, UInt64)], addressSize: Int = 8, ends: Bool = true) throws -> DWARFSections {
        var list = ByteWriter()
        for (start, end) in pairs + (ends ? [(0, 0)] : []) {
            list.put(start, size: addressSize)
            list.put(end, size: addressSize)
        }
        var info = InfoBuilder(version: 4)
        info.addressSize = addressSize
        info.add(.unit(0x1000..<0x9000, children: [.subprogram("f", nil, nil, [(Attribute.ranges, .secOffset(0))])]))
        return try info.sections([.ranges: list.bytes])
    }

    /// Which of some addresses the function covers.
    private func covered(_ sections: DWARFSections, _ addresses: [UInt64]) -> [UInt64] {
        addresses.filter { sections.names($0) == ["f"] }
    }

    @Test func `pairs count from the unit's base address`() throws {
        let sections = try ranges4([(0x10, 0x20), (0x2000, 0x2001)])
        #expect(covered(sections, [0x100f, 0x1010, 0x101f, 0x1020, 0x3000, 0x3001]) == [0x1010, 0x101f, 0x3000])
    }

    @Test(arguments: [4, 8])
    func `a base selection entry changes the base for those behind it`(addressSize: Int) throws {
        let largest = addressSize == 8 ? UInt64.max : 0xffff_ffff
        let sections = try ranges4(
            [(0x10, 0x20), (largest, 0x4000), (0x10, 0x20), (largest, 0), (0x5000, 0x5004)], addressSize: addressSize)
        #expect(covered(sections, [0x1010, 0x2010, 0x4010, 0x401f, 0x5000, 0x5004]) == [0x1010, 0x4010, 0x401f, 0x5000])
    }

    @Test func `empty pairs are passed over, and removed code covers nothing`() throws {
        // lld writes 1 for the two addresses of a removed piece, because 0, 0 would end the list.
        let sections = try ranges4([(1, 1), (0x30, 0x20), (.max, 0), (0, 0x2000), (.max, 0x1000), (0x40, 0x50)])
        #expect(covered(sections, [0x1001, 0x1025, 0x1030, 0x1040, 0x104f]) == [0x1040, 0x104f])
    }

    @Test func `a list without an end covers what came before the section's end`() throws {
        let sections = try ranges4([(0x10, 0x20)], ends: false)
        #expect(covered(sections, [0x100f, 0x1010, 0x101f, 0x1020]) == [0x1010, 0x101f])
    }

    @Test func `sums wrap within four bytes`() throws {
        // 0x1000 + 0xfffff800 = 0x800 in 32 bits: what a linker computed for code before the unit's
        // base.
        var info = InfoBuilder(version: 4)
        info.addressSize = 4
        info.add(
            Entry(
                Tag.compileUnit, nil, [(Attribute.lowPC, .addr(0x1000)), (Attribute.ranges, .secOffset(0))],
                children: [.subprogram("f", nil, nil, [(Attribute.ranges, .secOffset(0))])]))
        var list = ByteWriter()
        for word in [0xffff_f800, 0xffff_f810, 0, 0] as [UInt32] { list.put(word) }
        #expect(covered(try info.sections([.ranges: list.bytes]), [0x7ff, 0x800, 0x80f, 0x810]) == [0x800, 0x80f])
    }

    /// The ranges of a list for a unit of its own, as a split unit is.
    private func pieces(_ list: AttributeValue, of unit: Unit) throws(DWARFError) -> [Range<UInt64>] {
        var collected = unit.collectedRanges()
        try unit.appendRanges(low: nil, high: nil, ranges: list, to: &collected)
        return collected.ranges.map { $0.start..<$0.end }
    }

    /// https://gcc.gnu.org/wiki/DebugFission: `DW_AT_ranges` in a split unit counts from the skeleton's
    /// `DW_AT_GNU_ranges_base`, that of the skeleton itself from the section's start.
    @Test func `the lists of a split unit of version 4 begin at its skeleton's base`() throws {
        var list = ByteWriter()
        // The skeleton's own pair and the list's end, 4 * 8 = 32 bytes; then the split unit's.
        for address in [0x1000, 0x1100, 0, 0, 0x2000, 0x2010, 0, 0] as [UInt64] { list.put(address) }
        var info = InfoBuilder(version: 4)
        let first = info.add(
            Entry(
                Tag.compileUnit, nil,
                [(Attribute.lowPC, .addr(0)), (Attribute.ranges, .secOffset(0)), (Attribute.gnuRangesBase, .secOffset(32))]))
        let second = info.add(Entry(Tag.compileUnit))
        let units = try UnitTable(try info.sections([.ranges: list.bytes]))
        let skeleton = try units.withUnit(try units.header(at: first), ReadBuffer()) { unit, _ in unit }
        #expect(try pieces(.sectionOffset(0), of: skeleton) == [0x1000..<0x1100])
        let split = try units.withUnit(try units.header(at: second), ReadBuffer(), skeleton: skeleton) { unit, _ in unit }
        #expect(try pieces(.sectionOffset(0), of: split) == [0x2000..<0x2010])
    }

    @Test(.timeLimit(.minutes(5)))
    func `functions that all name one long list do not cost the square of the file`() throws {
        // 4,000 functions by 60,000 pairs: 2.4 * 10^8 entries, while the section holds 960,000
        // bytes.
        var list = ByteWriter()
        for _ in 0..<60_000 { list.bytes += [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0] }
        list.bytes += [UInt8](repeating: 0, count: 16)
        var info = InfoBuilder(version: 4)
        let greedy = (0..<4_000).map { _ in Entry(Tag.subprogram, nil, [(Attribute.ranges, .secOffset(0))]) }
        info.add(.unit(0x1000..<0x9000, children: [.subprogram("f", 0x1000..<0x1010)] + greedy))
        let sections = try info.sections([.ranges: list.bytes])
        let duration = processorTime { #expect(sections.names(0x1000) == ["f"]) }
        #expect(duration < .seconds(20))
    }

    // Version 5: `.debug_rnglists`, with addresses in `.debug_addr`.

    private let addresses: [UInt64] = [0x1100, 0x2000, 0x2010, 0x4000]

    /// `.debug_addr`: a header of 8 bytes, then the addresses.
    private func addressTable(_ order: ByteOrder = .littleEndian) -> [UInt8] {
        var table = ByteWriter(order)
        table.put(UInt32(4 + addresses.count * 8))
        table.put(UInt16(5))
        table.bytes += [8, 0]
        for address in addresses { table.put(address) }
        return table.bytes
    }

    /// A unit's part of `.debug_rnglists`: a header of 12 bytes, where each list is, the lists.
    private func part(_ lists: [[UInt8]], _ order: ByteOrder = .littleEndian) -> [UInt8] {
        var offsets = ByteWriter(order)
        var place = lists.count * 4
        for list in lists {
            offsets.put(UInt32(place))
            place += list.count
        }
        var header = ByteWriter(order)
        header.put(UInt32(8 + place))
        header.put(UInt16(5))
        header.bytes += [8, 0]
        header.put(UInt32(lists.count))
        return header.bytes + offsets.bytes + lists.flatMap { $0 }
    }

    /// Sections with a function whose pieces are entry 0 of the unit's range lists, which are
    /// `lists`.
    private func ranges5(_ lists: [[UInt8]], index: UInt64 = 0, _ order: ByteOrder = .littleEndian) throws -> DWARFSections {
        var info = InfoBuilder(order, version: 5)
        info.add(
            Entry(
                Tag.compileUnit, nil,
                [
                    (Attribute.lowPC, .addr(0x1000)), (Attribute.highPC, .data4(0x8000)), (Attribute.addrBase, .secOffset(8)),
                    (Attribute.rnglistsBase, .secOffset(12)),
                ], children: [.subprogram("f", nil, nil, [(Attribute.ranges, .rnglistx(index))])]))
        return try info.sections([.rnglists: part(lists, order), .addr: addressTable(order)])
    }

    private func entry(_ kind: UInt8, _ numbers: UInt64..., address: UInt64? = nil, _ order: ByteOrder = .littleEndian) -> [UInt8] {
        var bytes = ByteWriter(order)
        bytes.put(kind)
        if let address { bytes.put(address) }
        for number in numbers { bytes.putULEB128(number) }
        return bytes.bytes
    }

    private let end: [UInt8] = [RangeListEntry.endOfList]

    @Test func `every kind of entry`() throws {
        func list(_ bytes: [UInt8]...) throws -> DWARFSections { try ranges5([bytes.flatMap { $0 } + end]) }
        // offset_pair counts from the unit's base, 0x1000, or from the base that an entry set.
        #expect(covered(try list(entry(4, 0x20, 0x30)), [0x101f, 0x1020, 0x102f, 0x1030]) == [0x1020, 0x102f])
        #expect(covered(try list(entry(5, address: 0x5000), entry(4, 0x20, 0x30)), [0x1020, 0x5020, 0x5030]) == [0x5020])
        #expect(covered(try list(entry(1, 3), entry(4, 0x20, 0x30)), [0x1020, 0x4020, 0x4030]) == [0x4020])
        // startx_endx, startx_length: by index into `.debug_addr`.
        #expect(covered(try list(entry(2, 1, 2)), [0x1fff, 0x2000, 0x200f, 0x2010]) == [0x2000, 0x200f])
        #expect(covered(try list(entry(3, 0, 0x100)), [0x10ff, 0x1100, 0x11ff, 0x1200]) == [0x1100, 0x11ff])
        // start_end, start_length: with the address in the entry.
        var startEnd = ByteWriter()
        startEnd.put(RangeListEntry.startEnd)
        startEnd.put(UInt64(0x6000))
        startEnd.put(UInt64(0x6008))
        #expect(covered(try list(startEnd.bytes), [0x5fff, 0x6000, 0x6007, 0x6008]) == [0x6000, 0x6007])
        #expect(covered(try list(entry(7, 8, address: 0x7000)), [0x6fff, 0x7000, 0x7007, 0x7008]) == [0x7000, 0x7007])
    }

    @Test func `an index names one of several lists, in both byte orders`() throws {
        for order in [ByteOrder.littleEndian, .bigEndian] {
            let lists = [
                entry(7, 8, address: 0x7000, order) + end, entry(4, 0x20, 0x30) + entry(7, 8, address: 0x6000, order) + end,
            ]
            #expect(covered(try ranges5(lists, index: 1, order), [0x1020, 0x6000, 0x7000]) == [0x1020, 0x6000])
            #expect(covered(try ranges5(lists, index: 0, order), [0x1020, 0x6000, 0x7000]) == [0x7000])
        }
    }

    /// DWARF 5, section 7.3.5: a package joins the sections of many files, and says where each unit's
    /// part is. Its units have no `DW_AT_rnglists_base`.
    @Test func `in a package an index counts in the unit's own part of the lists`() throws {
        let parts = [0x6000, 0x7000].map { part([entry(7, 8, address: $0) + end]) }
        var info = InfoBuilder(version: 5)
        info.add(Entry(Tag.compileUnit))
        let units = try UnitTable(try info.sections([.rnglists: parts[0] + parts[1]]))
        for (start, address) in [(0, 0x6000), (parts[0].count, 0x7000)] as [(Int, UInt64)] {
            let place = PackageContribution(rangeLists: UInt64(start))
            let unit = try units.withUnit(try units.header(at: 0), ReadBuffer(), contribution: place) { unit, _ in unit }
            #expect(try pieces(.rangeListIndex(0), of: unit) == [address..<address + 8])
            // Beyond every section, wherever the unit's part begins.
            #expect(throws: DWARFError.self) { try pieces(.sectionOffset(.max), of: unit) }
        }
    }

    @Test func `a list may be named by its offset instead`() throws {
        var info = InfoBuilder(version: 5)
        info.add(.unit(0x1000..<0x9000, children: [.subprogram("f", nil, nil, [(Attribute.ranges, .secOffset(3))])]))
        let sections = try info.sections([.rnglists: [0xee, 0xee, 0xee] + entry(4, 0x20, 0x30) + end])
        #expect(covered(sections, [0x101f, 0x1020]) == [0x1020])
    }

    @Test func `pieces on a removed base cover nothing`() throws {
        let list = entry(5, address: .max) + entry(4, 0x2001, 0x2011) + entry(7, 8, address: 0x7000) + end
        // From -1 the pair would be 0x2000 to 0x2010.
        #expect(covered(try ranges5([list]), [0x2000, 0x2008, 0x7000]) == [0x7000])
    }

    @Test func `damaged lists cover what came before the damage and do not stop the unit`() throws {
        let damaged: [[UInt8]] = [
            [8], entry(4, 0x20), entry(3, 99, 8) + end, entry(5), entry(1, .max) + end,
        ]
        for list in damaged { #expect(try ranges5([list]).names(0x1020) == [], "\(list)") }
        #expect(covered(try ranges5([entry(4, 0x20, 0x30) + [8]]), [0x1020, 0x102f, 0x1030]) == [0x1020, 0x102f])
        #expect(try ranges5([end], index: 99).names(0x1020) == [])
        #expect(try ranges5([end], index: .max).names(0x1020) == [])
    }
}
