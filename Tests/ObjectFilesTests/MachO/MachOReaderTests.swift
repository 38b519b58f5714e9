import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Results of the Mach-O reader for small files whose every byte the test states
/// (`mach-o/loader.h`, `mach-o/nlist.h`).
struct MachOReaderTests {
    static let uuid: [UInt8] = (0x10...0x1f).map { UInt8($0) }

    static func program(_ encoding: Encoding = .little64) -> MachOBuilder {
        var builder = MachOBuilder(is64Bit: encoding.is64Bit, order: encoding.order)
        builder.uuid = uuid
        let code: UInt32 = 0x8000_0400
        builder.segments = [
            ("__PAGEZERO", 0, []),
            (
                "__TEXT", 0x1000,
                [
                    .init(
                        name: "__text", segment: "__TEXT", address: 0x1800, size: 16, flags: code, bytes: [UInt8](repeating: 1, count: 16)),
                    // A name that fills its field has no zero byte.
                    .init(name: "__sixteen_bytes_", segment: "__TEXT", address: 0x1900, size: 2, bytes: [2, 2]),
                ]
            ),
            ("__DATA", 0x2000, [.init(name: "__bss", segment: "__DATA", address: 0x2000, size: 0x100, offset: 0, flags: 1)]),
        ]
        builder.symbols = [
            .init(name: "/src/a.c", type: 0x64, section: 1, value: 0x1800),  // N_SO: a stab
            .init(name: "__mh_execute_header", type: 0x0f, section: 1, value: 0x1000),
            .init(name: "_local", type: 0x0e, section: 1, value: 0x1800),
            .init(name: "_private", type: 0x1e, section: 1, value: 0x1804),  // N_PEXT
            .init(name: "_global", type: 0x0f, section: 1, value: 0x1808),
            .init(name: "_weak", type: 0x0f, section: 1, descriptor: 0x80, value: 0x180c),
            .init(name: "_variable", type: 0x0f, section: 3, value: 0x2000),
            .init(name: "_printf", type: 0x01, section: 0, value: 0),  // undefined
            .init(name: "_absolute", type: 0x03, section: 0, value: 5),
            .init(name: "_nowhere", type: 0x0f, section: 9, value: 5),  // no such section
        ]
        builder.localCount = 3
        // 0x800 (from 0x1000), 4, 8, then the end.
        builder.functionStarts = [0x80, 0x10, 4, 8, 0, 0]
        // LC_BUILD_VERSION: macOS, 12.0, SDK 14.2.1.
        builder.otherCommands = [(0x32, [1, 0x000c_0000, 0x000e_0201, 0]), (0x7fff_0001, [1, 2, 3])]
        return builder
    }

