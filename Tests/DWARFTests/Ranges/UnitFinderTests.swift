import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// Files without an address table, with so many units that their headers are read beside root entries.
struct UnitFinderTests {
    /// Unit `number` covers 16 bytes from `0x10_0000 + 0x100 * number` on; each third one also those of the unit 1,000 before it.
    private static let count = 4_000

    private static func ranges(_ number: Int) -> [UInt64] {
        let own = 0x10_0000 + 0x100 * UInt64(number)
        return number % 3 == 0 && number >= 1_000 ? [own, own - 0x100 * 1_000] : [own]
    }

    private static func sections(damagedFrom damaged: Int? = nil) throws -> (sections: DWARFSections, offsets: [Int]) {
        var (info, lists, offsets) = (InfoBuilder(), ByteWriter(.littleEndian), [Int]())
        for number in 0..<count {
            let list = UInt64(lists.count)
            for start in ranges(number) {
                lists.put(start)
                lists.put(start + 16)
            }
            lists.put(UInt64(0))
            lists.put(UInt64(0))
            let first = ranges(number)[0]
            offsets.append(
                info.add(
                    Entry(
                        Tag.compileUnit, nil,
                        [
                            (Attribute.name, .string("\(number).c")), (Attribute.compDir, .string(String(repeating: "x", count: 300))),
                            (Attribute.lowPC, .addr(0)), (Attribute.ranges, .secOffset(list)),
                        ], children: [.subprogram("f\(number)", first..<first + 16)])))
        }
        if let damaged { info.damage(from: offsets[damaged]) }
        let sections = try info.sections([.ranges: lists.bytes])
        #expect(try UnitTable(sections).size > 1 << 20)
        return (sections, offsets)
    }

    /// The first unit that covers an address, by looking at each.
    private static func unit(covering address: UInt64) -> Int? {
        (0..<count).first { ranges($0).contains { $0 <= address && address < $0 + 16 } }
    }

    @Test func `the unit that covers an address is the first that does, wherever it is`() throws {
        let (sections, offsets) = try Self.sections()
        func find(_ addresses: [UInt64]) throws -> [Int] {
            try UnitFinder(sections, try UnitTable(sections), ReadBuffer()).units(covering: addresses)
        }
        for number in [0, 1, 2, 31, 32, 33, 1_000, 1_002, 2_001, 3_998, 3_999] {
            for address in [Self.ranges(number)[0], Self.ranges(number)[0] + 15] {
                let expected = try #require(Self.unit(covering: address))
                #expect(try find([address]) == [offsets[expected]], "\(number)")
            }
        }
        // Between two units and behind the last.
        #expect(try find([0x10_0010, 0xff_ffff]) == [-1, -1])
        let several = [5, 5, 640, 641, 2_400, 3_999].map { Self.ranges($0)[0] }
        #expect(try find(several) == several.map { offsets[try #require(Self.unit(covering: $0))] })
        #expect(try find(several + [0xff_ffff]) == several.map { offsets[try #require(Self.unit(covering: $0))] } + [-1])
        #expect(sections.names(Self.ranges(2_400)[0]) == ["f2400"])
    }

    @Test func `a unit before a damaged one is found, and those behind it are told to be in it`() throws {
        let (sections, _) = try Self.sections(damagedFrom: 2_000)
        #expect(sections.names(Self.ranges(1_999)[0]) == ["f1999"])
        let behind = sections.result(Self.ranges(2_500)[0])
        #expect(behind.functions.isEmpty && behind.problem != nil)
    }
}
