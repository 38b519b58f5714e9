import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// Names of functions and the places of inlined calls: in the entry itself, or where its origin and
/// specification lead (DWARF 5, sections 2.13.2 and 3.3.8).
struct NameTests {
    private func origin(_ label: String) -> [(UInt16, Value)] { [(Attribute.abstractOrigin, .ref4(label))] }
    private func specification(_ label: String) -> [(UInt16, Value)] { [(Attribute.specification, .ref4(label))] }
    private func linkage(_ name: String) -> [(UInt16, Value)] { [(Attribute.linkageName, .string(name))] }

    private func names(_ children: [Entry], at address: UInt64 = 0x1000) throws -> [String] {
        var info = InfoBuilder(version: 4)
        info.add(.unit(0x1000..<0x9000, children: children))
        return try info.sections().names(address)
    }

    @Test func `the linkage name comes before the plain one, by either attribute`() throws {
        #expect(try names([.subprogram("f", 0x1000..<0x1010, nil, linkage("_Z1fv"))]) == ["_Z1fv"])
        let old: [(UInt16, Value)] = [(Attribute.mipsLinkageName, .string("_Z1fv"))]
        #expect(try names([.subprogram("f", 0x1000..<0x1010, nil, old)]) == ["_Z1fv"])
        #expect(try names([.subprogram("f", 0x1000..<0x1010)]) == ["f"])
        #expect(try names([.subprogram(nil, 0x1000..<0x1010)]) == ["?"])
    }

    /// gcc's out-of-line copy of a member function: code, to its abstract instance, to the
    /// declaration in the class, which alone has the linkage name.
    @Test func `a linkage name at the end of the chain beats a plain one on the way`() throws {
        let declaration = Entry.subprogram("f", nil, "declaration", linkage("_ZN1C1fEv"))
        let abstract = Entry.subprogram("plain", nil, "abstract", specification("declaration"))
        let code = Entry.subprogram(nil, 0x1000..<0x1010, nil, origin("abstract"))
        #expect(try names([Entry(Tag.classType, nil, [], children: [declaration]), abstract, code]) == ["_ZN1C1fEv"])
        // Without a linkage name the nearest plain one serves.
        let silent = Entry.subprogram("far", nil, "declaration")
        #expect(try names([silent, abstract, code]) == ["plain"])
    }

    @Test func `a chain may lead into another unit`() throws {
        for version in [4, 5] as [UInt16] {
            var info = InfoBuilder(version: version)
            info.add(
                .unit(
                    0x1000..<0x1100,
                    children: [
                        .subprogram(
                            "caller", 0x1000..<0x1100,
                            children: [.inlined(nil, 0x1010..<0x1020, [(Attribute.abstractOrigin, .refAddr("far"))])])
                    ]))
            info.add(
                .unit(
                    0x2000..<0x2100,
                    children: [.subprogram("near", 0x2000..<0x2010), .subprogram("g", nil, "far", specification("declared"))]))
            info.add(.unit(0x3000..<0x3100, children: []))
            // `declared` is in the unit of `far`: ref4 counts from that unit's header.
            var second = InfoBuilder(version: version)
            second.add(
                .unit(
                    0x1000..<0x1100, children: [.subprogram("caller", 0x1000..<0x1100, nil, [(Attribute.abstractOrigin, .refAddr("far"))])])
            )
            second.add(
                .unit(
                    0x2000..<0x2100,
                    children: [
                        .subprogram("g", nil, "declared", linkage("_Z1gv")), .subprogram(nil, nil, "far", specification("declared")),
                    ]))
            #expect(try info.sections().names(0x1010) == ["g", "caller"])
            #expect(try second.sections().names(0x1010) == ["_Z1gv"])
        }
    }

    @Test func `a chain that returns to itself ends`() throws {
        let first = Entry.subprogram(nil, nil, "first", origin("second"))
        let second = Entry.subprogram("named", nil, "second", origin("first"))
        let itself = Entry.subprogram(nil, 0x1000..<0x1010, "itself", origin("itself"))
        #expect(try names([first, second, .subprogram(nil, 0x1000..<0x1010, nil, origin("first"))]) == ["named"])
        #expect(try names([itself]) == ["?"])
    }

    @Test func `a chain that is longer than any compiler's, or leads outside, ends without a name`() throws {
        let chain = (0..<100).map { Entry.subprogram($0 == 99 ? "far" : nil, nil, "\($0)", origin("\($0 + 1)")) }
        #expect(try names(chain + [.subprogram(nil, 0x1000..<0x1010, nil, origin("0"))]) == ["?"])
        for target in [
            Value.data4(4), Value(form: Form.ref4, content: .number(0xffff_fff0, size: 4)),
            Value(form: Form.refAddr, content: .number(0xffff_fff0, size: 4)),
        ] {
            #expect(try names([.subprogram("f", 0x1000..<0x1010, nil, [(Attribute.abstractOrigin, target)])]) == ["f"])
        }
    }

