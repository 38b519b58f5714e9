import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// Which functions cover an address: subprograms and what was inlined into them (DWARF 5, section
/// 3.3).
struct SubroutineTests {
    private func sections(_ children: [Entry], version: UInt16 = 4) throws -> DWARFSections {
        var info = InfoBuilder(version: version)
        info.add(.unit(0x1000..<0x9000, children: children))
        return try info.sections()
    }

    private func block(_ children: [Entry]) -> Entry { Entry(Tag.lexicalBlock, nil, [], children: children) }

    @Test func `inlined calls nest, with lexical blocks between them`() throws {
        let sections = try sections([
            .subprogram(
                "outer", 0x1000..<0x1100,
                children: [
                    block([
                        .inlined(
                            "middle", 0x1010..<0x1050,
                            children: [
                                block([block([.inlined("inner", 0x1020..<0x1030)])]), .inlined("other", 0x1030..<0x1034),
                            ])
                    ]),
                    .inlined("late", 0x1060..<0x1070),
                ]), .subprogram("next", 0x1100..<0x1200),
        ])
        #expect(sections.names(0x1000) == ["outer"])
        #expect(sections.names(0x1010) == ["middle", "outer"])
        #expect(sections.names(0x1020) == ["inner", "middle", "outer"])
        #expect(sections.names(0x1033) == ["other", "middle", "outer"])
        #expect(sections.names(0x1034) == ["middle", "outer"])
        #expect(sections.names(0x1050) == ["outer"])
        #expect(sections.names(0x106f) == ["late", "outer"])
        #expect(sections.names(0x1100) == ["next"])
        #expect(sections.names(0x1200) == [])
        let result = sections.result(0x1020)
        #expect(result.functions.map(\.isInlined) == [true, true, false])
        #expect(result.functions.map(\.entry.value) == [0x1020, 0x1010, 0x1000])
    }

    /// Zig writes a call's line and no file: the call is in the calling function, in the file of its rows.
    @Test(arguments: [true, false]) func `a call without a file is in the file of the calling function`(hasOwnRows: Bool) throws {
        var line = LineBuilder()
        line.setAddress(0x1000)
        line.opcode(LineOpcode.setFile, hasOwnRows ? 2 : 1)  // b.c or a.c
        line.advanceLine(9)
        line.copy()
        line.opcode(LineOpcode.advancePC, 0x10)
        line.opcode(LineOpcode.setFile, 1)  // a.c: the called function's
        line.copy()
        line.opcode(LineOpcode.advancePC, 0x10)
        line.endSequence()
        var info = InfoBuilder()
        let call: [(UInt16, Value)] = [
            (Attribute.name, .string("inner")), (Attribute.lowPC, .addr(0x1010)), (Attribute.highPC, .data8(0x10)),
            (Attribute.callLine, .data1(12)),
        ]
        // Where it has no rows of one file, its declaration counts: b.c in both.
        let outer: [(UInt16, Value)] = [(Attribute.declFile, .data1(2)), (Attribute.declLine, .data1(8))]
        let range = hasOwnRows ? 0x1000..<0x1020 : 0x1010..<0x1020 as Range<UInt64>
        info.add(
            .unit(
                0x1000..<0x1020, line: 0,
                children: [.subprogram("outer", range, nil, outer, children: [Entry(Tag.inlinedSubroutine, nil, call)])]))
        let result = try info.sections([.line: line.build()]).result(0x1014)
        #expect(result.functions.map(\.name) == ["inner", "outer"])
        #expect(result.location == SourceLocation(file: "/src/a.c", line: 10))
        #expect(result.functions.first?.callSite == SourceLocation(file: "/src/b.c", line: 12))
    }

    /// A form that is not read for the address of an inlined call: the row may be the call's, so that its line is nobody's.
    @Test func `a line is not given to the function around a call whose addresses are not read`() throws {
        var line = LineBuilder()
        line.setAddress(0x1000)
        line.copy()
        line.opcode(LineOpcode.advancePC, 0x20)
        line.endSequence()
        var info = InfoBuilder(version: 5)
        let call: [(UInt16, Value)] = [
            (Attribute.name, .string("inner")),
            // DW_OP_fbreg 0: an expression that is no address.
            (Attribute.lowPC, Value(form: Form.exprloc, content: .bytes([2, 0x91, 0]))), (Attribute.highPC, .data8(0x10)),
        ]
        info.add(
            .unit(
                0x1000..<0x2000, line: 0,
                children: [
                    .subprogram("outer", 0x1000..<0x1020, children: [Entry(Tag.inlinedSubroutine, nil, call)]),
                    .subprogram("next", 0x1020..<0x1030),
                ]))
        let sections = try info.sections([.line: line.build()])
        let result = sections.result(0x1014)
        #expect(result.functions.map(\.name) == ["outer"])
        #expect(result.location == nil)
        #expect(result.problem != nil)
        #expect(sections.names(0x1024) == ["next"])
    }

