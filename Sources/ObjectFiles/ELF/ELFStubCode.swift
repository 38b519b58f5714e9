internal import BinaryPrimitives

/// Decodes the stubs of a machine: the forms of GNU's linkers (ld.bfd, gold), LLVM's and mold.
struct ELFStubCode {
    /// The machine's relocation type for an address that a function of the file itself chooses
    /// (`R_…_IRELATIVE`).
    let indirect: UInt32
    /// Whether stubs are placed between the functions that call them.
    var liesBetweenFunctions: Bool { machine == .ppc64 }
    private let machine: Architecture
    private let order: ByteOrder
    /// Address of the section `.got`, in a file that has one.
    private let got: UInt64?

    /// - Returns: `nil` for a machine whose stubs are not known.
    init?(_ object: ObjectFile) {
        guard object.description.container == .elf, let indirect = Self.indirect[object.architecture] else { return nil }
        self.indirect = indirect
        machine = object.architecture
        order = object.description.byteOrder
        got = object.section(named: ".got")?.address.value
    }

    private static let indirect: [Architecture: UInt32] = [
        .x86_64: 37, .i386: 42, .arm64: 1032, .arm: 160, .riscv64: 58, .riscv32: 58, .s390x: 61, .ppc64: 248, .loongarch64: 12,
        // No processor of these has them.
        .mips: .max, .mips64: .max,
    ]

    /// Decoders to try: more than one where the file does not show which base address the stubs
    /// use. The one that finds any stubs is right.
    func decoders(globalOffsetTable: UInt64?) -> [ELFStubDecoder] {
        // In i386's position-independent code, %ebx is where `.got.plt` begins (`DT_PLTGOT`), or
        // `.got` (mold).
        if machine == .i386 {
            return [globalOffsetTable, got].map { base in ELFStubDecoder(alignment: 8) { Self.x86($0, $1, $2, is64Bit: false, base) } }
        }
        return [decoder()]
    }

    private func decoder() -> ELFStubDecoder {
        switch machine {
        case .x86_64: ELFStubDecoder(alignment: 8) { Self.x86($0, $1, $2, is64Bit: true, nil) }
        case .arm64: ELFStubDecoder(alignment: 4) { Self.arm64($0, $1, $2) }
        case .arm: ELFStubDecoder(alignment: 4) { Self.arm($0, $1, $2) }
        case .riscv64, .riscv32: ELFStubDecoder(alignment: 4) { Self.riscv($0, $1, $2) }
        case .loongarch64: ELFStubDecoder(alignment: 4) { Self.loongarch($0, $1, $2) }
        case .s390x: ELFStubDecoder(alignment: 4) { Self.s390x($0, $1, $2) }
        case .ppc64:
            // r2, from which the stubs count, is 32 KB after the beginning of `.got` (OpenPOWER ELF
            // V2 ABI, section 2.3.3.2).
            ELFStubDecoder(alignment: 4) { bytes, position, _ in
                got.flatMap { Self.ppc64(bytes, position, tocPointer: $0 &+ 0x8000, order) }
            }
        default: ELFStubDecoder(alignment: 4) { bytes, position, _ in Self.mips(bytes, position, order) }
        }
    }
}

/// Reads the stub at an address, if there is one.
struct ELFStubDecoder {
    struct Found {
        enum Target {
            /// Address of the slot (in the global offset table) that it loads the target from.
            case slot(UInt64)
            /// The index of the symbol itself.
            case symbol(UInt64)
        }

        var target: Target
        /// Size in bytes that this form of stub has.
        var size: Int

        init(_ target: Target, _ size: Int) {
            self.target = target
            self.size = size
        }
    }

    /// Alignment of the first byte of a stub.
    let alignment: UInt64
    private let read: (RawSpan, Int, UInt64) -> Found?

    init(alignment: UInt64, _ read: @escaping (RawSpan, Int, UInt64) -> Found?) {
        self.alignment = alignment
        self.read = read
    }

    func decode(_ bytes: RawSpan, at position: Int, address: UInt64) -> Found? { read(bytes, position, address) }
}

extension ELFStubCode {
    typealias Found = ELFStubDecoder.Found

    /// The instruction of 32 bits at a position, 0 outside; little-endian if not said otherwise.
    static func word(_ bytes: RawSpan, _ position: Int, _ order: ByteOrder = .littleEndian) -> UInt32 {
        (try? bytes.value(UInt32.self, at: position, order)) ?? 0
    }

    private static func byte(_ bytes: RawSpan, _ position: Int) -> UInt8 {
        (try? bytes.value(UInt8.self, at: position, .littleEndian)) ?? 0
    }

