import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Stubs of the procedure linkage table: one of each form as a linker wrote it, in a file whose
/// every relocation is stated; and those of real programs beside objdump's labels.
struct ELFStubsTests {
    /// A stub of `puts` as a linker wrote it.
    struct Form: CustomTestStringConvertible {
        var linker: String
        var machine: Machine
        var address: UInt64
        var code: String
        /// Address that it loads from: the address of the relocation.
        var slot: UInt64
        /// Address of the global offset table, if the code counts from it: `DT_PLTGOT`, or the
        /// section `.got`.
        var table: UInt64 = 0
        var got: UInt64 = 0
        var section = ".plt"

        var testDescription: String { "\(machine) \(linker)" }
    }

    /// `e_machine`, the class, the byte order; whether relocations have addends; `R_…_JUMP_SLOT`
    /// and `R_…_IRELATIVE`.
    enum Machine: String {
        case x86_64, x32, i386, arm64, arm, riscv64, riscv32, s390x, ppc64le, ppc64, loongarch64, mips

        var number: UInt16 {
            switch self {
            case .x86_64, .x32: 62
            case .i386: 3
            case .arm64: 183
            case .arm: 40
            case .riscv64, .riscv32: 243
            case .s390x: 22
            case .ppc64le, .ppc64: 21
            case .loongarch64: 258
            case .mips: 8
            }
        }
        var is64Bit: Bool { ![.x32, .i386, .arm, .riscv32, .mips].contains(self) }
        var order: ByteOrder { [.s390x, .ppc64].contains(self) ? .bigEndian : .littleEndian }
        var hasAddends: Bool { ![.i386, .arm, .mips].contains(self) }
        var types: (jump: UInt64, indirect: UInt64) {
            switch self {
            case .x86_64, .x32: (7, 37)
            case .i386: (7, 42)
            case .arm64: (1026, 1032)
            case .arm: (22, 160)
            case .riscv64, .riscv32: (5, 58)
            case .s390x: (11, 61)
            case .ppc64le, .ppc64: (21, 248)
            case .loongarch64: (5, 12)
            case .mips: (127, 0)
            }
        }
    }

