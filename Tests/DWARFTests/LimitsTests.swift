import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import DWARF

/// Caps on debug information (`Limits`): the error names the cap that was met.
struct LimitsTests {
    /// `Limits.entryDepth`: blocks in one another, below a function.
    @Test func `entries that are nested too deeply end the unit's reading, with the functions before them`() throws {
        var nested = Entry(Tag.lexicalBlock, nil, [(Attribute.lowPC, .addr(0x1010)), (Attribute.highPC, .data8(0x10))], children: [])
        for _ in 0..<Limits.standard.entryDepth {
            nested = Entry(Tag.lexicalBlock, nil, [(Attribute.lowPC, .addr(0x1010)), (Attribute.highPC, .data8(0x10))], children: [nested])
        }
        var info = InfoBuilder()
        info.add(
            .unit(
                0x1000..<0x2000, children: [.subprogram("before", 0x1000..<0x1010), .subprogram("f", 0x1010..<0x1020, children: [nested])]))
        let sections = try info.sections()
        #expect(sections.names(0x1000) == ["before"])
        #expect(sections.result(0x1010).problem?.problem == "entries are nested deeper than 1024")
    }

    /// `Limits.inlineDepth`: calls that were inlined into one another, each where the one around it
    /// is. What the index is made of says the same.
    @Test(arguments: [0, 1])
    func `inlined calls that are nested too deeply are no answer, and part of them is none`(more: Int) throws {
        let maximum = Limits.standard.inlineDepth
        var call: Entry?
        for depth in (1...maximum + more).reversed() { call = .inlined("\(depth)", 0x1010..<0x1020, children: call.map { [$0] } ?? []) }
        var info = InfoBuilder()
        info.add(.unit(0x1000..<0x2000, children: [.subprogram("f", 0x1000..<0x1030, children: [try #require(call)])]))
        let sections = try info.sections()
        #expect(sections.names(0x1000) == ["f"])
        let result = sections.result(0x1010)
        let problems = FunctionEnumeration(DWARFReader(sections)).forEachUnit(.everything) { _ in }
        if more == 0 {
            #expect(sections.names(0x1010) == (1...maximum).reversed().map { "\($0)" } + ["f"])
            #expect(result.problem == nil && problems.isEmpty)
        } else {
            // The row is of the innermost call.
            #expect(result.functions.isEmpty && result.location == nil)
            let said = "inlined calls are nested deeper than \(maximum)"
            #expect(result.problem?.problem == said && problems.map(\.problem) == [said])
        }
    }

    /// Each entry refers to the next, and the last alone has a name.
    @Test(arguments: [(Limits.standard.originChain, "named"), (Limits.standard.originChain + 1, "?")])
    func `a chain of origins is followed so far`(length: Int, name: String) throws {
        var children = [Entry.subprogram(nil, 0x1000..<0x1010, nil, [(Attribute.abstractOrigin, .ref4("1"))])]
        for link in 1..<length { children.append(.subprogram(nil, nil, "\(link)", [(Attribute.abstractOrigin, .ref4("\(link + 1)"))])) }
        children.append(.subprogram("named", nil, "\(length)"))
        var info = InfoBuilder()
        info.add(.unit(0x1000..<0x2000, children: children))
        #expect(try info.sections().names(0x1000) == [name])
    }

    /// `Limits.lineTableEntries`: a table of version 5 says how many entries it has, and what an
    /// entry is made of. Rows count files from 0 there, and begin with file 1.
    @Test(arguments: [(Limits.standard.lineTableEntries, "/src/b.c:1:0"), (Limits.standard.lineTableEntries + 1, nil)])
    func `no file is read of a table that declares too many`(count: Int, place: String?) throws {
        var line = LineBuilder(5)
        var tables = ByteWriter()
        // One directory, and files that are names alone, of which two are there: they are taken
        // before the table ends early.
        tables.bytes = [1, 1, 0x08, 1] + Array("/src".utf8) + [0]
        tables.bytes += [1, 1, 0x08]
        tables.putULEB128(UInt64(count))
        for name in ["a.c", "b.c"] { tables.put(text: name) }
        line.tables = tables.bytes
        line.setAddress(0x1000)
        line.copy()
        line.opcode(LineOpcode.advancePC, 16)
        line.endSequence()
        #expect(try line.sections().location(0x1000) == place)
    }

    /// Type units of version 5 (DWARF 5, section 7.5.1.2): their root entries, 24 bytes after their
    /// headers, are what their signatures mean.
    @Test(arguments: [1, 2, 3])
    func `so many type units are found by their signatures`(maximum: Int) throws {
        var info = ByteWriter()
        for signature: UInt64 in [7, 8] {
            // After the length: version, kind, size of addresses, abbreviations, signature, where
            // its entry is; and an entry.
            info.put(UInt32(21))
            info.put(UInt16(5))
            info.bytes += [UnitKind.type, 8]
            info.put(UInt32(0))
            info.put(signature)
            info.put(UInt32(24))
            info.put(UInt8(1))
        }
        var limits = Limits()
        limits.typeUnits = maximum
        let units = try UnitTable(makeSections([.info: info.bytes, .abbrev: [1, 0x41, 0, 0, 0, 0]], .littleEndian, limits))
        #expect(units.typeEntry(7)?.offset == 24)
        #expect(units.typeEntry(8)?.offset == (maximum > 1 ? 25 + 24 : nil))
    }

    /// `Limits.writtenNames`: of all functions of one unit, here of five and six bytes. Those of
    /// further ones are left out.
    @Test(arguments: [(11, ["first", "second"]), (10, ["first", nil])])
    func `names of so many bytes are given out of a unit`(maximum: Int, names: [String?]) throws {
        var info = InfoBuilder()
        info.add(
            .unit(0x1000..<0x2000, children: [.subprogram("first", 0x1000..<0x1010), .subprogram("second", 0x1010..<0x1020)]))
        var limits = Limits()
        limits.writtenNames = maximum
        var found: [String?] = []
        let enumeration = FunctionEnumeration(DWARFReader(try info.sections(limits: limits)))
        let problems = enumeration.forEachUnit(.everything) { unit in
            found += unit.functions.map { function in function.name.flatMap { enumeration.text(unit.names[$0]) } }
        }
        #expect(found == names)
        #expect(problems.map(\.problem) == (maximum == 11 ? [] : ["the unit's names take more than 10 bytes: the rest is left out"]))
    }

    /// A variable that is in a register, then in another, then at the frame base: what the third
    /// entry of its list says (DWARF 4, section 2.6.2) is where it is in memory.
    @Test(arguments: [(3, 0 as Int64?), (2, nil)])
    func `so many entries of a location list are read`(maximum: Int, offset: Int64?) throws {
        var list = ByteWriter()
        let (register0, register1, frameBase): ([UInt8], [UInt8], [UInt8]) = ([0x50], [0x51], [0x91, 0])
        for (start, expression) in [(0, register0), (4, register1), (8, frameBase)] {
            list.put(UInt64(start))
            list.put(UInt64(start + 4))
            list.put(UInt16(expression.count))
            list.bytes += expression
        }
        list.put(UInt64(0))
        list.put(UInt64(0))
        let variable = Entry(Tag.variable, nil, [(Attribute.name, .string("v")), (Attribute.location, .secOffset(0))])
        var info = InfoBuilder()
        info.add(.unit(0x1000..<0x2000, children: [.subprogram("f", 0x1000..<0x1010, children: [variable])]))
        var limits = Limits()
        limits.locationListEntries = maximum
        let file = elf([(".debug_info", info.info.bytes), (".debug_abbrev", info.abbrev.bytes), (".debug_loc", list.bytes)])
        let object = try ObjectFiles.openAll(MappedFile(bytes: file.span.rawBytes, name: "f"), limits: limits)[0]
        #expect(object.description.sections.count == 5)
        let locals = try #require(DWARFReader(object)).locals(at: 0x1000)
        #expect(locals.map(\.name) == ["v"] && locals.map(\.frameOffset) == [offset])
    }

    /// An executable of nothing but these sections (System V gABI, chapter 4).
    private func elf(_ sections: [(name: String, bytes: [UInt8])]) -> [UInt8] {
        let names = [""] + sections.map(\.name) + [".shstrtab"]
        let contents = [[]] + sections.map(\.bytes) + [names.flatMap { Array($0.utf8) + [0] }]
        let table = 64 + contents.reduce(0) { $0 + $1.count }
        var writer = ByteWriter()
        writer.bytes = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
        for value: UInt16 in [2, 62] { writer.put(value) }
        writer.put(UInt32(1))
        for value in [0, 0, table] { writer.put(UInt64(value)) }
        writer.put(UInt32(0))
        for value in [64, 0, 0, 64, names.count, names.count - 1] { writer.put(UInt16(value)) }
        writer.bytes += contents.joined()
        var (name, position) = (0, 64)
        for (index, content) in contents.enumerated() {
            for value in [name, index == 0 ? 0 : 1] { writer.put(UInt32(value)) }
            for value in [0, 0, position, content.count] { writer.put(UInt64(value)) }
            writer.put(UInt64(0))
            for value in [1, 0] { writer.put(UInt64(value)) }
            name += names[index].utf8.count + 1
            position += content.count
        }
        return writer.bytes
    }

    /// `Limits.nameLength`: names are cut there, and the rest is not read.
    @Test func `a longer name is cut`() throws {
        var info = InfoBuilder()
        let long = String(repeating: "n", count: Limits.standard.nameLength + 1)
        info.add(.unit(0x1000..<0x2000, children: [Entry.subprogram(nil, 0x1000..<0x1010, nil, [(Attribute.name, .strp(0))])]))
        let ended = try info.sections([.str: Array(long.utf8) + [0]])
        let endless = try info.sections([.str: Array(long.utf8)])
        for sections in [ended, endless] { #expect(sections.names(0x1000).map(\.utf8.count) == [Limits.standard.nameLength]) }
    }
}
