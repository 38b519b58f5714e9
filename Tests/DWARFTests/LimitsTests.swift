import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// What debug information may ask for at most (`Limits`), and that it is told which cap was met.
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
        #expect(sections.answer(0x1010).problem?.problem == "entries are nested deeper than 1024")
    }

    /// `Limits.originChain`: each entry refers to the next, and the last alone has a name. Thirty-two links are followed.
    @Test(arguments: [(30, "named"), (40, "?")])
    func `a chain of origins is followed so far`(length: Int, name: String) throws {
        var children = [Entry.subprogram(nil, 0x1000..<0x1010, nil, [(Attribute.abstractOrigin, .ref4("1"))])]
        for link in 1..<length { children.append(.subprogram(nil, nil, "\(link)", [(Attribute.abstractOrigin, .ref4("\(link + 1)"))])) }
        children.append(.subprogram("named", nil, "\(length)"))
        var info = InfoBuilder()
        info.add(.unit(0x1000..<0x2000, children: children))
        #expect(try info.sections().names(0x1000) == [name])
    }

    /// `Limits.lineTableEntries`: a table of version 5 says how many entries it has, and what an entry is made of. Rows count files from 0 there, and begin with file 1.
    @Test(arguments: [(Limits.standard.lineTableEntries, "/src/b.c:1:0"), (Limits.standard.lineTableEntries + 1, nil)])
    func `no file is read of a table that declares too many`(count: Int, place: String?) throws {
        var line = LineBuilder(5)
        var tables = ByteWriter()
        // One directory, and files that are names alone, of which two are there: they are taken before the table ends early.
        tables.bytes = [1, 1, 0x08, 1] + Array("/src".utf8) + [0]
        tables.bytes += [1, 1, 0x08]
        tables.putULEB128(UInt64(count))
        for name in ["a.c", "b.c"] { tables.put(text: name) }
        line.tables = tables.bytes
        line.setAddress(0x1000)
        line.copy()
        line.opcode(LineOpcode.advancePC, 16)
        line.endSequence()
        #expect(try line.sections().place(0x1000) == place)
    }

    /// `Limits.nameLength`: names are cut there, and what is behind is not read.
    @Test func `a longer name is cut`() throws {
        var info = InfoBuilder()
        let long = String(repeating: "n", count: Limits.standard.nameLength + 1)
        info.add(.unit(0x1000..<0x2000, children: [Entry.subprogram(nil, 0x1000..<0x1010, nil, [(Attribute.name, .strp(0))])]))
        let ended = try info.sections([.str: Array(long.utf8) + [0]])
        let endless = try info.sections([.str: Array(long.utf8)])
        for sections in [ended, endless] { #expect(sections.names(0x1000).map(\.utf8.count) == [Limits.standard.nameLength]) }
    }
}