    @Test func `names may be in any string section`() throws {
        let strings = ByteWriter.texts(["", "first", "second"])  // at 0, 1 and 7
        var offsets = ByteWriter()
        offsets.bytes += [12, 0, 0, 0, 5, 0, 0, 0]  // `.debug_str_offsets`: length, version 5, padding
        for offset in [1, 7] as [UInt32] { offsets.put(offset) }
        let forms: [(Value, String)] = [
            (.strp(7), "second"), (Value(form: Form.lineStrp, content: .offset(0)), "line"),
            (Value(form: Form.strx, content: .uleb(1)), "second"), (Value(form: Form.strx1, content: .number(0, size: 1)), "first"),
            (Value(form: Form.strx2, content: .number(1, size: 2)), "second"),
            (Value(form: Form.strx4, content: .number(0, size: 4)), "first"),
            (Value(form: Form.strx3, content: .bytes([1, 0, 0])), "second"), (.strp(700), "?"),
            (Value(form: Form.strx, content: .uleb(9)), "?"),
            (Value(form: Form.gnuStrpAlt, content: .offset(1)), "?"),
        ]
        for (value, expected) in forms {
            var info = InfoBuilder(version: 5)
            let function = Entry.subprogram(nil, 0x1000..<0x1010, nil, [(Attribute.name, value)])
            var unit = Entry.unit(0x1000..<0x1010, children: [function])
            unit.attributes.append((Attribute.strOffsetsBase, .secOffset(8)))
            info.add(unit)
            let sections = try info.sections([.str: strings, .lineStr: ByteWriter.texts(["line"]), .strOffsets: offsets.bytes])
            #expect(sections.names(0x1000) == [expected], "form \(value.form)")
        }
    }

    /// Without `DW_AT_str_offsets_base` the unit's strings are those after the section's first
    /// header: 8 bytes, 16 in the 64-bit format.
    @Test(arguments: [false, true])
    func `string indexes count from the section's header where the unit names no base`(is64Bit: Bool) throws {
        var offsets = ByteWriter()
        if is64Bit { offsets.put(UInt32.max) }
        offsets.putWord(4 + 2 * (is64Bit ? 8 : 4), wide: is64Bit)
        offsets.bytes += [5, 0, 0, 0]
        for offset in [1, 7] as [UInt64] { offsets.putWord(offset, wide: is64Bit) }
        var info = InfoBuilder(version: 5)
        info.is64Bit = is64Bit
        let name = [(Attribute.name, Value(form: Form.strx1, content: .number(1, size: 1)))]
        info.add(.unit(0x1000..<0x1010, children: [.subprogram(nil, 0x1000..<0x1010, nil, name)]))
        let sections = try info.sections([.str: ByteWriter.texts(["", "first", "second"]), .strOffsets: offsets.bytes])
        #expect(sections.names(0x1000) == ["second"])
    }

    @Test func `an inlined call tells where it was called, in the files of the unit's line table`() throws {
        var line = LineBuilder(4)
        line.setAddress(0x1000)
        line.advanceLine(41)
        line.copy()
        line.opcode(LineOpcode.advancePC, 0x100)
        line.endSequence()
        var info = InfoBuilder(version: 4)
        info.add(
            .unit(
                0x1000..<0x1100, line: 0,
                children: [
                    .subprogram(
                        "outer", 0x1000..<0x1100,
                        children: [
                            .inlined(
                                "middle", 0x1000..<0x1020, call: (1, 300, 7),
                                children: [.inlined("inner", 0x1000..<0x1010, call: (2, 5, 0))])
                        ])
                ]))
        let result = try info.sections([.line: line.build()]).result(0x1000)
        #expect(result.location == SourceLocation(file: "/src/a.c", line: 42, column: 0))
        #expect(
            result.functions.map(\.callSite) == [
                SourceLocation(file: "/src/b.c", line: 5, column: 0), SourceLocation(file: "/src/a.c", line: 300, column: 7), nil,
            ])
    }
}

extension ByteWriter {
    /// Zero-terminated texts, one after the other.
    static func texts(_ texts: [String]) -> [UInt8] {
        var writer = ByteWriter()
        for text in texts { writer.put(text: text) }
        return writer.bytes
    }
}
