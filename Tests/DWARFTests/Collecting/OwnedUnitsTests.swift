import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// Which addresses each unit resolves: those of the address table; then what the roots of units say
/// that the table does not describe; then what the roots of the others say. Of several units, the
/// first in the file.
struct OwnedUnitsTests {
    /// A unit: what its root entry covers, and what the address table says of it; `nil` without a
    /// set there.
    private typealias Made = (root: Range<UInt64>, listed: [Range<UInt64>]?)

    /// By unit the ranges that it resolves, and whether they were known when it passed.
    private func ranges(_ units: [Made]) throws -> (ranges: [Int: [Range<UInt64>]], areConsistent: Bool) {
        var info = InfoBuilder()
        let offsets = units.map { info.add(.unit($0.root, children: [])) }
        let table = zip(units, offsets).reduce([]) { table, unit in
            table + (unit.0.listed.map { AddressTable.set(unit: UInt64(unit.1), $0) } ?? [])
        }
        let sections = try makeSections([.info: info.info.bytes, .abbrev: info.abbrev.bytes, .aranges: table])
        let numbers = Dictionary(uniqueKeysWithValues: zip(offsets, offsets.indices))
        func all(_ owned: OwnedUnits) throws -> [Int: [Range<UInt64>]] {
            owned.forEachUnit { _ in }
            try #require(owned.failure == nil)
            var ranges: [Int: [Range<UInt64>]] = [:]
            while let unit = owned.next() { ranges[numbers[unit.offset] ?? -1] = unit.ranges }
            return ranges
        }
        let reader = DWARFReader(sections)
        let known = try all(OwnedUnits(reader, predicts: false))
        let predicted = OwnedUnits(reader, predicts: true)
        let first = try all(predicted)
        #expect(predicted.areConsistent == (first == known))
        if !predicted.areConsistent { #expect(try all(predicted.corrected()) == known) }
        return (known, predicted.areConsistent)
    }

    @Test func `what the table lacks is the unit's whose root covers it`() throws {
        let found = try ranges([(0x1000..<0x1100, [0x1000..<0x1080]), (0x1080..<0x2000, nil), (0x3000..<0x3010, [0x3000..<0x3008])])
        #expect(found.ranges == [0: [0x1000..<0x1080], 1: [0x1080..<0x2000], 2: [0x3000..<0x3010]])
    }

    @Test func `what two roots cover is the first one's`() throws {
        let found = try ranges([(0x1000..<0x1100, [0x1000..<0x1010]), (0x1080..<0x1200, [0x1180..<0x1200])])
        #expect(found.ranges == [0: [0x1000..<0x1100], 1: [0x1100..<0x1200]])
        #expect(found.areConsistent)
    }

    /// The second unit, which the table does not describe, comes before the first.
    @Test func `what a later unit takes away is known afterwards`() throws {
        let found = try ranges([(0x1000..<0x1100, [0x1000..<0x1010]), (0x1080..<0x1090, nil)])
        #expect(found.ranges == [0: [0x1000..<0x1080, 0x1090..<0x1100], 1: [0x1080..<0x1090]])
        #expect(!found.areConsistent)
    }

    @Test func `each address has the unit that the rules give it`() throws {
        var random = SplitMix64(seed: 3)
        func range() -> Range<UInt64> {
            let start = UInt64.random(in: 0x1000..<0x1040, using: &random)
            return start..<start + .random(in: 1..<24, using: &random)
        }
        var rightCount = 0
        for _ in 0..<200 {
            let units: [Made] = (0..<Int.random(in: 2..<6, using: &random)).map { _ in
                (range(), Bool.random(using: &random) ? nil : (0..<Int.random(in: 1..<3, using: &random)).map { _ in range() })
            }
            let found = try ranges(units)
            rightCount += found.areConsistent ? 1 : 0
            for address in (0xff0..<0x1070).map({ UInt64($0) }) {
                // An address that the table gives a unit counts last if the unit's own ranges do not have it.
                let isListed = { (unit: Made) in unit.listed?.contains { $0.contains(address) } == true }
                let byTable = units.firstIndex { isListed($0) && $0.root.contains(address) }
                let byRoot = units.firstIndex { $0.listed == nil && $0.root.contains(address) }
                let expected = byTable ?? byRoot ?? units.firstIndex { $0.root.contains(address) } ?? units.firstIndex(where: isListed)
                #expect(found.ranges.first { $0.value.contains { $0.contains(address) } }?.key == expected, "\(units) \(address)")
            }
        }
        #expect(rightCount > 50 && rightCount < 200)
    }
}