    /// A number of so many bits, with its sign.
    static func signed(_ value: UInt32, bits: UInt32) -> UInt64 {
        UInt64(bitPattern: Int64(Int32(bitPattern: value << (32 - bits)) >> Int32(32 - bits)))
    }

    /// `jmp *slot(%rip)`; i386 `jmp *slot` or, position-independent, `jmp *distance(%ebx)`.
    /// Before it may be `endbr64` (IBT), `mov $index, %r11d` (mold) or a prefix for bounds (MPX),
    /// after it `push $index; jmp` to the dynamic linker. LLVM's for processors with Spectre load
    /// first: `mov slot(%rip), %r11`.
    private static func x86(_ bytes: RawSpan, _ start: Int, _ address: UInt64, is64Bit: Bool, _ got: UInt64?) -> Found? {
        var position = start
        if word(bytes, position) == (is64Bit ? 0xfa1e_0ff3 : 0xfb1e_0ff3) { position += 4 }
        if is64Bit ? byte(bytes, position) == 0x41 && byte(bytes, position + 1) == 0xbb : byte(bytes, position) == 0xb9 {
            position += is64Bit ? 6 : 5
        }
        if byte(bytes, position) == 0xf2 { position += 1 }
        let isRetpoline: Bool
        let isFromTable: Bool
        switch (byte(bytes, position), byte(bytes, position + 1), byte(bytes, position + 2)) {
        case (0xff, 0x25, _): (isRetpoline, isFromTable, position) = (false, false, position + 2)
        case (0xff, 0xa3, _) where !is64Bit: (isRetpoline, isFromTable, position) = (false, true, position + 2)
        case (0x4c, 0x8b, 0x1d) where is64Bit: (isRetpoline, isFromTable, position) = (true, false, position + 3)
        case (0x50, 0xa1, _) where !is64Bit: (isRetpoline, isFromTable, position) = (true, false, position + 2)
        case (0x50, 0x8b, 0x83) where !is64Bit: (isRetpoline, isFromTable, position) = (true, true, position + 3)
        default: return nil
        }
        let distance = word(bytes, position)
        position += 4
        var slot = UInt64(distance)
        if is64Bit {
            slot = address &+ UInt64(position - start) &+ signed(distance, bits: 32)
        } else if isFromTable {
            guard let got else { return nil }
            slot = (got &+ slot) & 0xffff_ffff
        }
        let next = byte(bytes, position)
        if isRetpoline { return Found(.slot(slot), next == 0xe9 ? 16 : 32) }
        return Found(.slot(slot), position - start <= 8 && next != 0x68 ? 8 : 16)
    }

    /// `adrp x16, page; ldr x17, [x16, #distance]; add x16, …; br x17`. Before it may be `bti c`,
    /// before the jump `autia1716` (PAC), after it nothing that matters.
    private static func arm64(_ bytes: RawSpan, _ start: Int, _ address: UInt64) -> Found? {
        var position = start
        if word(bytes, position) == 0xd503_245f { position += 4 }
        let (page, load) = (word(bytes, position), word(bytes, position + 4))
        let isWide = load & 0xffc0_0000 == 0xf940_0000
        guard page & 0x9f00_001e == 0x9000_0010, isWide || load & 0xffc0_0000 == 0xb940_0000, load >> 5 & 31 == page & 31 else {
            return nil
        }
        let distance = signed((page >> 5 & 0x7_ffff) << 2 | page >> 29 & 3, bits: 21) << 12
        let slot = (address &+ UInt64(position - start)) & ~0xfff &+ distance &+ UInt64(load >> 10 & 0xfff) << (isWide ? 3 : 2)
        // To the jump, `br` or `braa`, and what fills up.
        position += 8
        for _ in 0..<3 where word(bytes, position) & 0xfeff_f000 != 0xd61f_0000 { position += 4 }
        guard word(bytes, position) & 0xfeff_f000 == 0xd61f_0000 else { return nil }
        position += 4
        while word(bytes, position) == 0xd503_201f, position - start < 24 { position += 4 }
        return Found(.slot(slot), position - start)
    }

    /// `auipc t3, pages; ld t3, distance(t3); jalr t1, t3; nop`. Before it may be `lpad`.
    private static func riscv(_ bytes: RawSpan, _ start: Int, _ address: UInt64) -> Found? {
        var position = start
        if word(bytes, position) & 0xfff == 0x17 { position += 4 }
        let (page, load) = (word(bytes, position), word(bytes, position + 4))
        guard page & 0x7f == 0x17, [0x3003, 0x2003].contains(load & 0x707f), load >> 15 & 31 == page >> 7 & 31, page >> 7 & 31 != 0 else {
            return nil
        }
        let slot = address &+ UInt64(position - start) &+ signed(page & 0xffff_f000, bits: 32) &+ signed(load >> 20, bits: 12)
        position += 8
        guard word(bytes, position) & 0x707f == 0x67 else { return nil }
        position += 4
        if word(bytes, position) == 0x13 { position += 4 }
        return Found(.slot(load & 0x1000 != 0 ? slot : slot & 0xffff_ffff), position - start)
    }

