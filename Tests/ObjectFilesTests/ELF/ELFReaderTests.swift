import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Results of the ELF reader for small files whose every byte the test states.
struct ELFReaderTests {
    static let buildID: [UInt8] = (1...20).map { UInt8($0) }

    /// `.text` at 0x1000 with two functions, `.tbss` and `.bss`, `.comment`, a build ID and a debug
    /// link.
    static func library(_ encoding: Encoding) -> ELFBuilder {
        var builder = ELFBuilder(is64Bit: encoding.is64Bit, order: encoding.order)
        builder.machine = encoding.is64Bit ? 21 : 20  // EM_PPC64, EM_PPC: in both byte orders at home
        let strings = Array("\0first\0second\0file.c\0".utf8)
        let none = builder.symbol(name: 0, value: 0, size: 0, info: 0, section: 0)
        let symbols = [
            none,
            builder.symbol(name: 14, value: 0, size: 0, info: 0x04, section: 0xfff1),  // STT_FILE, SHN_ABS
            builder.symbol(name: 0, value: 0x1000, size: 0, info: 0x03, section: 1),  // STT_SECTION
            builder.symbol(name: 1, value: 0x1000, size: 6, info: 0x12, section: 1),  // STB_GLOBAL, STT_FUNC
            builder.symbol(name: 7, value: 0x1006, size: 0, info: 0x20, section: 1),  // STB_WEAK, STT_NOTYPE
            builder.symbol(name: 1, value: 0, size: 0, info: 0x12, section: 0),  // undefined
            builder.symbol(name: 1, value: 4, size: 4, info: 0x16, section: 2),  // STT_TLS
            builder.symbol(name: 1, value: 77, size: 0, info: 0x10, section: 0xfff1),  // SHN_ABS
            builder.symbol(name: 1, value: 8, size: 4, info: 0x11, section: 0xfff2),  // SHN_COMMON
            builder.symbol(name: 1, value: 0, size: 0, info: 0x10, section: 4),  // in .comment, which is not loaded
            builder.symbol(name: 7, value: 0x2000, size: 8, info: 0x01, section: 3),  // STB_LOCAL, STT_OBJECT
        ]
        var link = ByteWriter(encoding.order)
        link.bytes = Array("x.debug\0".utf8)
        link.put(UInt32(0x1234_5678))
        builder.sections = [
            .init(name: ".text", type: 1, flags: 6, address: 0x1000, bytes: [UInt8](repeating: 0x90, count: 16)),
            .init(name: ".tbss", type: 8, flags: 0x403, address: 0x2000, size: 0x40),
            .init(name: ".bss", type: 8, flags: 3, address: 0x2000, size: 0x100),
            .init(name: ".comment", type: 1, bytes: Array("gcc".utf8)),
            .init(name: ".symtab", type: 2, bytes: symbols.flatMap { $0 }, link: 6),
            .init(name: ".strtab", type: 3, bytes: strings),
            .init(name: ".note.gnu.build-id", type: 7, flags: 2, bytes: builder.note(owner: "GNU", type: 3, contents: buildID)),
            .init(name: ".gnu_debuglink", type: 1, bytes: link.bytes),
        ]
        builder.segments = [
            .init(type: 1, flags: 5, address: 0x1000, fileSize: 16, memorySize: 16),
            .init(type: 1, flags: 6, address: 0x2000, fileSize: 0, memorySize: 0x100),
        ]
        return builder
    }

    @Test(arguments: Encoding.allCases)
    func `both classes and both byte orders read the same`(encoding: Encoding) throws {
        let file = try object(Self.library(encoding).build())
        #expect(file.description.container == .elf)
        #expect(file.description.kind == .sharedLibrary)
        #expect(file.architecture == (encoding.is64Bit ? .ppc64 : .ppc))
        #expect(file.description.byteOrder == encoding.order)
        #expect(file.description.addressSize == (encoding.is64Bit ? 8 : 4))
        #expect(file.identity?.bytes == Self.buildID)
        #expect(file.baseAddress == LinkAddress(0x1000))
        #expect(file.description.debugLink?.name == "x.debug")
        #expect(file.description.debugLink?.checksum == 0x1234_5678)
        #expect(file.description.notes == [])
        let names = ["", ".text", ".tbss", ".bss", ".comment", ".symtab", ".strtab", ".note.gnu.build-id", ".gnu_debuglink", ".shstrtab"]
        #expect(file.description.sections.map(\.name) == names)
        #expect(file.description.segments.map(\.isExecutable) == [true, false])
        // `.tbss` overlaps `.bss` on paper; its addresses belong to `.bss`.
        #expect(file.section(containing: LinkAddress(0x2000))?.name == ".bss")
        #expect(file.section(containing: LinkAddress(0x1010)) == nil)
    }

