import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Values that a linker would have written into the debug sections of a relocatable file.
struct RelocationTests {
    /// A file with 0x40 bytes of `.text` and, at 0x50, 0x20 of `.init.text` (0x40, a byte between
    /// them, the next multiple of 16), a debug section of sixteen bytes and one relocation of it.
    struct Sample: Sendable, CustomTestStringConvertible {
        var machine: UInt16
        var encoding: Encoding
        var type: UInt32
        /// At byte 4 of the section.
        var before: [UInt8]
        /// `nil`: `SHT_REL`.
        var addend: Int64?
        /// Value of the symbol, in `.init.text`.
        var value: UInt64 = 8
        var after: [UInt8]
        var name: String
        var testDescription: String { name }

        init(
            _ name: String, _ machine: UInt16, _ encoding: Encoding, _ type: UInt32, _ before: [UInt8], _ addend: Int64?, _ after: [UInt8],
            value: UInt64 = 8
        ) {
            self.name = name
            self.machine = machine
            self.encoding = encoding
            self.type = type
            self.before = before
            self.addend = addend
            self.after = after
            self.value = value
        }
    }

    /// The symbol is at 0x50 + 8 = 0x58 (S).
    static let samples: [Sample] = [
        // S + 3 = 0x5b.
        .init("R_X86_64_64", 62, .little64, 1, [9, 9, 9, 9, 9, 9, 9, 9], 3, [0x5b, 0, 0, 0, 0, 0, 0, 0]),
        .init("R_X86_64_32", 62, .little64, 10, [9, 9, 9, 9, 7, 7], 3, [0x5b, 0, 0, 0, 7, 7]),
        // S - 0x58 - 1 = -1.
        .init("R_X86_64_64, negative addend", 62, .little64, 1, Array(repeating: 0, count: 8), -0x59, Array(repeating: 0xff, count: 8)),
        // S + 0 - P: the section has no address, the field is at 4: 0x54.
        .init("R_X86_64_PC32", 62, .little64, 2, [0, 0, 0, 0], 0, [0x54, 0, 0, 0]),
        .init("R_X86_64_NONE", 62, .little64, 0, [1, 2, 3, 4], 3, [1, 2, 3, 4]),
        // Addend in the field: 0x58 + 0x100.
        .init("R_386_32", 3, .little32, 1, [0, 1, 0, 0], nil, [0x58, 1, 0, 0]),
        .init("R_ARM_ABS32", 40, .little32, 2, [1, 0, 0, 0], nil, [0x59, 0, 0, 0]),
        .init("R_AARCH64_ABS64", 183, .little64, 257, Array(repeating: 9, count: 8), 0, [0x58, 0, 0, 0, 0, 0, 0, 0]),
        .init("R_AARCH64_ABS32, big-endian", 183, .big64, 258, [9, 9, 9, 9], 1, [0, 0, 0, 0x59]),
        .init("R_PPC64_ADDR64", 21, .big64, 38, Array(repeating: 9, count: 8), 0, [0, 0, 0, 0, 0, 0, 0, 0x58]),
        .init("R_PPC_ADDR32", 20, .big32, 1, [9, 9, 9, 9], 0, [0, 0, 0, 0x58]),
        .init("R_390_64", 22, .big64, 22, Array(repeating: 9, count: 8), 2, [0, 0, 0, 0, 0, 0, 0, 0x5a]),
        .init("R_MIPS_32", 8, .big32, 2, [0, 0, 0, 1], nil, [0, 0, 0, 0x59]),
        .init("R_MIPS_64, big-endian", 8, .big64, 18, Array(repeating: 9, count: 8), 0, [0, 0, 0, 0, 0, 0, 0, 0x58]),
        .init("R_MIPS_64, little-endian", 8, .little64, 18, Array(repeating: 9, count: 8), 0, [0x58, 0, 0, 0, 0, 0, 0, 0]),
        .init("R_LARCH_64", 258, .little64, 2, Array(repeating: 9, count: 8), 0, [0x58, 0, 0, 0, 0, 0, 0, 0]),
        .init("R_BPF_64_ABS32", 247, .little64, 3, [5, 0, 0, 0], nil, [0x5d, 0, 0, 0]),
        .init("R_SPARC_UA32", 2, .big32, 23, [9, 9, 9, 9], 1, [0, 0, 0, 0x59]),
        .init("R_SPARC_UA64", 43, .big64, 54, Array(repeating: 9, count: 8), 0, [0, 0, 0, 0, 0, 0, 0, 0x58]),
        .init("R_SPARC_DISP32", 43, .big64, 6, [9, 9, 9, 9], 0, [0, 0, 0, 0x54]),
        .init("R_68K_32", 4, .big32, 1, [9, 9, 9, 9], 2, [0, 0, 0, 0x5a]),
        .init("R_AVR_32", 83, .little32, 1, [9, 9, 9, 9], 1, [0x59, 0, 0, 0]),
        .init("R_AVR_16", 83, .little32, 4, [9, 9, 7], 1, [0x59, 0, 7]),
        // The value is in the field.
        .init("R_AVR_DIFF32", 83, .little32, 32, [6, 0, 0, 0], 1, [6, 0, 0, 0]),
        .init("R_MSP430_32", 105, .little32, 1, [9, 9, 9, 9], 1, [0x59, 0, 0, 0]),
        .init("R_MSP430_16_BYTE", 105, .little32, 5, [9, 9, 7], 1, [0x59, 0, 7]),
        .init("R_HEX_32", 164, .little32, 6, [9, 9, 9, 9], 1, [0x59, 0, 0, 0]),
        .init("R_ALPHA_REFQUAD", 0x9026, .little64, 2, Array(repeating: 9, count: 8), 1, [0x59, 0, 0, 0, 0, 0, 0, 0]),
        .init("R_ALPHA_SREL32", 0x9026, .little64, 10, [9, 9, 9, 9], 0, [0x54, 0, 0, 0]),
        .init("R_PARISC_DIR32", 15, .big32, 1, [9, 9, 9, 9], 1, [0, 0, 0, 0x59]),
        .init("R_PARISC_PCREL32", 15, .big32, 9, [9, 9, 9, 9], 0, [0, 0, 0, 0x54]),
        // Addends are in the records and in the fields: 0x58 + 1 + 0x10.
        .init("R_SH_DIR32", 42, .little32, 1, [0x10, 0, 0, 0], 1, [0x69, 0, 0, 0]),
        .init("R_SH_REL32", 42, .little32, 2, [0x10, 0, 0, 0], 0, [0x64, 0, 0, 0]),
        .init("R_XTENSA_32", 94, .little32, 1, [0x10, 0, 0, 0], 1, [0x69, 0, 0, 0]),
        .init("R_XTENSA_DIFF32", 94, .little32, 19, [6, 0, 0, 0], 1, [6, 0, 0, 0]),
        .init("R_LANAI_32", 244, .big32, 4, [9, 9, 9, 9], 1, [0, 0, 0, 0x59]),
        .init("R_VE_REFQUAD", 251, .little64, 2, Array(repeating: 9, count: 8), 1, [0x59, 0, 0, 0, 0, 0, 0, 0]),
        .init("R_VE_SREL32", 251, .little64, 3, [9, 9, 9, 9], 0, [0x54, 0, 0, 0]),
        // V + S: 0x10 + 0x58. V - S: 0x60 - 0x58.
        .init("R_RISCV_ADD16", 243, .little64, 34, [0x10, 0], 0, [0x68, 0]),
        .init("R_RISCV_SUB32", 243, .little64, 39, [0x60, 0, 0, 0], 0, [8, 0, 0, 0]),
        .init("R_RISCV_SUB8", 243, .little64, 37, [0x50, 5], 0, [0xf8, 5]),
        // The two bits above stay; 0x21 - 0x58 = -0x37, of which the low six bits are 0x09.
        .init("R_RISCV_SUB6", 243, .little64, 52, [0x40 | 0x21], 0, [0x40 | 0x09]),
        .init("R_RISCV_SET6", 243, .little64, 53, [0x40 | 0x21], 0, [0x40 | 0x18]),
        // 0x58 in the two bytes that are there; 0x180 - 0x58 = 0x128 = 2 × 128 + 0x28.
        .init("R_RISCV_SET_ULEB128", 243, .little64, 60, [0x80, 0x00, 7], 0, [0xd8, 0x00, 7]),
        .init("R_RISCV_SUB_ULEB128", 243, .little64, 61, [0x80, 0x03, 7], 0, [0xa8, 0x02, 7]),
        .init("R_LARCH_ADD_ULEB128", 258, .little64, 107, [0x80, 0x01], 0, [0xd8, 0x01]),
        .init("R_LARCH_ADD6", 258, .little64, 105, [0xc1], 0, [0xc0 | 0x19]),
        .init("R_LARCH_SUB64", 258, .little64, 56, [0x58, 0, 0, 0, 0, 0, 0, 0], 0, Array(repeating: 0, count: 8)),
    ]

