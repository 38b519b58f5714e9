import TestSupport
import Testing

@testable import DWARFInspection

/// Problems in debug information: small units, each with one thing that DWARF 5 does not
/// allow. The messages are LLVM's, and llvm-dwarfdump 19 reads them too.
struct VerifierTests {
    private static func function(
        _ name: String, _ low: UInt64, size: UInt64, _ children: [MadeEntry] = [], _ more: [MadeEntry.Attribute] = []
    ) -> MadeEntry {
        MadeEntry(0x2e, "", [.name(name)] + MadeEntry.Attribute.code(low, size: size) + more, children)
    }

    private static func unit(
        _ children: [MadeEntry], _ attributes: [MadeEntry.Attribute] = [.name("a.c")] + MadeEntry.Attribute.code(0x1000, size: 0x100)
    ) -> MadeEntry {
        MadeEntry(0x11, "", attributes, children)
    }

    private static let sound = MadeObject([
        unit([
            MadeEntry(0x24, "int", [.name("int"), .byte(0x3e, 5), .byte(0x0b, 4)]),
            function("a", 0x1000, size: 0x10, [MadeEntry(0x0b, "", MadeEntry.Attribute.code(0x1004, size: 4))]),
            function("b", 0x1010, size: 0x10),
            MadeEntry(0x34, "", [.name("v"), .type("int"), .location([0x03, 0, 0x20, 0, 0, 0, 0, 0, 0])]),
        ])
    ])

    /// The whole object again, with other bytes of a section.
    private static func changed(_ object: MadeObject, _ section: String, _ change: (inout [UInt8]) -> Void) -> MadeObject {
        MadeObject(
            sections: object.sections.map { name, bytes in
                var bytes = bytes
                if name == section { change(&bytes) }
                return (name, bytes)
            })
    }

    private static let findings: [(object: MadeObject, message: String)] = [
        (
            MadeObject([unit([function("a", 0x1000, size: 0x10), function("b", 0x100f, size: 0x10)])]),
            "DIEs have overlapping address ranges"
        ),
        (
            MadeObject([unit([function("a", 0x1000, size: 0x10, [MadeEntry(0x0b, "", MadeEntry.Attribute.code(0x100c, size: 8))])])]),
            "DIE address ranges are not contained in its parent's ranges"
        ),
        // `DW_AT_high_pc` as an address below `DW_AT_low_pc`.
        (
            MadeObject([
                unit([
                    MadeEntry(
                        0x2e, "",
                        [
                            .name("a"), .init(name: 0x11, form: 0x01, value: .number(0x1010, size: 8)),
                            .init(name: 0x12, form: 0x01, value: .number(0x1000, size: 8)),
                        ])
                ])
            ]), "Invalid address range [0x0000000000001010, 0x0000000000001000)"
        ),
        // A reference beyond the end of the unit, and one between two entries.
        (reference(0x80), "DW_FORM_ref4 CU offset 0x00000080 is invalid (must be less than CU size of"),
        (reference(0x0d), "invalid DIE reference 0x0000000d. Offset is in between DIEs"),
        // An abbreviation that has an attribute twice.
        (
            MadeObject([unit([MadeEntry(0x34, "", [.name("v"), .name("w")])])]),
            "Abbreviation declaration contains multiple DW_AT_name attributes."
        ),
        // The unit's entry is a type unit's.
        (
            MadeObject([MadeEntry(0x41, "", [.name("a.c")])]),
            "Compilation unit type (DW_UT_compile) and root DIE (DW_TAG_type_unit) do not match."
        ),
        (MadeObject([MadeEntry(0x34, "", [.name("v")])]), "Compilation unit root DIE is not a unit DIE: DW_TAG_variable."),
        // A name beyond the end of the strings.
        (
            MadeObject([unit([], [.init(name: 0x03, form: 0x0e, value: .number(0x10, size: 4))])], sections: [(".debug_str", [0x61, 0])]),
            "DW_FORM_strp offset 16 is beyond .debug_str bounds"
        ),
        // Expressions: an operation that there is not.
        (MadeObject([unit([MadeEntry(0x34, "", [.name("v"), .location([0x01])])])]), "DIE contains invalid DWARF expression"),
        // Lines of no table.
        (
            MadeObject([unit([], [.name("a.c"), .offset(0x10, 0x40)])], sections: [(".debug_line", [0])]),
            "DW_AT_stmt_list offset is beyond .debug_line bounds"
        ),
        // The version, and the size of addresses, of the unit's header.
        (changed(sound, ".debug_info") { $0[4] = 9 }, "The 16 bit unit header version is not valid."),
        (changed(sound, ".debug_info") { $0[7] = 3 }, "The address size is unsupported."),
        (changed(sound, ".debug_info") { $0[0] = 0xf0 }, "The length for this unit is too large for the .debug_info provided."),
    ]

