import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// Line programs (DWARF 5, section 6.2.5), searched for the row at an address. Every program begins
/// in the first file, at line 1.
struct LineProgramTests {
    @Test(arguments: [2, 3, 4, 5] as [UInt16], [ByteOrder.littleEndian, .bigEndian])
    func `a row covers the addresses up to the next row, and the last one those up to the end of the sequence`(
        version: UInt16, order: ByteOrder
    ) throws {
        var line = LineBuilder(version, order)
        line.opcode(LineOpcode.setFile, version >= 5 ? 0 : 1)
        line.setAddress(0x1000)
        line.advanceLine(9)
        line.opcode(LineOpcode.setColumn, 3)
        line.copy()
        line.special(lines: 2, operations: 4)  // line 12 at 0x1004
        line.opcode(LineOpcode.advancePC, 8)
        line.endSequence()  // at 0x100c
        let sections = try line.sections()
        #expect(sections.location(0x1000) == "/src/a.c:10:3")
        #expect(sections.location(0x1003) == "/src/a.c:10:3")
        #expect(sections.location(0x1004) == "/src/a.c:12:3")
        #expect(sections.location(0x100b) == "/src/a.c:12:3")
        #expect(sections.location(0x100c) == nil)
    }

    @Test func `files count from 1 before version 5, from 0 since`() throws {
        for (version, name) in [(4, "/src/a.c"), (5, "/src/b.c")] as [(UInt16, String)] {
            var line = LineBuilder(version)
            line.setAddress(0x1000)
            line.copy()
            line.opcode(LineOpcode.advancePC, 1)
            line.endSequence()
            #expect(try line.sections().location(0x1000) == name + ":1:0")
        }
    }

    @Test func `a special opcode may go back in lines`() throws {
        var line = LineBuilder()
        line.setAddress(0x1000)
        line.advanceLine(99)
        line.copy()
        line.special(lines: -5, operations: 1)
        line.opcode(LineOpcode.advancePC, 1)
        line.endSequence()
        #expect(try line.sections().location(0x1001) == "/src/a.c:95:0")
    }

    /// One byte holds -64 to 63, two hold -8192 to 8191 (DWARF 5, section 7.6).
    @Test(arguments: [-1, -64, -65, -100, -8192, -8193, 63, 64, 8191, 8192] as [Int64])
    func `lines advance by signed numbers of any length`(lines: Int64) throws {
        var line = LineBuilder()
        line.setAddress(0x1000)
        line.advanceLine(19_999)
        line.copy()
        line.advanceLine(lines)
        line.special(lines: 0, operations: 1)
        line.opcode(LineOpcode.advancePC, 1)
        line.endSequence()
        let sections = try line.sections()
        #expect(sections.location(0x1000) == "/src/a.c:20000:0")
        #expect(sections.location(0x1001) == "/src/a.c:\(20_000 + lines):0")
    }

    @Test func `const_add_pc advances as special opcode 255 does, without a row`() throws {
        var line = LineBuilder()
        line.lineRange = 11
        line.setAddress(0x1000)
        line.copy()
        line.opcode(LineOpcode.constAddPC)  // (255 - 13) / 11 = 22
        line.special(lines: 1, operations: 1)  // line 2 at 0x1017
        line.opcode(LineOpcode.advancePC, 1)
        line.endSequence()
        let sections = try line.sections()
        #expect(sections.location(0x1016) == "/src/a.c:1:0")
        #expect(sections.location(0x1017) == "/src/a.c:2:0")
    }

    @Test func `advance_pc counts instructions, fixed_advance_pc bytes`() throws {
        var line = LineBuilder()
        line.minimumInstructionLength = 4
        line.setAddress(0x1000)
        line.copy()
        line.opcode(LineOpcode.advancePC, 2)
        line.advanceLine(1)
        line.copy()  // line 2 at 0x1000 + 2 * 4
        line.fixedAdvancePC(6)
        line.advanceLine(1)
        line.copy()  // line 3 at 0x1008 + 6
        line.special(lines: 1, operations: 3)  // line 4 at 0x100e + 3 * 4
        line.opcode(LineOpcode.advancePC, 1)
        line.endSequence()  // at 0x101a + 4
        let sections = try line.sections()
        #expect(sections.location(0x1007) == "/src/a.c:1:0")
        #expect(sections.location(0x1008) == "/src/a.c:2:0")
        #expect(sections.location(0x100d) == "/src/a.c:2:0")
        #expect(sections.location(0x100e) == "/src/a.c:3:0")
        #expect(sections.location(0x101a) == "/src/a.c:4:0")
        #expect(sections.location(0x101e) == nil)
    }