    /// The symbols are the null one and one in `.init.text`, a function.
    static func builder(_ sample: Sample, offset: UInt64 = 4, symbol: UInt64 = 1) -> ELFBuilder {
        let wide = sample.encoding.is64Bit
        var builder = ELFBuilder(is64Bit: wide, order: sample.encoding.order, type: 1, machine: sample.machine)
        let contents = [0xaa, 0xaa, 0xaa, 0xaa] + sample.before
        builder.sections = [
            .init(name: ".init.text", type: 1, flags: 6, bytes: Array(repeating: 0, count: 0x20), alignment: 4),
            .init(name: ".debug_info", type: 1, bytes: contents + Array(repeating: 0xaa, count: 16 - contents.count)),
            .init(name: ".rela.debug_info", type: sample.addend == nil ? 9 : 4, link: 4, info: 2),
            .init(name: ".symtab", type: 2, link: 5), .init(name: ".strtab", type: 3, bytes: [0]),
            .init(name: ".text", type: 1, flags: 6, bytes: Array(repeating: 0, count: 0x40), alignment: 16),
        ]
        var record = ByteWriter(sample.encoding.order)
        record.putWord(offset, wide: wide)
        if !wide {
            record.put(UInt32(symbol << 8) | sample.type)
        } else if sample.machine == 8 {
            // Elf64_Mips_Internal_Rela: r_sym, r_ssym, r_type3, r_type2, r_type.
            record.put(UInt32(symbol))
            record.bytes += [0, 0, 0, UInt8(sample.type)]
        } else {
            record.put(symbol << 32 | UInt64(sample.type))
        }
        if let addend = sample.addend { record.putWord(UInt64(bitPattern: addend), wide: wide) }
        builder.sections[2].bytes = record.bytes
        builder.sections[3].bytes =
            Array(repeating: 0, count: wide ? 24 : 16) + builder.symbol(name: 0, value: sample.value, size: 4, info: 0x12, section: 1)
        return builder
    }