    /// `pcaddu12i $t3, pages; ld.d $t3, $t3, distance; jirl $t1, $t3, 0; nop`.
    private static func loongarch(_ bytes: RawSpan, _ start: Int, _ address: UInt64) -> Found? {
        let (page, load, jump) = (word(bytes, start), word(bytes, start + 4), word(bytes, start + 8))
        let isPage = page & 0xfe00_0000 == 0x1a00_0000
        guard isPage || page & 0xfe00_0000 == 0x1c00_0000, [0x28c0_0000, 0x2880_0000].contains(load & 0xffc0_0000),
            load >> 5 & 31 == page & 31, jump & 0xfc00_0000 == 0x4c00_0000
        else { return nil }
        let base = isPage ? address & ~0xfff : address
        return Found(.slot(base &+ signed(page >> 5 & 0xf_ffff, bits: 20) << 12 &+ signed(load >> 10 & 0xfff, bits: 12)), 16)
    }

    /// `larl %r1, slot; lg %r1, 0(%r1); br %r1`, 32 bytes with what calls the dynamic linker;
    /// mold's begins with `lgrl %r1, slot`.
    private static func s390x(_ bytes: RawSpan, _ start: Int, _ address: UInt64) -> Found? {
        var first = start
        // mold sets %r0 first, to the relocation's number (`lgfi`).
        if word(bytes, first, .bigEndian) >> 16 == 0xc001 { first += 6 }
        let code = word(bytes, first, .bigEndian) >> 16
        guard code == 0xc010 || code == 0xc418 else { return nil }
        let distance = signed(word(bytes, first + 2, .bigEndian), bits: 32) << 1
        let slot = address &+ UInt64(first - start) &+ distance
        guard code == 0xc010 else { return Found(.slot(slot), 16) }
        guard word(bytes, first + 6, .bigEndian) == 0xe310_1000 else { return nil }
        return Found(.slot(slot), 32)
    }

    /// `std r2, 24(r1); addis r12, r2, pages; ld r12, distance(r12); mtctr r12; bctr`. The second
    /// is left out where there are no pages.
    private static func ppc64(_ bytes: RawSpan, _ start: Int, tocPointer: UInt64, _ order: ByteOrder) -> Found? {
        guard word(bytes, start, order) == 0xf841_0018 else { return nil }
        var position = start + 4
        var slot = tocPointer
        var base: UInt32 = 2
        if word(bytes, position, order) & 0xffff_0000 == 0x3d82_0000 {
            slot = slot &+ signed(word(bytes, position, order) << 16, bits: 32)
            base = 12
            position += 4
        }
        let load = word(bytes, position, order)
        guard load & 0xffe0_0003 == 0xe980_0000, load >> 16 & 31 == base, word(bytes, position + 4, order) == 0x7d89_03a6,
            word(bytes, position + 8, order) == 0x4e80_0420
        else { return nil }
        return Found(.slot(slot &+ signed(load & 0xfffc, bits: 16)), position + 12 - start)
    }

    /// Position-independent code has `lw $25, -32752($28); move $15, $31; jalr $25; li $24, index`,
    /// with the symbol's index; other code `lui $15, pages; lw $25, distance($15); addiu $24, $15,
    /// distance; jr $25`; LLVM's has the last two the other way round.
    private static func mips(_ bytes: RawSpan, _ start: Int, _ order: ByteOrder) -> Found? {
        let (page, load) = (word(bytes, start, order), word(bytes, start + 4, order))
        if [0x8f99_8010, 0xdf99_8010].contains(page), [0x03e0_7825, 0x03e0_7821, 0x03e0_782d].contains(load),
            word(bytes, start + 8, order) == 0x0320_f809, [0x2418, 0x3418, 0x6418].contains(word(bytes, start + 12, order) >> 16)
        {
            return Found(.symbol(UInt64(word(bytes, start + 12, order) & 0xffff)), 16)
        }
        let isWide = load >> 16 == 0xddf9
        guard page >> 16 == 0x3c0f, isWide || load >> 16 == 0x8df9 else { return nil }
        let slot = signed(page << 16, bits: 32) &+ signed(load & 0xffff, bits: 16)
        return Found(.slot(isWide ? slot : slot & 0xffff_ffff), 16)
    }
}