    /// DWARF 5, section 6.2.5.1: address += length * ((op_index + advance) / operations), op_index
    /// = (op_index + advance) % operations.
    @Test func `on VLIW machines several operations share an instruction`() throws {
        var line = LineBuilder()
        line.maximumOperations = 3
        line.minimumInstructionLength = 16
        line.setAddress(0x1000)
        line.copy()
        line.special(lines: 1, operations: 2)  // line 2: operation 2 of 0x1000
        line.special(lines: 1, operations: 2)  // line 3: 2 + 2 = 4: 0x1010, operation 1
        line.opcode(LineOpcode.advancePC, 5)  // 1 + 5 = 6: 0x1030, operation 0
        line.advanceLine(1)
        line.copy()  // line 4
        line.opcode(LineOpcode.advancePC, 2)  // operation 2
        line.fixedAdvancePC(16)  // 0x1040, operation 0
        line.opcode(LineOpcode.advancePC, 2)  // 0 + 2: still 0x1040
        line.endSequence()
        let sections = try line.sections()
        #expect(sections.location(0x1000) == "/src/a.c:2:0")
        #expect(sections.location(0x1010) == "/src/a.c:3:0")
        #expect(sections.location(0x102f) == "/src/a.c:3:0")
        #expect(sections.location(0x1030) == "/src/a.c:4:0")
        #expect(sections.location(0x103f) == "/src/a.c:4:0")
        #expect(sections.location(0x1040) == nil)
    }

    @Test func `the sequences of a program may come in any order, and do not cover what lies between them`() throws {
        var line = LineBuilder()
        for (start, number) in [(0x3000, 30), (0x1000, 10)] as [(UInt64, Int64)] {
            line.setAddress(start)
            line.advanceLine(number - 1)
            line.copy()
            line.opcode(LineOpcode.advancePC, 0x10)
            line.endSequence()
        }
        let sections = try line.sections()
        let addresses = [0x1000, 0x100f, 0x1010, 0x2fff, 0x3000, 0x300f, 0x3010].map { LinkAddress($0) }
        // All at once, as for a report.
        let lines = DWARFReader(sections).results(for: addresses).map { $0.location?.line }
        #expect(lines == [10, 10, nil, nil, 30, 30, nil])
        #expect(addresses.map { sections.result($0.value).location?.line } == lines)
    }

    @Test func `of several rows at one address the last counts`() throws {
        var line = LineBuilder()
        line.setAddress(0x1000)
        line.copy()
        line.special(lines: 4, operations: 0)
        line.special(lines: 2, operations: 0)  // line 7
        line.opcode(LineOpcode.advancePC, 4)
        line.endSequence()
        #expect(try line.sections().location(0x1002) == "/src/a.c:7:0")
    }

    @Test func `line 0 is an answer: the compiler attributes the code to no line`() throws {
        var line = LineBuilder()
        line.setAddress(0x1000)
        line.advanceLine(-1)
        line.copy()
        line.opcode(LineOpcode.advancePC, 4)
        line.endSequence()
        #expect(try line.sections().location(0x1000) == "/src/a.c:0:0")
    }

    @Test func `the address may be set again within a sequence, and the row before it ends there`() throws {
        var line = LineBuilder()
        for step in 0..<3 {
            line.setAddress(0x1000 + UInt64(step) * 8)
            line.special(lines: 1, operations: 0)
        }
        line.setAddress(0x1020)
        line.endSequence()
        let sections = try line.sections()
        // Each is looked up alone: the address that is set is beyond everything wanted.
        #expect(sections.location(0x1004) == "/src/a.c:2:0")
        #expect(sections.location(0x100c) == "/src/a.c:3:0")
        #expect(sections.location(0x101f) == "/src/a.c:4:0")
        #expect(sections.location(0x1020) == nil)
    }

    @Test func `unknown opcodes are passed over by their lengths`() throws {
        var line = LineBuilder()
        line.operandCounts.append(2)  // opcode 13 is a standard one of a later version, with two operands
        line.setAddress(0x1000)
        line.opcode(13, 300, 0x7fff_ffff)
        line.extended(0x80, [1, 2, 3, 4, 5])  // DW_LNE_lo_user
        line.extended(4, [7])  // set_discriminator
        line.advanceLine(6)
        line.copy()
        line.opcode(LineOpcode.advancePC, 4)
        line.endSequence()
        #expect(try line.sections().location(0x1000) == "/src/a.c:7:0")
    }

    @Test func `an unknown opcode of three operands is passed over with all of them`() throws {
        var line = LineBuilder()
        line.operandCounts.append(3)  // opcode 13
        line.setAddress(0x1000)
        // Executed, the last operand would begin an extended opcode, and take the next ones for its length and operands.
        line.opcode(13, 300, 2, 0)
        line.advanceLine(6)
        line.copy()  // line 1 + 6
        line.opcode(LineOpcode.advancePC, 4)
        line.endSequence()
        line.setAddress(0x2000)
        line.copy()
        line.opcode(LineOpcode.advancePC, 4)
        line.endSequence()
        let sections = try line.sections()
        #expect(sections.location(0x1000) == "/src/a.c:7:0")
        #expect(sections.location(0x1004) == nil)
        // For this one the first sequence is passed over.
        #expect(sections.location(0x2000) == "/src/a.c:1:0")
    }

