import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARFInspection

/// Lists of ranges and of locations (DWARF 5, sections 7.28 and 7.29): an entry of each kind, in
/// the words of llvm-dwarfdump 19, which reads the same bytes.
struct ListsTests {
    /// A header without a table of offsets, and the entries. A unit beside it gives them their
    /// table of addresses (0x1000, 0x2000).
    private static func object(_ section: String, _ base: UInt64, _ entries: (inout ByteWriter) -> Void) -> MadeObject {
        var lists = ByteWriter()
        lists.put(UInt32(0))
        lists.put(UInt16(5))
        lists.bytes += [8, 0]
        lists.put(UInt32(0))
        entries(&lists)
        lists.patch(UInt32(lists.count - 4), at: 0)
        var addresses = ByteWriter()
        addresses.put(UInt32(20))
        addresses.put(UInt16(5))
        addresses.bytes += [8, 0]
        for address in [0x1000, 0x2000] as [UInt64] { addresses.put(address) }
        // `DW_AT_addr_base` leads to the first address.
        let unit = MadeEntry(0x11, "", [.offset(0x73, 8), .offset(base, 12)])
        return MadeObject([unit], sections: [(section, lists.bytes), (".debug_addr", addresses.bytes)])
    }

    private static let ranges = object(".debug_rnglists", 0x74) { lists in
        // An offset pair counts from the base address before it; start and length, and start and
        // end, count from nothing.
        lists.bytes += [0x04, 0x10, 0x20]
        lists.bytes += [0x05]
        lists.put(UInt64(0x4000))
        lists.bytes += [0x04, 0x10, 0x20, 0x06]
        lists.put(UInt64(0x5000))
        lists.put(UInt64(0x5008))
        lists.bytes += [0x07]
        lists.put(UInt64(0x6000))
        lists.bytes += [0x80, 0x01]
        // By indexes of the table: a base, start and end, start and length.
        lists.bytes += [0x01, 0x01, 0x04, 0x00, 0x04, 0x02, 0x00, 0x01, 0x03, 0x01, 0x08, 0x00]
    }

    @Test func `ranges are written with their base added`() throws {
        let lines = try Self.ranges.dump { $0.sections = [.info, .rnglists] }.text.split(separator: "\n").drop { $0 != "ranges:" }
        #expect(
            lines.dropFirst().map { String($0) } == [
                "[0x0000000000000010, 0x0000000000000020)", "[0x0000000000004010, 0x0000000000004020)",
                "[0x0000000000005000, 0x0000000000005008)",
                "[0x0000000000006000, 0x0000000000006080)", "[0x0000000000002000, 0x0000000000002004)",
                "[0x0000000000001000, 0x0000000000002000)",
                "[0x0000000000002000, 0x0000000000002008)", "<End of list>",
            ])
    }

    private static let locations = object(".debug_loclists", 0x8c) { lists in
        // `DW_OP_reg0` wherever an expression follows.
        lists.bytes += [0x06]
        lists.put(UInt64(0x4000))
        lists.bytes += [0x04, 0x10, 0x20, 1, 0x50, 0x07]
        lists.put(UInt64(0x5000))
        lists.put(UInt64(0x5008))
        lists.bytes += [1, 0x50, 0x08]
        lists.put(UInt64(0x6000))
        lists.bytes += [
            0x10, 1, 0x50, 0x05, 1, 0x51, 0x01, 0x01, 0x04, 0x00, 0x04, 2, 0x30, 0x9f, 0x02, 0x00, 0x01, 1, 0x50, 0x03, 0x01, 0x08, 1, 0x50,
            0,
        ]
    }

    @Test func `locations are written with their ranges and expressions`() throws {
        let text = try Self.locations.dump { $0.sections = [.info, .loclists] }.text
        // Ranges are written as they are; by indexes they are not, because a section does not say
        // whose table of addresses it is.
        let expected = [
            "[0x0000000000004010, 0x0000000000004020): DW_OP_reg0 RAX", "[0x0000000000005000, 0x0000000000005008): DW_OP_reg0 RAX",
            "[0x0000000000006000, 0x0000000000006010): DW_OP_reg0 RAX", "<default>: DW_OP_reg1 RDX",
            "DW_LLE_base_addressx   (0x0000000000000001)",
            "DW_LLE_offset_pair     (0x0000000000000000, 0x0000000000000004): DW_OP_lit0, DW_OP_stack_value",
            "DW_LLE_startx_endx     (0x0000000000000000, 0x0000000000000001): DW_OP_reg0 RAX",
            "DW_LLE_startx_length   (0x0000000000000001, 0x0000000000000008): DW_OP_reg0 RAX",
        ]
        #expect(text.split(separator: "\n").suffix(8).map { String($0.drop { $0 == " " }) } == expected)
    }

    @Test(
        .enabled(if: MadeObject.isPeerThere, MadeObject.absence),
        arguments: [["--debug-info", "--debug-rnglists"], ["-v", "--debug-info", "--debug-rnglists"]])
    func `LLVM writes the same of ranges`(arguments: [String]) throws {
        let ours = try Self.ranges.dump { ($0.sections, $0.isVerbose) = ([.info, .rnglists], arguments[0] == "-v") }.text
        #expect(try ours == Self.ranges.peer(arguments))
    }

    @Test(
        .enabled(if: MadeObject.isPeerThere, MadeObject.absence),
        arguments: [["--debug-info", "--debug-loclists"], ["-v", "--debug-info", "--debug-loclists"]])
    func `LLVM writes the same of locations`(arguments: [String]) throws {
        let ours = try Self.locations.dump { ($0.sections, $0.isVerbose) = ([.info, .loclists], arguments[0] == "-v") }.text
        #expect(try ours == Self.locations.peer(arguments))
    }

    /// Each is an entry of a kind that there is not, or one that ends early.
    @Test(arguments: [[0x09], [0x05, 1, 2], [0x04, 0x80], [0x07, 0, 0, 0, 0, 0, 0, 0, 0]] as [[UInt8]])
    func `a list that cannot be read is a problem`(bytes: [UInt8]) throws {
        let object = Self.object(".debug_rnglists", 0x74) { $0.bytes += bytes }
        #expect(try object.dump { $0.sections = [.info, .rnglists] }.problems.count == 1)
    }
}

/// How often lists that entries share are read when debug information is dumped
/// (`Limits.listReading`).
struct ListAllowanceTests {
    /// A section of 64 KB or more has a multiple of its bytes; a smaller one counts as if it had 64 KB.
    @Test(arguments: [(1, 65_536), (65_536, 65_536), (65_537, 65_537)])
    func `lists are read so many times the bytes of their section`(size: Int, counted: Int) {
        let maximum = counted * Limits.standard.listReading
        var said = 0
        let allowance = ListAllowance(size, factor: Limits.standard.listReading) { said += 1 }
        allowance.spend(maximum - 1)
        #expect(allowance.isLeft && said == 0)
        allowance.spend(1)
        #expect(!allowance.isLeft && !allowance.isLeft && said == 1)
    }

    @Test func `no size and no length is too large to count`() {
        let allowance = ListAllowance(.max, factor: 1) {}
        allowance.spend(.max - 1)
        #expect(allowance.isLeft)
        allowance.spend(-1)
        #expect(allowance.isLeft)
        allowance.spend(.max)
        #expect(!allowance.isLeft)
    }
}
