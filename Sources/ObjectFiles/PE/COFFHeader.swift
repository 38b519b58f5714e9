internal import BinaryPrimitives

/// The header of a COFF object, and the part of a PE image's headers that it shares with one (Microsoft, "PE Format"):
///
///     0    machine 2, number of sections 2, timestamp 4
///     8    offset of the symbol table 4, number of its records 4
///     16   size of the optional header 2, flags 2
///
/// An object with more than 65,279 sections (`cl /bigobj`) has another header, of 56 bytes, and larger symbol records
/// (`ANON_OBJECT_HEADER_BIGOBJ` of winnt.h):
///
///     0    0 and 0xffff, version 2, machine 2, timestamp 4, class ID 16
///     44   number of sections 4, offset of the symbol table 4, number of its records 4
struct COFFHeader {
    let machine: UInt16
    let sectionCount: Int
    let timestamp: UInt32
    /// Offset in the file and number of records; both zero if there is no symbol table.
    let symbolsOffset: Int
    let symbolCount: Int
    let flags: UInt16
    let optionalHeaderSize: Int
    /// Bytes of this header.
    let size: Int
    let symbolLayout: COFFSymbolLayout

    static let standardSize = 20
    private static let bigSize = 56
    /// The largest number of sections of the standard header (`IMAGE_SYM_SECTION_MAX`).
    private static let maxSections = 0xfeff
    private static let bigClass: [UInt8] = [
        0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b, 0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8,
    ]

    /// The header of a PE image, after `PE\0\0`.
    init(_ bytes: RawSpan, at start: Int) throws(ReadError) {
        func half(_ offset: Int) throws(ReadError) -> UInt16 { try bytes.value(UInt16.self, at: start + offset, .littleEndian) }
        func word(_ offset: Int) throws(ReadError) -> UInt32 { try bytes.value(UInt32.self, at: start + offset, .littleEndian) }
        machine = try half(0)
        sectionCount = Int(try half(2))
        timestamp = try word(4)
        symbolsOffset = Int(try word(8))
        symbolCount = Int(try word(12))
        optionalHeaderSize = Int(try half(16))
        flags = try half(18)
        size = Self.standardSize
        symbolLayout = .standard
    }

    /// The header of an object. It has no magic number: the machine is one that Windows runs on, there are sections, no optional
    /// header, and a symbol table in the file.
    /// - Returns: `nil` if the file does not begin with one.
    init?(object file: MappedFile) {
        let head = file.bytes(in: 0..<min(Self.bigSize, file.size))
        guard let standard = try? Self(head.span.rawBytes, at: 0) else { return nil }
        if standard.machine == 0, standard.sectionCount == 0xffff {
            guard head.count == Self.bigSize, head[12..<28].elementsEqual(Self.bigClass), let big = try? Self(big: head.span.rawBytes)
            else {
                return nil
            }
            self = big
        } else {
            self = standard
        }
        guard Self.architectures[machine] != nil, sectionCount > 0, size > Self.standardSize || sectionCount <= Self.maxSections,
            optionalHeaderSize == 0, symbolsOffset >= size
        else { return nil }
    }

    private init(big bytes: RawSpan) throws(ReadError) {
        func word(_ offset: Int) throws(ReadError) -> UInt32 { try bytes.value(UInt32.self, at: offset, .littleEndian) }
        machine = try bytes.value(UInt16.self, at: 6, .littleEndian)
        timestamp = try word(8)
        sectionCount = Int(try word(44))
        symbolsOffset = Int(try word(48))
        symbolCount = Int(try word(52))
        (optionalHeaderSize, flags) = (0, 0)
        size = Self.bigSize
        symbolLayout = .big
    }

    /// IMAGE_FILE_MACHINE_… of the systems whose objects are read.
    private static let architectures: [UInt16: Architecture] = [
        0x14c: .i386, 0x8664: .x86_64, 0xaa64: .arm64, 0xa641: .arm64, 0x1c0: .arm, 0x1c2: .arm, 0x1c4: .arm,
    ]

    var architecture: Architecture {
        switch machine {
        case 0x5064: .riscv64
        case 0x6264: .loongarch64
        case 0x200: Architecture("ia64")
        default: Self.architectures[machine] ?? Architecture("PE machine \(machine)")
        }
    }
}

/// Fields of a symbol record ("COFF Symbol Table"; `IMAGE_SYMBOL_EX` for the wide ones):
///
///     name 8, value 4, section 2 or 4, type 2, storage class 1, number of auxiliary records 1
struct COFFSymbolLayout {
    /// Bytes of a record.
    let size: Int
    private let isWide: Bool

    static let standard = COFFSymbolLayout(size: 18, isWide: false)
    static let big = COFFSymbolLayout(size: 20, isWide: true)

    func value(_ record: RawSpan) -> UInt32 { (try? record.value(UInt32.self, at: 8, .littleEndian)) ?? 0 }
    /// Counts from 1; 0 for an undefined symbol, -1 for an absolute one, -2 for the name of a source file.
    func section(_ record: RawSpan) -> Int {
        isWide
            ? Int((try? record.value(Int32.self, at: 12, .littleEndian)) ?? 0)
            : Int((try? record.value(Int16.self, at: 12, .littleEndian)) ?? 0)
    }
    func type(_ record: RawSpan) -> UInt16 { (try? record.value(UInt16.self, at: size - 4, .littleEndian)) ?? 0 }
    func storageClass(_ record: RawSpan) -> UInt8 { record.byte(at: size - 2) }
    func auxiliaryCount(_ record: RawSpan) -> Int { Int(record.byte(at: size - 1)) }
}
