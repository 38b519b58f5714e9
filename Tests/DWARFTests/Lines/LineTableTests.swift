import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// Headers of line programs and how a file's path comes from them (DWARF 5, section 6.2.4).
struct LineTableTests {
    /// The path of the file in which a program's only row, at 0x1000, is.
    private func path(_ line: LineBuilder, file: UInt64, _ others: [DWARFSections.Name: [UInt8]] = [:]) throws -> String? {
        var line = line
        line.setAddress(0x1000)
        line.opcode(LineOpcode.setFile, file)
        line.copy()
        line.opcode(LineOpcode.advancePC, 1)
        line.endSequence()
        return try line.sections(others).result(0x1000).location?.file
    }

    @Test(arguments: [2, 4] as [UInt16])
    func `before version 5 directory 0 is the compilation directory`(version: UInt16) throws {
        var line = LineBuilder(version)
        line.directories = ["include", "/usr/include"]
        line.files = [("a.c", 0), ("a.h", 1), ("stdio.h", 2), ("/tmp/gen.c", 1), ("lost.h", 9)]
        #expect(try path(line, file: 1) == "/src/a.c")
        #expect(try path(line, file: 2) == "/src/include/a.h")
        #expect(try path(line, file: 3) == "/usr/include/stdio.h")
        #expect(try path(line, file: 4) == "/tmp/gen.c")
        // A directory that is not in the table: what remains is the compilation directory.
        #expect(try path(line, file: 5) == "/src/lost.h")
        #expect(try path(line, file: 0) == nil)
        #expect(try path(line, file: 6) == nil)
        #expect(try path(line, file: .max) == nil)
    }

    @Test func `version 5 names the compilation directory itself, as entry 0`() throws {
        var line = LineBuilder(5)
        line.directories = ["/build", "include", "/usr/include"]
        line.files = [("a.c", 0), ("a.h", 1), ("stdio.h", 2)]
        #expect(try path(line, file: 0) == "/build/a.c")
        // Other directories are relative to the compilation directory, which the unit gives:
        // `/src`.
        #expect(try path(line, file: 1) == "/src/include/a.h")
        #expect(try path(line, file: 2) == "/usr/include/stdio.h")
        #expect(try path(line, file: 3) == nil)
    }

    /// `-ffile-prefix-map` and `-fdebug-compilation-dir` make entry 0 relative: it counts from the unit's own directory, unless it is that
    /// directory once more (as LLVM's `getFileNameByIndex`).
    @Test(arguments: [("sub", "/src/sub/a.c"), (".", "/src/./a.c"), ("/src", "/src/a.c")])
    func `a relative entry 0 of version 5 counts from the compilation directory`(entry: String, expected: String) throws {
        var line = LineBuilder(5)
        line.directories = [entry]
        line.files = [("a.c", 0)]
        #expect(try path(line, file: 0) == expected)
    }

    /// `DW_LNE_define_file`, DWARF 4, section 6.2.5.3: it gets the next number after those of the header.
    @Test func `files that the program defines itself are read`() throws {
        var line = LineBuilder(4)
        line.directories = ["inc"]
        line.files = [("a.c", 0)]
        line.extended(LineOpcode.extendedDefineFile, Array("n.h".utf8) + [0, 1, 0, 0])
        line.extended(LineOpcode.extendedDefineFile, Array("/abs/m.h".utf8) + [0, 0, 0, 0])
        #expect(try path(line, file: 2) == "/src/inc/n.h")
        #expect(try path(line, file: 3) == "/abs/m.h")
        #expect(try path(line, file: 1) == "/src/a.c")
        #expect(try path(line, file: 4) == nil)
    }