    @Test(arguments: Encoding.allCases)
    func `both widths and both byte orders read the same`(encoding: Encoding) throws {
        var builder = Self.program(encoding)
        builder.cpu = encoding.is64Bit ? (0x0100_0012, 0) : (18, 0)
        let file = try object(builder.build())
        #expect(file.description.container == .machO)
        #expect(file.description.kind == .executable)
        #expect(file.architecture == (encoding.is64Bit ? .ppc64 : .ppc))
        #expect(file.description.byteOrder == encoding.order)
        #expect(file.identity?.uuid == "10111213-1415-1617-1819-1A1B1C1D1E1F")
        #expect(file.baseAddress == LinkAddress(0x1000))
        #expect(file.description.segments.map(\.name) == ["__PAGEZERO", "__TEXT", "__DATA"])
        #expect(file.description.sections.map(\.name) == ["__text", "__sixteen_bytes_", "__bss"])
        #expect(file.description.sections.map(\.number) == [1, 2, 3])
        #expect(file.description.sections.map(\.isExecutable) == [true, false, false])
        #expect(file.description.functionStarts == [0x1800, 0x1804, 0x180c].map { LinkAddress($0) })
        #expect(file.description.buildVersion == BuildVersion(platform: "macOS", minimumSystem: "12.0", sdk: "14.2.1"))
        #expect(file.description.notes == [])
        let text = try #require(file.section(named: "__text"))
        #expect(
            try file.contents(of: text).withBytes(array)
                == [UInt8](repeating: 1, count: 16))
        #expect(try file.contents(of: #require(file.section(named: "__bss"))).count == 0)
    }

    @Test(arguments: Encoding.allCases)
    func `symbols of sections are given, with their underscore, and nothing else`(encoding: Encoding) throws {
        let file = try object(Self.program(encoding).build())
        let found = try elements { try file.forEachSymbol($0) }.map { symbol in
            "\(symbol.name.text(in: file)) \(symbol.address) \(symbol.kind) \(symbol.binding) \(symbol.section)"
        }
        #expect(
            found == [
                "__mh_execute_header 0x1000 data global 1", "_local 0x1800 function local 1", "_private 0x1804 function local 1",
                "_global 0x1808 function global 1", "_weak 0x180c function weak 1", "_variable 0x2000 data global 3",
            ])
    }

    @Test(arguments: [(0, 2, false), (1, 2, false), (2, 2, true), (0, 10, true), (0, 1, true)] as [(UInt32, UInt32, Bool)])
    func `a table without local symbols is a stripped one, but not in a dSYM or an object file`(locals: UInt32, type: UInt32, isFull: Bool)
        throws
    {
        var builder = Self.program()
        builder.localCount = locals
        builder.fileType = type
        #expect(try object(builder.build()).hasFullSymbolTable == isFull)
    }

    @Test(
        arguments: [
            (7, 3, .i386), (0x0100_0007, 0x8000_0003, .x86_64), (0x0100_0007, 8, .x86_64h), (12, 6, .armv6), (12, 9, .armv7),
            (12, 11, .armv7s),
            (12, 12, .armv7k), (0x0100_000c, 0, .arm64), (0x0100_000c, 0x8000_0002, .arm64e), (0x0200_000c, 1, .arm64_32), (18, 0, .ppc),
        ] as [(UInt32, UInt32, Architecture)])
    func `the architecture is the processor's, without its capability bits`(type: UInt32, subtype: UInt32, architecture: Architecture)
        throws
    {
        var builder = MachOBuilder()
        builder.cpu = (type, subtype)
        #expect(try object(builder.build()).architecture == architecture)
    }

    @Test func `a dSYM's own segments have bytes, the program's have none`() throws {
        var builder = Self.program()
        builder.fileType = 10  // MH_DSYM
        // An old dSYM might keep the program's offsets: not even a plausible one is believed.
        builder.segments[1].sections[0].offset = 64
        builder.segments.append(
            ("__DWARF", 0x3000, [.init(name: "__debug_info", segment: "__DWARF", address: 0x3000, size: 4, bytes: [1, 2, 3, 4])]))
        let file = try object(builder.build())
        #expect(file.description.kind == .debugCompanion)
        #expect(file.section(named: "__text")?.fileRange.isEmpty == true)
        #expect(file.section(named: "__text")?.size == 16)
        let info = try #require(file.section(named: "__debug_info"))
        #expect(info.fileRange.count == 4)
        #expect(!info.isLoaded)
        #expect(file.section(containing: LinkAddress(0x3000)) == nil)
    }

    @Test func `an object file's base is zero`() throws {
        var builder = Self.program()
        builder.fileType = 1
        #expect(try object(builder.build()).baseAddress == LinkAddress(0))
        #expect(try object(builder.build()).description.kind == .relocatable)
    }

    @Test func `the Thumb bit is no part of an address`() throws {
        var builder = Self.program(.little32)
        builder.cpu = (12, 9)
        builder.symbols = [.init(name: "_thumb", type: 0x0f, section: 1, descriptor: 8, value: 0x1801)]
        builder.functionStarts = [0x81, 0x10, 4, 0]
        let file = try object(builder.build())
        #expect(try elements { try file.forEachSymbol($0) }.last?.address == LinkAddress(0x1800))
        #expect(file.description.functionStarts == [LinkAddress(0x1800), LinkAddress(0x1804)])
    }

    @Test func `a section outside the file is kept with its problem`() throws {
        var builder = Self.program()
        builder.segments[1].sections[0].offset = 0x7fff_0000
        let file = try object(builder.build())
        let section = try #require(file.section(named: "__text"))
        #expect(section.fileRange.isEmpty)
        let error = #expect(throws: ObjectFileError.self) { try file.contents(of: section) }
        #expect(
            error?.problem.hasPrefix("section __TEXT,__text of 16 bytes should be at byte 2147418112, the object ends at byte") == true)
    }

    @Test func `a load command without a size is an error, not a loop`() throws {
        var bytes = Self.program().build()
        bytes.replaceSubrange(36..<40, with: [0, 0, 0, 0])
        let error = #expect(throws: ObjectFileError.self) { _ = try object(bytes) }
        #expect(error?.kind == .corrupt)
        #expect(error?.problem == "load command 0: the data ends early: expected 8 more bytes, 0 are left")
    }

    @Test func `a cut file says so`() throws {
        let error = #expect(throws: ObjectFileError.self) { _ = try object(Array(Self.program().build().prefix(100))) }
        #expect(error?.problem.hasSuffix("the file is cut short") == true)
    }

    @Test func `function starts that never end are kept as far as they go`() throws {
        var builder = Self.program()
        builder.functionStarts = [4, 0x80]
        let file = try object(builder.build())
        #expect(file.description.functionStarts == [LinkAddress(0x1004)])
        #expect(file.description.notes == ["the function starts are damaged after 1 entries"])
    }
}
