import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// Abbreviation tables (DWARF 5, section 7.5.3).
struct AbbreviationTests {
    private let sizes = FormSizes(addressSize: 8, offsetSize: 4, version: 5, byteOrder: .littleEndian)

    /// One abbreviation of a table.
    private func declare(_ code: UInt64, _ tag: UInt16, children: Bool, _ attributes: [(UInt16, UInt16)]) -> [UInt8] {
        var bytes = ByteWriter()
        bytes.putULEB128(code)
        bytes.putULEB128(UInt64(tag))
        bytes.put(UInt8(children ? 1 : 0))
        for (name, form) in attributes {
            bytes.putULEB128(UInt64(name))
            bytes.putULEB128(UInt64(form))
        }
        return bytes.bytes + [0, 0]
    }

    private func table(_ bytes: [UInt8], at offset: Int = 0, limits: Limits = .standard) throws(DWARFError) -> AbbreviationTable {
        try AbbreviationTable(bytes.span.rawBytes, at: offset, sizes, limits: limits)
    }

    @Test func `codes that count up from one and others are both found`() throws {
        let bytes =
            declare(1, Tag.compileUnit, children: true, []) + declare(2, Tag.subprogram, children: false, [])
            + declare(700, Tag.lexicalBlock, children: true, []) + declare(.max, Tag.namespace, children: false, []) + [0]
        let table = try table(bytes)
        #expect(table.abbreviation(1)?.tag == Tag.compileUnit)
        #expect(table.abbreviation(1)?.hasChildren == true)
        #expect(table.abbreviation(2)?.tag == Tag.subprogram)
        #expect(table.abbreviation(2)?.hasChildren == false)
        #expect(table.abbreviation(700)?.tag == Tag.lexicalBlock)
        #expect(table.abbreviation(.max)?.tag == Tag.namespace)
        for code in [0, 3, 699, 701] as [UInt64] { #expect(table.abbreviation(code) == nil) }
    }

    /// A root entry's table is used again for the next unit where its declaration is the same.
    @Test func `a declaration is the same where each byte of it is, after others too`() throws {
        let root: [(UInt16, UInt16)] = [(Attribute.name, Form.strp), (Attribute.lowPC, Form.addr), (Attribute.highPC, Form.data4)]
        let other = declare(5, Tag.subprogram, children: true, [(Attribute.name, Form.strp)])
        let tables: [(bytes: [UInt8], isSame: Bool)] = [
            (declare(1, Tag.compileUnit, children: true, root), true),
            (other + declare(1, Tag.compileUnit, children: true, root), true),
            (other + declare(1, Tag.compileUnit, children: false, root), false),
            (declare(1, Tag.compileUnit, children: true, root.dropLast()), false),
            (declare(1, Tag.compileUnit, children: true, root + [(Attribute.ranges, Form.rnglistx)]), false),
            (declare(1, Tag.compileUnit, children: true, root.dropLast() + [(Attribute.highPC, Form.data8)]), false),
            (declare(2, Tag.compileUnit, children: true, root), false),
            (other, false),
        ]
        let section = tables.reduce(into: []) { $0 += $1.bytes + [0] }
        let first = try AbbreviationTable(section.span.rawBytes, at: 0, sizes, only: 1)
        var offset = 0
        for (bytes, isSame) in tables {
            let found = first.isDeclared(1, at: offset, of: section.span.rawBytes)
            #expect(found == isSame, "at \(offset)")
            offset += bytes.count + 1
        }
        // Cut off in the declaration, and beyond the section.
        let cut = Array(tables[0].bytes.dropLast())
        let isInCut = first.isDeclared(1, at: 0, of: cut.span.rawBytes)
        let isBeyond = first.isDeclared(1, at: section.count + 1, of: section.span.rawBytes)
        #expect(!isInCut && !isBeyond)
    }

    /// Declarations before the wanted one are passed four attributes at a time. Attributes in the
    /// way are those with a value in the declaration, and those with numbers of two bytes.
    @Test(arguments: [
        [UInt8(Attribute.constValue), UInt8(Form.implicitConst), 0x80, 0], [0x80, 0x40, UInt8(Form.data1)], [0, 1], [1, 0],
    ])
    func `a declaration is found after others of any length`(special: [UInt8]) throws {
        let root = declare(3, Tag.compileUnit, children: true, [(Attribute.name, Form.strp), (Attribute.ranges, Form.secOffset)])
        let plain: [UInt8] = [UInt8(Attribute.name), UInt8(Form.strp)]
        for count in 0...12 {
            for position in 0...count {
                let before = Array(repeatElement(plain, count: position).joined())
                let after = Array(repeatElement(plain, count: count - position).joined())
                let other = [2, UInt8(Tag.subprogram), 0] + before + special + after + [0, 0]
                // Padding beyond the table's end, and none.
                for padding in [0, 16] {
                    let section = other + root + [0] + [UInt8](repeating: 0xff, count: padding)
                    let table = try AbbreviationTable(section.span.rawBytes, at: 0, sizes, only: 3)
                    let found = try #require(table.abbreviation(3), "\(position) of \(count)")
                    #expect(found.tag == Tag.compileUnit && table.attributes(of: found).count { _ in true } == 2)
                }
            }
        }
    }

    @Test func `a table begins at its offset and ends at its zero`() throws {
        let first = declare(1, Tag.compileUnit, children: false, []) + [0]
        let second = declare(1, Tag.subprogram, children: false, []) + [0]
        #expect(try table(first + second).abbreviation(1)?.tag == Tag.compileUnit)
        #expect(try table(first + second, at: first.count).abbreviation(1)?.tag == Tag.subprogram)
        #expect(throws: DWARFError.self) { try table(first, at: first.count + 1) }
    }

    @Test func `a table has so many abbreviations`() throws {
        let bytes: [UInt8] = ([1, 2, 700] as [UInt64]).flatMap { declare($0, Tag.subprogram, children: false, []) } + [0]
        var limits = Limits()
        limits.abbreviations = 3
        #expect(try table(bytes, limits: limits).abbreviation(700)?.tag == Tag.subprogram)
        limits.abbreviations = 2
        let error = #expect(throws: DWARFError.self) { try table(bytes, limits: limits) }
        #expect(error?.problem == "a table has more than 2 entries")
    }

    @Test func `entries whose forms are all of fixed size are passed in one step`() throws {
        let bytes = declare(
            1, Tag.subprogram, children: false,
            [
                (Attribute.name, Form.strp), (Attribute.lowPC, Form.addr), (Attribute.highPC, Form.data4), (0x3f, Form.flagPresent),
                (0x3a, Form.data1),
            ])
        // strp 4 + addr 8 + data4 4 + flag_present 0 + data1 1, and nothing after them
        #expect(try table(bytes).abbreviation(1)?.steps.bits == 17 << 3)
    }

    @Test func `implicit_const keeps its value in the table and takes no bytes of the entry`() throws {
        var bytes = ByteWriter()
        bytes.bytes += [1, UInt8(Tag.subprogram), 0, UInt8(Attribute.callLine), UInt8(Form.implicitConst)]
        bytes.putSLEB128(-300)
        bytes.bytes += [UInt8(Attribute.callFile), UInt8(Form.data2), 0, 0, 0]
        let table = try table(bytes.bytes)
        let abbreviation = try #require(table.abbreviation(1))
        #expect(table.attributes(of: abbreviation).map(\.implicit) == [-300, 0])
        #expect(table.attributes(of: abbreviation).map(\.name) == [Attribute.callLine, Attribute.callFile])
        #expect(table.abbreviation(1)?.steps.bits == 2 << 3)
    }

    @Test func `the place of a sibling is so many steps and so many bytes behind the first attribute`() throws {
        let known = declare(1, Tag.subprogram, children: true, [(0x3f, Form.data2), (Attribute.sibling, Form.ref4)])
        let variable = declare(1, Tag.subprogram, children: true, [(Attribute.name, Form.string), (Attribute.sibling, Form.ref4)])
        let none = declare(1, Tag.subprogram, children: true, [(0x3f, Form.data2)])
        #expect(try table(known).abbreviation(1)?.siblingOffset == 2)
        // The string is one step, 3, and the sibling comes directly after it.
        #expect(try table(variable).abbreviation(1)?.siblingOffset == 0)
        #expect(try table(variable).abbreviation(1)?.siblingSteps.bits == 3)
        #expect(try table(none).abbreviation(1)?.siblingOffset == -1)
    }

    @Test func `subprograms with code are told from those without`() throws {
        let role = { (attributes: [(UInt16, UInt16)]) in
            try table(declare(1, Tag.subprogram, children: false, attributes)).abbreviation(1)?.role
        }
        #expect(try role([(Attribute.lowPC, Form.addr)]) == .subroutine)
        #expect(try role([(Attribute.ranges, Form.secOffset)]) == .subroutine)
        #expect(try role([(Attribute.name, Form.strp)]) == .abstractSubroutine)
    }

    @Test func `a table that is cut off is refused, with where it ends`() throws {
        let bytes = declare(1, Tag.compileUnit, children: true, [(Attribute.name, Form.strp)])
        for count in 1..<bytes.count {
            let error = #expect(throws: DWARFError.self, "\(count) bytes") { try table(Array(bytes[..<count])) }
            #expect(error?.section == ".debug_abbrev")
            #expect((error?.offset ?? -1) <= count)
        }
    }
}