    @Test func `paths of Windows are paths too`() throws {
        var line = LineBuilder(4)
        line.directories = [#"C:\project"#, #"\\server\share"#]
        line.files = [(#"D:\a.c"#, 0), ("b.c", 1), ("c.c", 2)]
        #expect(try path(line, file: 1) == #"D:\a.c"#)
        #expect(try path(line, file: 2) == #"C:\project/b.c"#)
        #expect(try path(line, file: 3) == #"\\server\share/c.c"#)
    }

    /// clang -gdwarf-5: names in `.debug_line_str`, and an MD5 of each file's contents.
    @Test(arguments: [false, true])
    func `the formats of version 5's tables are read as the header states them`(is64Bit: Bool) throws {
        var line = LineBuilder(5)
        line.is64Bit = is64Bit
        var tables = ByteWriter()
        tables.bytes += [1, UInt8(LineOpcode.contentPath), UInt8(Form.lineStrp), 2]
        tables.putWord(0, wide: is64Bit)
        tables.putWord(7, wide: is64Bit)
        // path in line_strp, directory index in udata, MD5 (5) in data16, and a vendor's type
        // (0x2001) in block.
        tables.bytes += [
            4, UInt8(LineOpcode.contentPath), UInt8(Form.lineStrp), UInt8(LineOpcode.contentDirectoryIndex), UInt8(Form.udata),
        ]
        tables.bytes += [5, UInt8(Form.data16)]
        tables.putULEB128(0x2001)
        tables.bytes += [UInt8(Form.block), 2]
        for (name, directory) in [(11, 0), (15, 1)] as [(UInt64, UInt8)] {
            tables.putWord(name, wide: is64Bit)
            tables.put(directory)
            tables.bytes += [UInt8](repeating: 0xab, count: 16) + [3, 1, 2, 3]
        }
        line.tables = tables.bytes
        var strings = ByteWriter()
        for text in ["/build", "inc", "a.c", "a.h"] { strings.put(text: text) }  // at 0, 7, 11, 15
        #expect(try path(line, file: 0, [.lineStr: strings.bytes]) == "/build/a.c")
        #expect(try path(line, file: 1, [.lineStr: strings.bytes]) == "/src/inc/a.h")
        // Without the strings the row has no file, and so no place.
        #expect(try path(line, file: 0) == nil)
    }

    @Test func `a table that claims more entries than its bytes hold ends there`() throws {
        var line = LineBuilder(5)
        for count in [[0xff, 0xff, 0xff, 0xff, 0x0f], [0x80, 0x80, 0x40]] as [[UInt8]] {
            // An entry format without any fields takes no bytes: it may not be counted up to
            // anything.
            line.tables = [0] + count + [0, 0]
            let table = try LineTable(line.build().span.rawBytes, addressSize: 8, .littleEndian)
            #expect(table.directories.isEmpty && table.files.isEmpty)
            line.tables = [1, UInt8(LineOpcode.contentPath), UInt8(Form.string)] + count + [0x61, 0]
            #expect(try path(line, file: 0) == nil)
        }
    }

    @Test func `a header that is cut off or of an unknown version leaves the functions`() throws {
        var line = LineBuilder(4)
        line.setAddress(0x1000)
        line.copy()
        line.opcode(LineOpcode.advancePC, 8)
        line.endSequence()
        var info = InfoBuilder(version: 4)
        info.add(.unit(0x1000..<0x1010, line: 0, children: [.subprogram("f", 0x1000..<0x1010)]))
        let whole = line.build()
        for count in 0..<whole.count {
            let sections = try info.sections([.line: Array(whole[..<count])])
            #expect(sections.names(0x1000) == ["f"])
            #expect(sections.location(0x1000) == nil)
            #expect(sections.result(0x1000).problem?.section == ".debug_line")
        }
        var unknown = whole
        unknown[4] = 6
        let sections = try info.sections([.line: unknown])
        #expect(sections.names(0x1000) == ["f"])
        #expect(sections.result(0x1000).problem?.section == ".debug_line")
    }

    @Test func `a line_range of zero divides by nothing`() throws {
        var line = LineBuilder()
        line.lineRange = 0
        line.setAddress(0x1000)
        line.copy()
        line.opcode(200)
        line.opcode(LineOpcode.constAddPC)
        line.endSequence()
        _ = try line.sections().result(0x1000)
    }
}
