import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// The addresses of a relocatable file, whose sections all begin at zero.
struct PlacementTests {
    private func file(_ sections: [ELFBuilder.Section], type: UInt16 = 1) throws -> ObjectFile {
        var builder = ELFBuilder(type: type)
        builder.sections = sections
        return try object(builder.build())
    }

    private func code(_ name: String, _ size: Int, address: UInt64 = 0) -> ELFBuilder.Section {
        .init(name: name, type: 1, flags: 6, address: address, bytes: Array(repeating: 0, count: size), alignment: 16)
    }

    private func data(_ name: String, _ size: Int) -> ELFBuilder.Section {
        .init(name: name, type: 1, flags: 3, bytes: Array(repeating: 0, count: size), alignment: 8)
    }

    @Test func `text stays at zero, other code follows, then data, each with a byte between`() throws {
        let file = try file([data(".data", 0x20), code(".init.text", 0x10), code(".text", 0x30), data(".bss", 8)])
        #expect(file.description.sectionsArePlaced)
        // 0x30 and a byte: 0x40; 0x40 + 0x10 and a byte: 0x60; 0x60 + 0x20 and a byte: 0x90.
        #expect(file.description.sections.dropFirst().prefix(4).map(\.address.value) == [0x60, 0x40, 0, 0x90])
        #expect(file.baseAddress == LinkAddress(0))
    }

    @Test func `an offset counts from text, else from the only section that reaches so far`() throws {
        let file = try file([code(".text", 0x30), code(".init.text", 0x40), code(".exit.text", 0x38), data(".data", 0x100)])
        #expect(file.resolve(ImageOffset(0x2f)) == .address(LinkAddress(0x2f)))
        #expect(file.resolve(ImageOffset(0x30)) == .ambiguous([".init.text", ".exit.text"]))
        // `.init.text` is at 0x40.
        #expect(file.resolve(ImageOffset(0x38)) == .address(LinkAddress(0x78)))
        #expect(file.offset(of: LinkAddress(0x78)) == ImageOffset(0x38))
        // `.exit.text` after it at 0x90 up to 0xc8, the data at 0xd0.
        #expect(file.resolve(ImageOffset(0x40)) == .address(LinkAddress(0x110)))
        #expect(file.resolve(ImageOffset(0x100)) == .outside)
    }

    @Test func `addresses that the file tells are left`() throws {
        let file = try file([code(".text", 0x30, address: 0x1000), code(".init.text", 0x10, address: 0x2000)])
        #expect(!file.description.sectionsArePlaced)
        #expect(file.resolve(ImageOffset(0x2004)) == .address(LinkAddress(0x2004)))
    }

    @Test func `debug sections of one name are joined`() throws {
        let file = try file([
            .init(name: ".debug_info", type: 1, bytes: [1, 2, 3]), .init(name: ".debug_line", type: 1, bytes: [9]),
            .init(name: ".debug_info", type: 1, bytes: [4, 5]),
        ])
        let units = file.description.sections.filter { $0.name == ".debug_info" }
        #expect(units.map(\.address.value) == [0, 3])
        #expect(try file.contents(joining: units).withBytes(array) == [1, 2, 3, 4, 5])
    }

    @Test func `debug sections that overlap are not joined`() throws {
        var sections = (0..<20).map { _ in ELFBuilder.Section(name: ".debug_info", type: 1, size: 1000) }
        sections.append(.init(name: ".filler", type: 1, bytes: Array(repeating: 0, count: 1000)))
        let file = try file(sections)
        let error = #expect(throws: ObjectFileError.self) {
            try file.contents(joining: file.description.sections.filter { $0.name == ".debug_info" })
        }
        #expect(error?.problem == "the sections named .debug_info overlap: they are larger than the file")
    }

    @Test func `debug sections that inflate to too much together are not joined`() throws {
        // Five of 1 GB each, where a file of 327 KB may have 512 MB inflated.
        let header = ELFBuilder().compressionHeader(type: 2, size: 1 << 30)
        let stream = [UInt8](repeating: 0, count: 1 << 16)
        let file = try file((0..<5).map { _ in .init(name: ".debug_info", type: 1, flags: 0x800, bytes: header + stream) })
        let error = #expect(throws: ObjectFileError.self) {
            try file.contents(joining: file.description.sections.filter { $0.name == ".debug_info" })
        }
        #expect(error?.problem == "the sections named .debug_info inflate to more than 536870912 bytes together")
    }

    @Test func `symbols are where their sections are`() throws {
        var builder = ELFBuilder(type: 1)
        builder.sections = [
            code(".text", 0x30), code(".init.text", 0x10), .init(name: ".symtab", type: 2, link: 4),
            .init(name: ".strtab", type: 3, bytes: [0]),
        ]
        builder.sections[2].bytes =
            Array(repeating: 0, count: 24) + builder.symbol(name: 0, value: 4, size: 4, info: 0x12, section: 2)
            + builder.symbol(name: 0, value: 4, size: 4, info: 0x12, section: 1)
        let file = try object(builder.build())
        #expect(try elements { try file.forEachSymbol($0) }.map(\.address.value) == [0x44, 4])
    }

    /// A section of 2⁶⁴ - 1 bytes that are not in the file, and one after it.
    @Test func `sections that do not fit the address space are left out`() throws {
        let file = try file([
            .init(name: ".bss", type: 8, flags: 3, size: .max), code(".text", 0x10), data(".data", 0x10),
        ])
        #expect(file.section(named: ".bss")?.isLoaded == false)
        #expect(file.section(named: ".data")?.address == LinkAddress(0x20))
    }

    /// 64-bit POWER, first ABI: `f` names a descriptor whose first word is where the code is.
    @Test func `the symbol of a function descriptor is where the code is`() throws {
        var builder = ELFBuilder(is64Bit: true, order: .bigEndian, type: 2, machine: 21)
        var descriptor = ByteWriter(.bigEndian)
        for word: UInt64 in [0x1010, 0x8000, 0, 0x7777] { descriptor.put(word) }
        builder.sections = [
            code(".text", 0x30, address: 0x1000), .init(name: ".opd", type: 1, flags: 3, address: 0x2000, bytes: descriptor.bytes),
            .init(name: ".symtab", type: 2, link: 4), .init(name: ".strtab", type: 3, bytes: [0]),
        ]
        builder.segments = [.init(type: 1, address: 0x1000, fileSize: 0, memorySize: 0x2000)]
        builder.sections[2].bytes =
            Array(repeating: 0, count: 24) + builder.symbol(name: 0, value: 0x2000, size: 0x18, info: 0x12, section: 2)
            // Beyond the last word of the section.
            + builder.symbol(name: 0, value: 0x2020, size: 0x18, info: 0x12, section: 2)
        let file = try object(builder.build())
        #expect(try elements { try file.forEachSymbol($0) }.map { "\($0.address) \($0.section)" } == ["0x1010 1", "0x2020 2"])
    }
}