    @Test(arguments: Encoding.allCases)
    func `symbols that stand for no place in the image are left out`(encoding: Encoding) throws {
        let file = try object(Self.library(encoding).build())
        let found = try elements { try file.forEachSymbol($0) }.map { symbol in
            "\(symbol.name.text(in: file)) \(symbol.address) \(symbol.size) \(symbol.kind) \(symbol.binding) \(symbol.section)"
        }
        #expect(
            found == [
                "file.c 0x0 0 file local 0", "first 0x1000 6 function global 1", "second 0x1006 0 untyped weak 1",
                "second 0x2000 8 data local 3",
            ])
        #expect(file.hasFullSymbolTable)
    }

    @Test func `reading stops when it is asked to`() throws {
        let file = try object(Self.library(.little64).build())
        var count = 0
        try file.forEachSymbol { _ in
            count += 1
            return count < 2
        }
        #expect(count == 2)
    }

    @Test(arguments: Encoding.allCases)
    func `counts and indexes that do not fit the header come from the first section header`(encoding: Encoding) throws {
        var builder = Self.library(encoding)
        builder.usesExtendedNumbers = true
        // A symbol whose section number is in `.symtab_shndx` (gABI, "Symbol Table", SHN_XINDEX).
        builder.sections[4].bytes += builder.symbol(name: 1, value: 0x1008, size: 2, info: 0x12, section: 0xffff)
        var numbers = ByteWriter(encoding.order)
        for number: UInt32 in Array(repeating: 0, count: 11) + [1] { numbers.put(number) }
        builder.sections.append(.init(name: ".symtab_shndx", type: 18, bytes: numbers.bytes, link: 5))
        let file = try object(builder.build())
        #expect(file.description.sections.count == 11)
        #expect(file.description.segments.count == 2)
        let last = try elements { try file.forEachSymbol($0) }.last
        #expect(last?.address == LinkAddress(0x1008))
        #expect(last?.section == 1)
    }

    @Test func `more sections than 16 bits count are read`() throws {
        var builder = ELFBuilder()
        builder.usesExtendedNumbers = true
        builder.sections = (0..<70_000).map { ELFBuilder.Section(name: $0 == 69_999 ? ".last" : "", type: 1) }
        let file = try object(builder.build())
        // With the null section and the names'.
        #expect(file.description.sections.count == 70_002)
        #expect(file.section(named: ".last")?.number == 70_000)
    }

    @Test func `a file without section headers has its segments and its build ID`() throws {
        var builder = Self.library(.little64)
        builder.sections = [builder.sections[6]]
        builder.hasSectionHeaders = false
        // The note follows the header and three program headers.
        let note = builder.sections[0].bytes.count
        builder.segments.append(
            .init(type: 4, offset: UInt64(64 + 3 * 56), address: 0, fileSize: UInt64(note), memorySize: 0, alignment: 4))
        let file = try object(builder.build())
        #expect(file.identity?.bytes == Self.buildID)
        // The segments bound the code instead.
        #expect(file.description.sections.map(\.address) == [LinkAddress(0x1000), LinkAddress(0x2000)])
        #expect(file.description.sections.map(\.isExecutable) == [true, false])
        #expect(file.description.segments.count == 2)
        #expect(file.description.notes == ["the file has no section headers: neither symbols nor debug information are found"])
        #expect(!file.hasFullSymbolTable)
    }

    @Test func `the base is the page of the lowest loaded segment`() throws {
        var builder = ELFBuilder()
        builder.type = 2  // ET_EXEC
        func base(_ address: UInt64, alignment: UInt64) throws -> LinkAddress {
            builder.segments = [
                .init(type: 1, address: address + 0x10_0000, fileSize: 0, memorySize: 1, alignment: alignment),
                .init(type: 1, address: address, fileSize: 0, memorySize: 1, alignment: alignment),
            ]
            return try object(builder.build()).baseAddress
        }
        #expect(try base(0x40_0238, alignment: 0x1000) == LinkAddress(0x40_0000))
        #expect(try base(0x8000, alignment: 0x1_0000) == LinkAddress(0x8000))
        #expect(try base(0x40_0238, alignment: 4) == LinkAddress(0x40_0238))
        #expect(try base(0x40_0238, alignment: 0) == LinkAddress(0x40_0238))
    }

    @Test func `a file whose code was taken out is a debug companion, and its segments have no bytes`() throws {
        var builder = Self.library(.little64)
        builder.sections[0].type = 8
        builder.sections[0].size = 16
        builder.sections[0].bytes = []
        let file = try object(builder.build())
        #expect(file.description.kind == .debugCompanion)
        #expect(file.description.segments.map(\.fileRange.isEmpty) == [true, true])
        #expect(file.identity?.bytes == Self.buildID)
    }

    @Test(
        arguments: [(0x0800_0000, false, false, true), (0, true, false, true), (0, true, true, false), (0, false, false, false)]
            as [(UInt64, Bool, Bool, Bool)])
    func `an executable is told from a library`(flags: UInt64, hasInterpreter: Bool, hasName: Bool, isExecutable: Bool) throws {
        var builder = ELFBuilder()
        var dynamic = ByteWriter(.littleEndian)
        if hasName { [UInt64(14), 1].forEach { dynamic.put($0) } }  // DT_SONAME
        [UInt64(0x6fff_fffb), flags, 0, 0].forEach { dynamic.put($0) }  // DT_FLAGS_1, DT_NULL
        builder.sections = [.init(name: ".dynamic", type: 6, flags: 2, bytes: dynamic.bytes)]
        let count = UInt64(hasInterpreter ? 2 : 1)
        builder.segments = [
            .init(type: 2, offset: 64 + count * 56, address: 0, fileSize: UInt64(dynamic.bytes.count), memorySize: 1)
        ]
        if hasInterpreter { builder.segments.append(.init(type: 3, address: 0, fileSize: 0, memorySize: 0)) }
        #expect(try object(builder.build()).description.kind == (isExecutable ? .executable : .sharedLibrary))
    }

    @Test func `the Thumb bit is no part of a function's address, and mapping symbols are no names`() throws {
        var builder = ELFBuilder(is64Bit: false)
        builder.machine = 40  // EM_ARM
        let symbols = [
            builder.symbol(name: 0, value: 0, size: 0, info: 0, section: 0),
            builder.symbol(name: 1, value: 0x1001, size: 6, info: 0x02, section: 1),
            builder.symbol(name: 7, value: 0x1000, size: 0, info: 0x00, section: 1),
            builder.symbol(name: 10, value: 0x1003, size: 0, info: 0x01, section: 1),
        ]
        builder.sections = [
            .init(name: ".text", type: 1, flags: 6, address: 0x1000, bytes: [UInt8](repeating: 0, count: 16)),
            .init(name: ".symtab", type: 2, bytes: symbols.flatMap { $0 }, link: 3),
            .init(name: ".strtab", type: 3, bytes: Array("\0thumb\0$t\0data\0".utf8)),
        ]
        let file = try object(builder.build())
        #expect(
            try elements { try file.forEachSymbol($0) }.map { "\($0.name.text(in: file)) \($0.address)" } == [
                "thumb 0x1000", "data 0x1003",
            ])
    }

    @Test func `a section outside the file is kept with its problem`() throws {
        var builder = Self.library(.little64)
        builder.sections[3].size = 1 << 40
        let file = try object(builder.build())
        let section = try #require(file.section(named: ".comment"))
        #expect(section.fileRange.isEmpty)
        #expect(throws: ObjectFileError.self) { try file.contents(of: section) }
        #expect(section.problem?.contains("of 1099511627776 bytes should be at byte") == true)
    }

    @Test func `a cut file says so`() throws {
        let whole = Self.library(.little64).build()
        let error = #expect(throws: ObjectFileError.self) { _ = try object(Array(whole.dropLast(700))) }
        #expect(error?.kind == .corrupt)
        #expect(error?.problem.hasSuffix("it is cut short") == true)
    }

    @Test(arguments: [(4, 3, "ELF class 3"), (5, 9, "ELF byte order 9")] as [(Int, UInt8, String)])
    func `an impossible header says what was expected`(index: Int, value: UInt8, prefix: String) throws {
        var bytes = Self.library(.little64).build()
        bytes[index] = value
        let error = #expect(throws: ObjectFileError.self) { _ = try object(bytes) }
        #expect(error?.problem.hasPrefix(prefix) == true)
        #expect(error?.problem.contains("expected") == true)
    }
}