    /// GNU ld 2.40, gold 1.16, LLD 19 and 21, mold 1.10. `-z ibtplt` and `-z force-ibt`: IBT;
    /// `-z retpolineplt`; `-z pac-plt`; `--long-plt`.
    static let forms = [
        Form(linker: "bfd", machine: .x86_64, address: 0x1010, code: "ff25ea2f00006800000000e9e0ffffff", slot: 0x4000),
        Form(linker: "bfd .plt.got", machine: .x86_64, address: 0x1060, code: "ff25722f00006690", slot: 0x3fd8, section: ".plt.got"),
        Form(
            linker: "bfd IBT", machine: .x86_64, address: 0x1060, code: "f30f1efaff256e2f0000660f1f440000", slot: 0x3fd8,
            section: ".plt.sec"),
        Form(linker: "gold IBT", machine: .x86_64, address: 0x520, code: "f30f1efaff25de1a00000f1f04009090", slot: 0x2008),
        Form(linker: "mold", machine: .x86_64, address: 0x1690, code: "f30f1efa41bb00000000ff2528240000", slot: 0x3ac8),
        Form(
            linker: "LLD retpoline", machine: .x86_64, address: 0x15a0,
            code: "4c8b1da9210000e8c4ffffffe9b1ffffff6801000000e995ffffffcccccccccc", slot: 0x3750),
        Form(
            linker: "LLD retpoline -z now", machine: .x86_64, address: 0x1580, code: "4c8b1d79110000e9c4ffffffcccccccc", slot: 0x2700),
        Form(linker: "bfd", machine: .x32, address: 0x1060, code: "ff25722f00006690", slot: 0x3fd8, section: ".plt.got"),
        Form(linker: "bfd", machine: .i386, address: 0x804_9080, code: "ff2514c004086828000000e990ffffff", slot: 0x804_c014),
        Form(
            linker: "bfd PIC", machine: .i386, address: 0x1060, code: "ffa3f8ffffff6690", slot: 0x3fec, table: 0x3ff4, section: ".plt.got"),
        Form(
            linker: "gold PIC", machine: .i386, address: 0x2e0, code: "ffa3100000006808000000e9d0ffffff", slot: 0x2004, table: 0x1ff4),
        Form(
            linker: "mold PIC", machine: .i386, address: 0x1380, code: "f30f1efbb900000000ffa31c100000cc", slot: 0x353c, table: 0x3530,
            got: 0x2520),
        Form(
            linker: "LLD retpoline PIC", machine: .i386, address: 0x1430,
            code: "508b8310000000e8c4ffffffe9b1ffffff6808000000e995ffffffcccccccccc", slot: 0x3558, table: 0x3548),
        Form(linker: "bfd", machine: .arm64, address: 0x400, code: "10010090110a40f91042009120021fd6", slot: 0x20010),
        Form(
            linker: "bfd PAC", machine: .arm64, address: 0x480, code: "10010090110a40f9104200919f2103d520021fd61f2003d5", slot: 0x20010),
        Form(
            linker: "LLD BTI", machine: .arm64, address: 0x10628, code: "1001009011e243f910021f9120021fd61f2003d51f2003d5",
            slot: 0x307c0),
        Form(
            linker: "bti c", machine: .arm64, address: 0x47c, code: "5f2403d510010090110a40f91042009120021fd61f2003d5", slot: 0x20010),
        Form(linker: "bfd", machine: .arm, address: 0x2a8, code: "00c68fe201ca8ce264fdbce5", slot: 0x2014),
        Form(linker: "bfd from Thumb", machine: .arm, address: 0x2a4, code: "7847c04600c68fe201ca8ce264fdbce5", slot: 0x2014),
        Form(linker: "bfd far", machine: .arm, address: 0x2b0, code: "00c28fe200c68ce201ca8ce25cfdbce5", slot: 0x2014),
        Form(linker: "LLD", machine: .arm, address: 0x10390, code: "00c68fe220ca8ce2d0f0bce5d4d4d4d4", slot: 0x30468),
        Form(linker: "mold", machine: .arm, address: 0x1370, code: "04c09fe50fc08ce000f09ce5a4110000", slot: 0x2520),
        // movw ip, #0x1c58; movt ip, #0; add ip, pc; ldr.w pc, [ip]; b .-2: 0x3a8 + 12 + 0x1c58.
        Form(linker: "Thumb alone", machine: .arm, address: 0x3a8, code: "41f6584cc0f2000cfc44dcf800f0fce7", slot: 0x200c),
        Form(linker: "bfd", machine: .riscv64, address: 0x420, code: "172e0000033e0ec067030e0013000000", slot: 0x2020),
        Form(linker: "LLD", machine: .riscv32, address: 0x13d0, code: "172e0000032e8e0d67030e0013000000", slot: 0x34a8),
        Form(
            linker: "bfd", machine: .s390x, address: 0x440, code: "c01000000de8e3101000000407f10d10e310100c0014c0f4ffffffc500000030",
            slot: 0x2010),
        Form(
            linker: "bfd", machine: .ppc64le, address: 0x460, code: "180041f8208182e9a603897d2004804e", slot: 0x20020, got: 0x1ff00,
            section: ".text"),
        Form(
            linker: "LLD", machine: .ppc64, address: 0x10554, code: "f84100183d820001e98c80387d8903a64e800420", slot: 0x30748,
            got: 0x20710, section: ".text"),
        Form(linker: "LLD", machine: .loongarch64, address: 0x10510, code: "0f04001cef61c528ed01004c00004003", slot: 0x30668),
        Form(linker: "LLD", machine: .mips, address: 0x203c0, code: "03000f3c2004f98d080020032004f825", slot: 0x30420),
    ]