    private func contents(_ builder: ELFBuilder) throws -> [UInt8] {
        let file = try object(builder.build())
        return try file.contents(of: try #require(file.section(named: ".debug_info"))).withBytes(array)
    }

    @Test(arguments: samples)
    func `a relocation changes its field and nothing else`(sample: Sample) throws {
        let bytes = try contents(Self.builder(sample))
        let expected = [0xaa, 0xaa, 0xaa, 0xaa] + sample.after
        #expect(bytes == expected + Array(repeating: 0xaa, count: 16 - expected.count))
    }

    @Test func `32-bit ARM's Thumb bit is no part of an address in debug information`() throws {
        let bytes = try contents(Self.builder(.init("", 40, .little32, 2, [0, 0, 0, 0], nil, [], value: 9)))
        #expect(Array(bytes[4..<8]) == [0x58, 0, 0, 0])
    }

    @Test func `a linked file's relocations were applied by its linker`() throws {
        var builder = Self.builder(Self.samples[0])
        builder.type = 3
        #expect(try Array(contents(builder)[4..<12]) == Self.samples[0].before)
    }

    @Test func `a type that is not known is named`() throws {
        let sample = Sample("", 62, .little64, 99, [0, 0, 0, 0], 0, [])
        let error = #expect(throws: ObjectFileError.self) { try contents(Self.builder(sample)) }
        #expect(error?.kind == .unsupported)
        #expect(error?.problem == "relocation 0 of section .rela.debug_info is of type 99, which is not supported for x86_64")
    }

    @Test(arguments: [13, 16, UInt64.max])
    func `a field outside of the section is an error`(offset: UInt64) throws {
        let sample = Sample("", 62, .little64, 10, [0, 0, 0, 0], 0, [])
        let error = #expect(throws: ObjectFileError.self) { try contents(Self.builder(sample, offset: offset)) }
        #expect(error?.problem == "relocation 0 of section .rela.debug_info changes byte \(offset) of a section of 16 bytes")
    }

    @Test func `a LEB128 number that does not end in the section is an error`() throws {
        let sample = Sample("", 243, .little64, 60, Array(repeating: 0x80, count: 12), 0, [])
        #expect(throws: ObjectFileError.self) { try contents(Self.builder(sample)) }
    }

    @Test func `a symbol that is not in the table is an error`() throws {
        let error = #expect(throws: ObjectFileError.self) { try contents(Self.builder(Self.samples[0], symbol: 2)) }
        #expect(error?.problem.hasSuffix("refers to symbol 2, which the symbol table does not have") == true)
    }

    @Test func `tables that overlap are an error, not hours of work`() throws {
        var builder = Self.builder(Self.samples[0])
        // The file is smaller than a hundred tables that are as long as it is.
        builder.sections += (0..<100).map { _ in .init(name: "", type: 4, size: 1000, link: 4, info: 2) }
        builder.sections.append(.init(name: ".filler", type: 1, bytes: Array(repeating: 0, count: 2000)))
        let error = #expect(throws: ObjectFileError.self) { try contents(builder) }
        #expect(error?.problem == "the relocations of section .debug_info overlap: they are larger than the file")
    }

    @Test func `relocations of the compact form are refused, not passed over`() throws {
        var builder = Self.builder(Self.samples[0])
        builder.sections[2].type = 0x4000_0014
        let error = #expect(throws: ObjectFileError.self) { try contents(builder) }
        #expect(error?.problem.contains("CREL") == true)
    }

    @Test func `a compressed section is inflated before its relocations are applied, also as a stream`() throws {
        let sample = Self.samples[0]
        var builder = Self.builder(sample)
        let plain = builder.sections[1].bytes
        builder.sections[1].flags = 0x800
        builder.sections[1].bytes = builder.compressionHeader(type: 1, size: UInt64(plain.count)) + zlibStored(plain)
        #expect(try Array(contents(builder)[4..<12]) == sample.after)
        let file = try object(builder.build())
        var streamed: [UInt8] = []
        try file.inflateStreaming(try #require(file.section(named: ".debug_info"))) {
            streamed += array($0)
            return true
        }
        #expect(Array(streamed[4..<12]) == sample.after)
    }
}