    /// `DW_OP_addr 0x1010`, `DW_OP_plus_uconst 4`.
    @Test func `an address may be an expression`() throws {
        let expression: [UInt8] = [11, 0x03, 0x10, 0x10, 0, 0, 0, 0, 0, 0, 0x23, 4]
        let sections = try sections([
            Entry(
                Tag.subprogram, nil,
                [
                    (Attribute.name, .string("f")), (Attribute.lowPC, Value(form: Form.exprloc, content: .bytes(expression))),
                    (Attribute.highPC, .data8(8)),
                ])
        ])
        #expect(sections.names(0x1013) == [])
        #expect(sections.names(0x1014) == ["f"])
        #expect(sections.names(0x101b) == ["f"])
        #expect(sections.names(0x101c) == [])
    }

    @Test func `a subprogram in a subprogram is no inlined call: the chain ends there`() throws {
        let sections = try sections([
            .subprogram(
                "outer", 0x1000..<0x1100, children: [.subprogram("nested", 0x2000..<0x2010, children: [.inlined("i", 0x2000..<0x2004)])])
        ])
        #expect(sections.names(0x2000) == ["i", "nested"])
        #expect(sections.names(0x2004) == ["nested"])
        #expect(sections.names(0x1000) == ["outer"])
    }

    @Test func `high_pc is an address, or a size`() throws {
        func covering(_ high: Value) throws -> [UInt64] {
            let entry = Entry(
                Tag.subprogram, nil, [(Attribute.name, .string("f")), (Attribute.lowPC, .addr(0x1000)), (Attribute.highPC, high)])
            let sections = try sections([entry])
            return [0xfff, 0x1000, 0x100f, 0x1010].filter { sections.names($0) == ["f"] }
        }
        #expect(try covering(.addr(0x1010)) == [0x1000, 0x100f])
        #expect(try covering(.data1(0x10)) == [0x1000, 0x100f])
        #expect(try covering(.udata(0x10)) == [0x1000, 0x100f])
        #expect(try covering(.implicitConst(0x10)) == [0x1000, 0x100f])
        #expect(try covering(.addr(0x1000)) == [])
        #expect(try covering(.data8(.max)) == [])
    }

    @Test func `a subroutine in several pieces covers each, and begins with the first`() throws {
        var list = ByteWriter()
        for (start, end) in [(0x40, 0x50), (0x10, 0x20), (0, 0)] as [(UInt64, UInt64)] {
            list.put(start)
            list.put(end)
        }
        var info = InfoBuilder(version: 4)
        let pieces: [(UInt16, Value)] = [(Attribute.ranges, .secOffset(0))]
        info.add(.unit(0x1000..<0x9000, children: [.subprogram("f", nil, nil, pieces, children: [.inlined("i", 0x1018..<0x1044)])]))
        let sections = try info.sections([.ranges: list.bytes])
        #expect(sections.names(0x1010) == ["f"])
        #expect(sections.names(0x101f) == ["i", "f"])
        #expect(sections.names(0x1040) == ["f"])
        #expect(sections.result(0x1010).functions.first?.entry == LinkAddress(0x1040))
    }