    /// The code, between zeros of eight bytes; a dynamic table with relocations; the symbols 1
    /// `puts`, 2 `other`.
    private static func file(
        _ form: Form, relocations: [(slot: UInt64, symbol: UInt64, type: UInt64, addend: UInt64)]? = nil, section: String? = nil,
        limits: Limits = Limits(), _ change: (inout [UInt8]) -> Void = { _ in }
    ) throws -> ObjectFile {
        let machine = form.machine
        var builder = ELFBuilder()
        (builder.machine, builder.is64Bit, builder.order) = (machine.number, machine.is64Bit, machine.order)
        let size = machine.is64Bit ? 8 : 4
        let given =
            relocations
            ?? [
                (form.slot - 8, 2, machine.types.jump, 0), (form.slot, 1, machine.types.jump, 0),
                (form.slot + 8, 2, machine.types.jump, 0),
            ]
        let base: UInt64 = 0x7000_0000
        let (tableSize, symbolSize) = (UInt64(14 * size), UInt64(machine.is64Bit ? 24 : 16))
        let symbols = base + tableSize
        let strings = symbols + 3 * symbolSize
        let start = strings + 12
        var blob = ByteWriter(machine.order)
        let length = UInt64(given.count * size * (machine.hasAddends ? 3 : 2))
        // DT_PLTGOT, DT_SYMTAB, DT_STRTAB, DT_STRSZ, DT_JMPREL, DT_PLTRELSZ, and DT_NULL in the
        // place of DT_PLTREL where there are no addends.
        let entries: [(UInt64, UInt64)] = [
            (3, form.table), (6, symbols), (5, strings), (10, 12), (23, start), (2, length), machine.hasAddends ? (20, 7) : (0, 0),
        ]
        for (tag, value) in entries { for number in [tag, value] { blob.putWord(number, wide: machine.is64Bit) } }
        for name: UInt32 in [0, 1, 6] { blob.bytes += builder.symbol(name: name, value: 0, size: 0, info: 0x12, section: 0) }
        blob.bytes += Array("\0puts\0other\0".utf8)
        for relocation in given {
            blob.putWord(relocation.slot, wide: machine.is64Bit)
            blob.putWord(relocation.symbol << (machine.is64Bit ? 32 : 8) | relocation.type, wide: machine.is64Bit)
            if machine.hasAddends { blob.putWord(relocation.addend, wide: machine.is64Bit) }
        }
        let offset = UInt64((machine.is64Bit ? 64 + 2 * 56 : 52 + 2 * 32))
        builder.segments = [
            .init(type: 1, offset: offset, address: base, fileSize: UInt64(blob.bytes.count), memorySize: UInt64(blob.bytes.count)),
            .init(type: 2, offset: offset, address: base, fileSize: tableSize, memorySize: tableSize),
        ]
        let zeros = [UInt8](repeating: 0, count: 8)
        builder.sections = [
            .init(name: ".dynamic", type: 6, flags: 3, address: base, bytes: blob.bytes),
            .init(
                name: section ?? form.section, type: 1, flags: 6, address: form.address - 8,
                bytes: zeros + (try #require(bytes(form.code))) + zeros),
        ]
        if form.got > 0 { builder.sections.append(.init(name: ".got", type: 8, flags: 3, address: form.got, size: 8)) }
        var file = builder.build()
        change(&file)
        return try #require(try ObjectFiles.openAll(MappedFile(bytes: file.span.rawBytes, name: "stub"), limits: limits).first)
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8]? {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count, by: 2).reduce(into: [UInt8]?([])) { bytes, index in
            guard let byte = UInt8(String(digits[index...index + 1]), radix: 16) else { return bytes = nil }
            bytes?.append(byte)
        }
    }

    private static func shown(_ object: ObjectFile) -> [String] {
        object.stubRanges.map { range in
            let stub = object.stub(containing: LinkAddress(range.lowerBound))
            return "0x\(String(range.lowerBound, radix: 16)) \(range.count) \(stub?.name ?? "none")"
        }
    }

    @Test(arguments: forms)
    func `a stub is called after the symbol whose place it loads from`(form: Form) throws {
        let object = try Self.file(form)
        #expect(Self.shown(object) == ["0x\(String(form.address, radix: 16)) \(form.code.utf8.count / 2) puts@plt"])
        let end = form.address + UInt64(form.code.utf8.count / 2)
        let stub = try #require(object.stub(containing: LinkAddress(form.address)))
        #expect(stub.address == LinkAddress(form.address) && object.stub(containing: LinkAddress(end - 1)) == stub)
        for outside in [form.address - 1, end, 0, .max] { #expect(object.stub(containing: LinkAddress(outside)) == nil) }
    }

    @Test(arguments: forms)
    func `what loads from another place is no stub`(form: Form) throws {
        let other = try Self.file(form, relocations: [(form.slot + 4, 1, form.machine.types.jump, 0)])
        #expect(other.stubRanges.isEmpty)
        // `R_…_RELATIVE` and the like have no symbol.
        #expect(try Self.file(form, relocations: [(form.slot, 0, form.machine.types.jump, 0x1234)]).stubRanges.isEmpty)
        #expect(try Self.file(form, relocations: []).stubRanges.isEmpty)
    }

    /// As gdb and objdump print it for x86-64: `*ABS*` is a symbol without a section, which the
    /// relocation is taken to have.
    @Test(arguments: forms.filter { $0.machine != .mips && $0.machine.hasAddends })
    func `the stub of a function that is chosen at the start has the address of what chooses`(form: Form) throws {
        let object = try Self.file(form, relocations: [(form.slot, 0, form.machine.types.indirect, 0x1150)])
        #expect(object.stub(containing: LinkAddress(form.address))?.name == "*ABS*+0x1150@plt")
    }

    @Test func `an addend is a part of the name`() throws {
        let object = try Self.file(Self.forms[0], relocations: [(Self.forms[0].slot, 1, 7, 0x10)])
        #expect(object.stub(containing: LinkAddress(0x1010))?.name == "puts+0x10@plt")
    }

    /// `call *puts@GOTPCREL(%rip)` and jumps at the end of a function load such slots too.
    @Test func `code between functions is not taken for stubs`() throws {
        #expect(try Self.file(Self.forms[0], section: ".text").stubRanges.isEmpty)
    }

    /// The second of three relocations fills the slot that the stub loads from.
    @Test(arguments: [(2, ["0x1010 16 puts@plt"]), (1, [])])
    func `so many relocations are read`(limit: Int, stubs: [String]) throws {
        var limits = Limits()
        limits.dynamicRelocations = limit
        #expect(Self.shown(try Self.file(Self.forms[0], limits: limits)) == stubs)
    }

    /// The second stub loads from 0x1026 + 0x2fe2 = 0x4008, eight bytes after the first one's
    /// address.
    @Test(arguments: [(2, ["0x1010 16 puts@plt", "0x1020 16 other@plt"]), (1, ["0x1010 16 puts@plt"])])
    func `so many stubs are read`(limit: Int, stubs: [String]) throws {
        var limits = Limits()
        limits.stubs = limit
        var form = Self.forms[0]
        form.code += "ff25e22f00006801000000e9d0ffffff"
        #expect(Self.shown(try Self.file(form, limits: limits)) == stubs)
    }

    /// mold names its stubs in the symbol table, `puts$plt`. A symbol with such a name that is not
    /// a stub stays.
    @Test func `mold's own names for stubs are no symbols`() throws {
        var builder = ELFBuilder()
        let records = [(UInt32(0), UInt64(0), UInt16(0)), (1, 0x1000, 1), (10, 0x1010, 1), (22, 0x1020, 1), (1, 0x2000, 2)].map {
            builder.symbol(name: $0.0, value: $0.1, size: 0, info: 2, section: $0.2)
        }
        builder.sections = [
            .init(name: ".plt", type: 1, flags: 6, address: 0x1000, bytes: [UInt8](repeating: 0, count: 64)),
            .init(name: ".text", type: 1, flags: 6, address: 0x2000, bytes: [UInt8](repeating: 0, count: 64)),
            .init(name: ".symtab", type: 2, bytes: Array(records.joined()), link: 4),
            .init(name: ".strtab", type: 3, bytes: Array("\0puts$plt\0puts$pltgot\0resolve\0".utf8)),
        ]
        let file = builder.build()
        let object = try #require(try ObjectFiles.openAll(MappedFile(bytes: file.span.rawBytes, name: "mold")).first)
        let names = try elements { try object.forEachSymbol($0) }.map { "\($0.name.text(in: object)) \($0.address.value)" }
        #expect(names == ["resolve \(0x1020)", "puts$plt \(0x2000)"])
    }

    /// The section that PIC of MIPS has in place of `.plt`: the index of the symbol is in the code.
    @Test func `a stub of MIPS has its symbol's index`() throws {
        let form = Form(
            linker: "bfd", machine: .mips, address: 0x3a0, code: "1080998f2578e00309f8200301001824", slot: 0x100, section: ".MIPS.stubs")
        #expect(Self.shown(try Self.file(form)) == ["0x3a0 16 puts@plt"])
        #expect(try Self.file(form, section: ".text").stubRanges.isEmpty)
    }

    // MARK: Hostile input

    @Test(arguments: forms)
    func `a file with any byte changed has no stubs, or some of its own code`(form: Form) throws {
        let whole = try Self.file(form)
        let last = whole.file.size
        for index in stride(from: form.machine.is64Bit ? 64 : 52, to: last, by: 1) {
            for value: UInt8 in [0xff] {
                let object = try? Self.file(form) { if index < $0.count { $0[index] = value } }
                for range in object?.stubRanges ?? [] {
                    #expect(object?.section(containing: LinkAddress(range.lowerBound))?.isExecutable ?? false)
                    _ = object?.stub(containing: LinkAddress(range.upperBound - 1))
                }
            }
        }
    }

    @Test func `so many stubs and relocations are read`() throws {
        let form = Self.forms[0]
        let file = try Self.file(form)
        func opened(_ change: (inout Limits) -> Void) throws -> ObjectFile {
            var limits = Limits()
            change(&limits)
            return try #require(try ObjectFiles.openAll(file.file, limits: limits).first)
        }
        #expect(try opened { $0.stubs = 1 }.stubRanges.count == 1)
        #expect(try opened { $0.stubs = 0 }.stubRanges.isEmpty)
        // The second of three.
        #expect(try opened { $0.dynamicRelocations = 2 }.stubRanges.count == 1)
        #expect(try opened { $0.dynamicRelocations = 1 }.stubRanges.isEmpty)
    }

    // MARK: Real programs

    /// objdump labels the stubs that it knows `<strcpy@plt>`.
    @Test(.enabled(if: TestPaths.isReadable("/usr/bin/objdump"), "objdump (package binutils) is not installed"))
    func `stubs of the fixtures are called as objdump calls them`() throws {
        let paths = try run("find", [TestPaths.fixture("binaries"), "-path", "*/out/*", "-type", "f"]).lines
        var (files, compared) = (0, 0)
        for path in paths.sorted() {
            guard let object = try? ObjectFiles.open(path: path), object.architecture == .x86_64, object.description.container == .elf,
                object.description.kind == .executable || object.description.kind == .sharedLibrary
            else { continue }
            let sections = [".plt", ".plt.got", ".plt.sec"].flatMap { ["-j", $0] }
            // ADDRESS <NAME@plt>:
            let labels = try run("objdump", ["-d"] + sections + [path]).lines.compactMap { line -> (UInt64, String)? in
                let cells = line.split(separator: " ")
                guard cells.count == 2, cells[1].hasSuffix("@plt>:"), let address = UInt64(cells[0], radix: 16) else { return nil }
                return (address, String(cells[1].dropFirst().dropLast(2)))
            }
            for (address, name) in labels {
                #expect(
                    object.stub(containing: LinkAddress(address)).map { [$0.name, "\($0.address)"] } == [name, "\(LinkAddress(address))"],
                    "\(path)")
            }
            #expect(object.stubRanges.count == labels.count, "\(path)")
            (files, compared) = (files + (labels.isEmpty ? 0 : 1), compared + labels.count)
        }
        #expect(files > 20 && compared > 100)
    }
}