    @Test func `opcodes that a version 2 header does not have are special ones`() throws {
        var line = LineBuilder(2)
        line.operandCounts = [0, 1, 1, 1, 1, 0, 0, 0, 1]  // opcode_base 10, as gcc of 2001 wrote
        line.lineBase = -1
        line.lineRange = 4
        line.setAddress(0x1000)
        line.opcode(12)  // 12 - 10 = 2: 2 / 4 = 0 bytes, -1 + 2 % 4 = 1 line
        line.opcode(10)  // 0 bytes, -1 line
        line.opcode(255)  // 245 / 4 = 61 bytes, -1 + 245 % 4 = 0 lines
        line.opcode(LineOpcode.advancePC, 1)
        line.endSequence()
        let sections = try line.sections()
        #expect(sections.location(0x1000) == "/src/a.c:1:0")
        #expect(sections.location(0x103d) == "/src/a.c:1:0")
        #expect(sections.location(0x103e) == nil)
    }

    @Test func `code that the linker removed covers nothing`() throws {
        for tombstone in [0, UInt64.max, UInt64.max - 1] {
            var line = LineBuilder()
            line.setAddress(tombstone)
            line.copy()
            line.opcode(LineOpcode.advancePC, 0x5000)  // would wrap into, or reach, the code below
            line.endSequence()
            line.setAddress(0x1000)
            line.advanceLine(1)
            line.copy()
            line.opcode(LineOpcode.advancePC, 4)
            line.endSequence()
            #expect(try line.sections().location(0x1000) == "/src/a.c:2:0", "removed code at \(tombstone)")
        }
    }

    @Test func `a program that is cut off answers what came before, with the reason for the rest`() throws {
        var line = LineBuilder()
        line.setAddress(0x1000)
        line.copy()
        line.special(lines: 1, operations: 4)
        line.opcode(LineOpcode.fixedAdvancePC)  // without its operand
        let sections = try line.sections()
        #expect(sections.location(0x1000) == "/src/a.c:1:0")
        let result = sections.result(0x1004)
        #expect(result.location == nil)
        #expect(result.problem?.section == ".debug_line")
        #expect(result.problem?.problem.contains("2 more bytes") == true)
    }

    /// The unit's code is in two pieces, and its first sequence runs from one over into the
    /// other, which has a sequence of its own: the first is passed over for 0x1010 alone, and run
    /// for the sake of 0x810.
    @Test func `an address has the same line alone and among others`() throws {
        var line = LineBuilder(4)
        line.setAddress(0x800)
        line.advanceLine(6)
        line.copy()
        line.opcode(LineOpcode.advancePC, 0x1000)
        line.endSequence()
        line.setAddress(0x1000)
        line.advanceLine(9)
        line.copy()
        line.opcode(LineOpcode.advancePC, 0x100)
        line.endSequence()
        var info = InfoBuilder()
        info.add(
            Entry(
                Tag.compileUnit, nil,
                [
                    (Attribute.name, .string("a.c")), (Attribute.lowPC, .addr(0)), (Attribute.ranges, .secOffset(0)),
                    (Attribute.stmtList, .data4(0)),
                ], children: []))
        var ranges = ByteWriter()
        for address in [0x800, 0x900, 0x1000, 0x9000, 0, 0] as [UInt64] { ranges.put(address) }
        let sections = try info.sections([.line: line.build(), .ranges: ranges.bytes])
        // The second sequence's row: line 1 and 9 more. The first one's, line 1 and 6 more, where
        // no other has a row.
        #expect(sections.result(0x1010).location?.line == 10)
        let together = DWARFReader(sections).results(for: [0x810, 0x1010, 0x1400].map { LinkAddress($0) })
        #expect(together.map { $0.location?.line } == [7, 10, 7])
    }

    /// A header that says that `DW_LNS_copy` has an operand: nobody writes that, and no reader
    /// believes it, neither where the sequence is run nor where it is passed over.
    @Test func `opcodes of the standard have the standard's operands`() throws {
        var line = LineBuilder(4)
        line.operandCounts[0] = 1
        for start: UInt64 in [0x1000, 0x2000] {
            line.setAddress(start)
            line.copy()
            line.advanceLine(4)
            line.opcode(LineOpcode.advancePC, 0x10)
            line.copy()
            line.opcode(LineOpcode.advancePC, 0x10)
            line.endSequence()
        }
        // For 0x2014 the first sequence is skipped after its second row.
        #expect(try line.sections().location(0x2014) == "/src/a.c:5:0")
    }
}