    /// A variable whose type is somewhere in the unit.
    private static func reference(_ offset: UInt64) -> MadeObject {
        MadeObject([unit([MadeEntry(0x34, "", [.init(name: 0x49, form: 0x13, value: .number(offset, size: 4))])], [.name("a.c")])])
    }

    @Test(arguments: findings.indices) func `what DWARF does not allow is found`(number: Int) throws {
        let text = try Self.findings[number].object.verify()
        #expect(text.contains(Self.findings[number].message) && text.hasSuffix("Errors detected.\n"), "\(text)")
    }

    @Test(.enabled(if: MadeObject.isPeerThere, MadeObject.absence), arguments: findings.indices)
    func `LLVM finds the same`(number: Int) throws {
        #expect(try Self.findings[number].object.verify() == Self.findings[number].object.peer(["--verify"]))
    }

    @Test func `nothing is wrong with a sound unit`() throws {
        let text = try Self.sound.verify()
        #expect(text.hasSuffix("No errors.\n") && !text.contains("error:") && !text.contains("warning:"), "\(text)")
    }

    /// The counts of each kind, as `--verify-json` and the summary have them.
    @Test func `findings are counted by their kind`() throws {
        let text = try Self.findings[0].object.verify()
        #expect(text.contains("error: Aggregated error counts:\nerror: DIEs have overlapping address ranges occurred 1 time(s).\n"))
    }
}

/// Ranges of addresses that overlap, found one after the other, beside a search through all.
struct SortedRangesTests {
    @Test(
        arguments: [
            (0, 10, 10, 20, false), (0, 10, 9, 20, true), (5, 6, 0, 10, true), (0, 10, 0, 10, true), (0, 10, 20, 30, false),
            // Empty ranges share nothing.
            (5, 5, 0, 10, false), (0, 10, 5, 5, false), (0, 0, 0, 0, false),
        ] as [(UInt64, UInt64, UInt64, UInt64, Bool)])
    func `half-open ranges overlap where they share a byte`(low: UInt64, high: UInt64, otherLow: UInt64, otherHigh: UInt64, shares: Bool) {
        let (one, other) = (RangeLists.Bounds(low: low, high: high), RangeLists.Bounds(low: otherLow, high: otherHigh))
        #expect(SortedRanges.overlap(one, other) == shares && SortedRanges.overlap(other, one) == shares)
    }

    /// Two thousand functions of sixteen bytes, in three orders: more than one piece holds.
    @Test(arguments: [1, 1999, 777]) func `ranges stay in order, whatever order they come in`(step: UInt64) {
        var ranges = SortedRanges()
        let count: UInt64 = 2000
        for index in 0..<count {
            let low = index * step % count * 16
            #expect(ranges.insert(RangeLists.Bounds(low: low, high: low + 16), owner: Int(low)) == nil)
        }
        #expect(ranges.all.map(\.bounds.low) == (0..<count).map { $0 * 16 })
        // Every one of them is found again by a byte in it.
        for low in stride(from: 0, to: count * 16, by: 16 * 97) {
            let found = ranges.insert(RangeLists.Bounds(low: low + 3, high: low + 4), owner: -1)
            #expect(found?.low == low && found?.high == low + 16)
        }
    }

    @Test func `ranges that overlap become one`() {
        var ranges = SortedRanges()
        #expect(ranges.isEmpty)
        _ = ranges.insert(RangeLists.Bounds(low: 10, high: 20), owner: 1)
        #expect(ranges.insert(RangeLists.Bounds(low: 15, high: 30), owner: 2)?.high == 20)
        #expect(ranges.all.map { [$0.bounds.low, $0.bounds.high] } == [[10, 30]] && !ranges.isEmpty)
    }
}