    /// gcc gives every entry with children its sibling's place, so that what covers nothing wanted
    /// is jumped over; and a function in a class in a function is in there.
    @Test func `a function of a local class is found although its surroundings are jumped over`() throws {
        func jumping(_ entry: Entry, over label: String) -> Entry {
            var entry = entry
            entry.attributes.insert((Attribute.sibling, .ref4(label)), at: 0)
            return entry
        }
        let member = Entry.subprogram("Local::method", 0x2000..<0x2010)
        let type = jumping(Entry(Tag.classType, nil, [], children: [member]), over: "after type")
        let outer = jumping(
            .subprogram("outer", 0x1000..<0x1100, children: [type, Entry(0x34, "after type", [(Attribute.name, .string("x"))])]),
            over: "after outer")
        let sections = try sections([outer, .subprogram("last", 0x3000..<0x3010, "after outer")])
        #expect(sections.names(0x2000) == ["Local::method"])
        #expect(sections.names(0x1000) == ["outer"])
        #expect(sections.names(0x3000) == ["last"])
        // Looked up together, one unfound address must not spoil the others.
        let all = DWARFReader(sections).results(for: [0x1000, 0x2000, 0x2800, 0x3000].map { LinkAddress($0) })
        #expect(all.map { $0.functions.first?.name } == ["outer", "Local::method", nil, "last"])
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["here", "before"])
    func `a sibling that points backwards is refused: it would be read for ever`(label: String) throws {
        let jump = Entry(
            Tag.subprogram, "here", [(Attribute.sibling, .ref4(label)), (Attribute.lowPC, .addr(0x1000)), (Attribute.highPC, .data8(4))],
            children: [])
        let sections = try sections([Entry(0x34, "before"), jump, .subprogram("f", 0x2000..<0x2010)])
        let result = sections.result(0x2000)
        #expect(result.functions.isEmpty)
        #expect(result.problem?.section == ".debug_info")
    }

    @Test func `an entry with an unknown abbreviation ends the unit; what came before it answers`() throws {
        var info = InfoBuilder(version: 4)
        info.add(.unit(0x1000..<0x9000, children: [.subprogram("f", 0x1000..<0x1010), .subprogram("g", 0x2000..<0x2010)]))
        let sections = try info.sections()
        #expect(sections.names(0x2000) == ["g"])
        var damaged = info.info.bytes
        // Entry 3 is the last of the unit: its code, `g`, its zero, the address (8) and the size
        // (8), and the end of the children.
        damaged[damaged.count - 20] = 0x55
        let rest = try makeSections([.info: damaged, .abbrev: info.abbrev.bytes])
        #expect(rest.names(0x1000) == ["f"])
        #expect(rest.result(0x2000).problem?.section == ".debug_info")
    }

    @Test func `a unit that does not say what it covers is found by its functions`() throws {
        var info = InfoBuilder(version: 4)
        info.add(Entry(Tag.compileUnit, nil, [(Attribute.name, .string("a.c"))], children: [.subprogram("f", 0x1000..<0x1010)]))
        info.add(Entry(Tag.compileUnit, nil, [(Attribute.name, .string("b.c"))], children: [.subprogram("g", 0x2000..<0x2010)]))
        let sections = try info.sections()
        #expect(sections.names(0x1000) == ["f"])
        #expect(sections.names(0x2000) == ["g"])
        #expect(sections.names(0x3000) == [])
    }

    /// .NET's NativeAOT writes the extent from 0 to 0 for its unit (dotnet/runtime#83233).
    @Test func `a unit that says it covers nothing is found by its functions`() throws {
        var info = InfoBuilder(version: 4)
        info.add(.unit(0..<0, children: [.subprogram("f", 0x1000..<0x1010)]))
        info.add(.unit(0x2000..<0x2010, children: [.subprogram("g", 0x2000..<0x2010)]))
        let sections = try info.sections()
        #expect(sections.names(0x1000) == ["f"])
        #expect(sections.names(0x2000) == ["g"])
        #expect(sections.names(0x3000) == [])
    }

    @Test func `nesting deeper than anyone writes is refused`() throws {
        var entry = block([])
        for _ in 0..<Limits.standard.entryDepth { entry = block([entry]) }
        let deep = try self.sections([.subprogram("f", 0x1000..<0x1010, children: [entry])])
        #expect(deep.result(0x1000).problem?.section == ".debug_info")
    }
}

struct OriginKeysTests {
    @Test func `an entry has the key that was kept for it, or none`() {
        var keys = OriginKeys()
        // More entries than places: those that are left have their own keys.
        for entry in 0..<10_000 as Range<UInt32> { keys.keep(entry * 3, of: entry * 7) }
        var found = 0
        for entry in 0..<70_000 as Range<UInt32> {
            guard let key = keys.key(of: entry) else { continue }
            found += 1
            #expect(entry % 7 == 0 && key == entry / 7 * 3)
        }
        #expect(found > 0 && found <= 4096)
        keys.removeAll()
        #expect((0..<70_000 as Range<UInt32>).allSatisfy { keys.key(of: $0) == nil })
        #expect(keys.key(of: .max) == nil)
    }
}
