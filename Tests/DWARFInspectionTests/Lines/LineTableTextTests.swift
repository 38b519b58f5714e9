import TestSupport
import Testing

@testable import DWARFInspection

/// Line programs (DWARF 5, section 6.2): rows by the standard's arithmetic, and the same text as
/// llvm-dwarfdump 19's.
struct LineTableTextTests {
    /// A table of version 4 with one file. Special opcodes go from 13 on: 14 lines from -5 on for
    /// each advance of the address.
    private static func table(instructionSize: UInt8 = 1, operations: UInt8 = 1, _ program: [UInt8]) -> [UInt8] {
        var header = ByteWriter()
        header.bytes = [instructionSize, operations, 1, UInt8(bitPattern: -5), 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]
        // No directories; one file, of which neither time nor size is known.
        header.put(UInt8(0))
        header.put(text: "a.c")
        header.bytes += [0, 0, 0, 0]
        var table = ByteWriter()
        table.put(UInt32(0))
        table.put(UInt16(4))
        table.put(UInt32(header.count))
        table.bytes += header.bytes + program
        table.patch(UInt32(table.count - 4), at: 0)
        return table.bytes
    }

    /// `DW_LNE_set_address`
    private static func address(_ address: UInt64) -> [UInt8] {
        var bytes = ByteWriter()
        bytes.bytes = [0, 9, 2]
        bytes.put(address)
        return bytes.bytes
    }

    private static let end: [UInt8] = [0, 1, 1]

    /// A unit whose `DW_AT_stmt_list` is the table.
    private static func object(_ table: [UInt8]) -> MadeObject {
        MadeObject([MadeEntry(0x11, "", [.name("a.c"), .offset(0x10, 0)])], sections: [(".debug_line", table)])
    }

    private static let programs: [(table: [UInt8], rows: [String])] = [
        // The row of `DW_LNS_copy`; +2 bytes and +1 line is (1 + 5) + 14 * 2 + 13 = 47; line by
        // line back: (-5 + 5) + 13 = 13.
        (table(address(0x1000) + [3, 9, 1, 47, 13] + end), ["0x1000 10", "0x1002 11", "0x1002 6", "0x1002 6 end"]),
        // `DW_LNS_const_add_pc` advances as opcode 255 does: (255 - 13) / 14 = 17.
        // `DW_LNS_fixed_advance_pc` and `DW_LNS_advance_pc`.
        (table(address(0x1000) + [8, 1, 9, 0x34, 0x12, 1, 2, 0x80, 0x01, 1] + end), ["0x1011 1", "0x2245 1", "0x22c5 1", "0x22c5 1 end"]),
        // Instructions of four bytes: addresses advance by them, but not by fixed advances.
        (
            table(instructionSize: 4, address(0x1000) + [2, 3, 1, 9, 2, 0, 1, 33] + end),
            ["0x100c 1", "0x100e 1", "0x1012 2", "0x1012 2 end"]
        ),
        // Two operations in an instruction (section 6.2.5.1): +3 from operation 0 is instruction 1,
        // operation 1; +1 more is instruction 2.
        (
            table(instructionSize: 4, operations: 2, address(0x1000) + [2, 3, 1, 2, 1, 1] + end),
            ["0x1004 1 operation 1", "0x1008 1", "0x1008 1 end"]
        ),
        // Flags of a row, which the next row does not have: column 7, block, prologue, epilogue, discriminator 9, instruction set 2.
        (
            table(address(0x1000) + [5, 7, 6, 7, 10, 11, 12, 2, 0, 2, 4, 9, 1, 1] + end),
            [
                "0x1000 1:7 block prologue epilogue not-statement discriminator 9 isa 2", "0x1000 1:7 not-statement isa 2",
                "0x1000 1:7 not-statement isa 2 end",
            ]
        ),
        // A sequence begins anew; an opcode that the standard does not have has as many operands as
        // the header says.
        (
            table(address(0x2000) + [3, 0x7f, 1] + end + address(0x1000) + [1] + end),
            ["0x2000 0", "0x2000 0 end", "0x1000 1", "0x1000 1 end"]
        ),
    ]

    private func rows(_ table: [UInt8]) throws -> [String] {
        let text = try Self.object(table).dump { ($0.sections, $0.isJSON) = ([.line], true) }.text
        return text.split(separator: "\n").filter { $0.hasPrefix("{\"row\":") }.map { line in
            func value(_ key: String) -> Substring? {
                guard let range = line.firstRange(of: "\"\(key)\":") else { return nil }
                return line[range.upperBound...].prefix { $0 != "," && $0 != "}" }
            }
            let digits = (value("address") ?? "").drop { $0 == "\"" || $0 == "0" || $0 == "x" }.dropLast()
            var row = "0x\(digits) \(value("line") ?? "")"
            if let column = value("column"), column != "0" { row += ":" + column }
            for (key, word) in [
                ("beginsBlock", " block"), ("endsPrologue", " prologue"), ("beginsEpilogue", " epilogue"),
            ] where value(key) == "true" { row += word }
            if value("isStatement") == "false" { row += " not-statement" }
            for (key, word) in [("discriminator", "discriminator"), ("isa", "isa"), ("operationIndex", "operation")] {
                if let number = value(key) { row += " \(word) \(number)" }
            }
            return row + (value("endsSequence") == "true" ? " end" : "")
        }
    }

    @Test(arguments: programs.indices) func `a program's rows are those of the standard`(number: Int) throws {
        #expect(try rows(Self.programs[number].table) == Self.programs[number].rows)
    }

    @Test(.enabled(if: MadeObject.isPeerThere, MadeObject.absence), arguments: programs.indices, [false, true])
    func `LLVM writes the same table`(number: Int, isVerbose: Bool) throws {
        let object = Self.object(Self.programs[number].table)
        let ours = try object.dump { ($0.sections, $0.isVerbose) = ([.line], isVerbose) }.text
        #expect(try ours == object.peer(["--debug-line"] + (isVerbose ? ["-v"] : [])))
    }

    /// The length leads past the section's end; the header does; the program ends in an opcode.
    @Test(arguments: [(0, 0xff), (6, 0xff), (4, 0x07)] as [(Int, UInt8)])
    func `a table that cannot be read is a problem`(offset: Int, byte: UInt8) throws {
        var table = Self.programs[0].table
        table[offset] = byte
        for isJSON in [false, true] {
            #expect(try !Self.object(table).dump { ($0.sections, $0.isJSON) = ([.line], isJSON) }.problems.isEmpty)
        }
    }
}
