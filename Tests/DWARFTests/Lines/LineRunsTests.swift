import BinaryPrimitives
import Testing

@testable import DWARF

/// A line program is run for some addresses (`LineProgram`, which `LineProgramTests` compares with
/// the standard), for a whole unit's index, for all lines and for all rows: with one result.
struct LineRunsTests {
    private static let addresses = (0x0ff8..<0x1088).map { UInt64($0) }

    private static func program(_ build: (inout LineBuilder) -> Void) -> LineBuilder {
        var line = LineBuilder()
        build(&line)
        return line
    }

    /// Rows out of order, sequences over one another, long operands, operations that share an
    /// instruction, removed code, a set address in a sequence, no end.
    private static var programs: [LineBuilder] {
        [
            program { line in
                line.setAddress(0x1000)
                line.opcode(LineOpcode.setColumn, 3)
                line.advanceLine(20)
                line.copy()
                for step in 1...9 { line.special(lines: step % 4 - 2, operations: step) }
                line.opcode(LineOpcode.setFile, 2)
                line.opcode(LineOpcode.setColumn, 300)
                line.advanceLine(1000)
                line.copy()
                line.opcode(LineOpcode.advancePC, 5)
                line.endSequence()
            },
            program { line in
                line.maximumOperations = 3
                line.minimumInstructionLength = 16
                line.setAddress(0x1000)
                line.copy()
                for step in 1...5 { line.special(lines: step, operations: step) }
                line.fixedAdvancePC(3)
                line.endSequence()
            },
            program { line in
                for start in [0x1040, 0x1010, 0x1020, UInt64.max, 0] as [UInt64] {
                    line.setAddress(start)
                    line.advanceLine(Int64(start & 0xff))
                    line.copy()
                    line.opcode(6)
                    line.opcode(7)
                    line.opcode(LineOpcode.constAddPC)
                    line.special(lines: 1, operations: 2)
                    line.opcode(LineOpcode.advancePC, 20)
                    line.endSequence()
                }
            },
            program { line in
                line.setAddress(0x1030)
                line.special(lines: 1, operations: 8)
                line.setAddress(0x1010)
                line.special(lines: 1, operations: 8)
                line.setAddress(0x1050)
                line.extended(4, [7])
                line.special(lines: 1, operations: 8)
            },
            // The second row says what the first does, and the third goes back to an address before
            // the second.
            program { line in
                line.setAddress(0x1010)
                line.copy()
                line.opcode(LineOpcode.advancePC, 0x20)
                line.copy()
                line.setAddress(0x1020)
                line.advanceLine(4)
                line.copy()
                line.opcode(LineOpcode.advancePC, 0x20)
                line.endSequence()
            },
            // The sequence ends before its last row.
            program { line in
                line.setAddress(0x1010)
                line.copy()
                line.special(lines: 1, operations: 16)
                line.setAddress(0x1018)
                line.endSequence()
            },
            // Removed code in the middle of a sequence: at zero, and at the largest address.
            removedInside(0), removedInside(.max), removedInside(0, count: 2), removedInside(.max, count: 3),
        ]
    }

    /// Two live functions of one sequence, at 0x1000 and 0x1020, and between them some that the linker removed.
    private static func removedInside(_ tombstone: UInt64, count: Int = 1) -> LineBuilder {
        program { line in
            line.setAddress(0x1000)
            line.advanceLine(9)  // 10
            line.copy()
            line.special(lines: 1, operations: 4)  // 11 at 0x1004
            for number in 1...count {
                line.setAddress(tombstone)
                line.advanceLine(number == 1 ? 90 : -1)  // 101
                line.copy()
                line.special(lines: 1, operations: 8)  // 102
            }
            line.setAddress(0x1020)
            line.advanceLine(-80)  // 22
            line.copy()
            line.setAddress(0x1030)
            line.endSequence()
        }
    }

    /// The rows of removed code are none, and what is before them reaches to the next function's: by hand.
    @Test(arguments: [0, UInt64.max], 1...3)
    func `rows of removed code in a sequence cover nothing`(tombstone: UInt64, count: Int) throws {
        let reader = DWARFReader(try Self.removedInside(tombstone, count: count).sections())
        let lines = reader.results(for: [0xfff, 0x1000, 0x1003, 0x1004, 0x101f, 0x1020, 0x102f, 0x1030].map { LinkAddress($0) }).map {
            $0.location?.line
        }
        #expect(lines == [nil, 10, 10, 11, 11, 22, 22, nil])
    }

    @Test(arguments: 0..<10) func `all runs of a program tell the same of each address`(number: Int) throws {
        let sections = try Self.programs[number].sections()
        let reader = DWARFReader(sections)
        let direct = reader.results(for: Self.addresses.map { LinkAddress($0) }).map { result in
            result.location.map { "\($0.file):\($0.line):\($0.column)" }
        }
        #expect(direct.contains { $0 != nil })

        var collector = try WholeUnitCollector(reader, try NameKeys(reader.sections, first: 1), readsCalls: false)
        let header = try UnitTable(sections).header(at: 0)
        try collector.collect(OwnedUnit(loaded: .init(header: header, use: .init(number: 0, ranges: [0x1000..<0x9000]), buffer: nil)))
        let collected = Self.addresses.map { address -> String? in
            guard address >= 0x1000, let index = collector.rowStarts.lastIndex(where: { $0 <= address }) else { return nil }
            let row = collector.rows[index]
            guard row != PackedRow.none else { return nil }
            let path = collector.paths.paths[Int(collector.files[PackedRow.file(row)])]
            return "\(path):\(PackedRow.line(row)):\(PackedRow.column(row))"
        }
        #expect(collected == direct)

        var lines: [String?] = Self.addresses.map { _ in nil }
        let problems = FunctionEnumeration(reader).forEachUnit(.everything) { unit in
            for (index, address) in Self.addresses.enumerated() where address >= 0x1000 {
                guard let line = unit.lines.first(where: { $0.range.contains(address) }), let file = line.file else { continue }
                lines[index] = "\(unit.files[file]):\(line.line):\(line.column)"
            }
        }
        #expect(problems.isEmpty)
        #expect(lines == direct)
    }

    /// Sequences that begin below the unit's code, at 0xff0 and, where no address is set, at zero, before one in it; the last goes back.
    private static let sequencesBelow = ([0xff0, nil] as [UInt64?]).map { start in
        program { line in
            if let start { line.setAddress(start) }
            line.advanceLine(49)  // 50
            line.copy()
            line.opcode(LineOpcode.advancePC, 0x1060)
            line.endSequence()
            line.setAddress(0x1000)
            line.advanceLine(59)  // 60
            line.copy()
            line.setAddress(0x1010)
            line.endSequence()
            line.setAddress(0x1030)
            line.advanceLine(69)  // 70
            line.copy()
            line.setAddress(0x1040)
            line.copy()
            line.setAddress(0x1020)
            line.endSequence()
        }
    }

    /// A sequence in the unit's code comes before one that begins elsewhere, which is used only where there is no other.
    @Test(arguments: [0, 1]) func `sequences below the unit's code are used last`(number: Int) throws {
        let reader = DWARFReader(try Self.sequencesBelow[number].sections())
        let lines = reader.results(for: [0x1000, 0x100f, 0x1010, 0x1030, 0x103f].map { LinkAddress($0) }).map { $0.location?.line }
        #expect(lines == [60, 60, 50, 70, 70])
    }

    @Test(arguments: 0..<12) func `an address has one row, whichever are looked up with it`(number: Int) throws {
        let reader = DWARFReader(try (Self.programs + Self.sequencesBelow)[number].sections())
        let together = reader.results(for: Self.addresses.map { LinkAddress($0) }).map(\.location)
        let alone = Self.addresses.map { reader.results(for: [LinkAddress($0)])[0].location }
        #expect(together == alone)
    }

    /// DWARF 5, section 6.2.5.1: address += length * ((op_index + advance) / operations), op_index
    /// = (op_index + advance) % operations.
    @Test func `all rows are told with their addresses and discriminators`() throws {
        var line = LineBuilder()
        line.maximumOperations = 3
        line.minimumInstructionLength = 16
        line.setAddress(0x1000)
        line.extended(4, [7])  // set_discriminator, for the next row alone
        line.copy()
        line.special(lines: 1, operations: 2)  // operation 2 of 0x1000
        line.special(lines: 1, operations: 2)  // 2 + 2 = 4: 0x1010, operation 1
        line.opcode(LineOpcode.advancePC, 5)  // 1 + 5 = 6: 0x1030, operation 0
        line.endSequence()
        line.setAddress(0x2000)
        line.copy()
        let rows = try #require(try DWARFReader(try line.sections()).lineRows(ofUnitAt: 0)).rows
        #expect(rows.map(\.address.value) == [0x1000, 0x1000, 0x1010, 0x1030, 0x2000])
        #expect(rows.map(\.line) == [1, 2, 3, 3, 1])
        #expect(rows.map(\.discriminator) == [7, 0, 0, 0, 0])
        #expect(rows.map(\.endsSequence) == [false, false, false, true, false])
    }
}
