internal import BinaryPrimitives

/// How a Mach-O file writes its structures: `MH_MAGIC` and its three relatives (`mach-o/loader.h`).
struct MachOLayout {
    let is64Bit: Bool
    let byteOrder: ByteOrder

    /// - Parameter magic: the first four bytes as a little-endian number.
    /// - Returns: `nil` if it is not a Mach-O magic number.
    init?(magic: UInt32) {
        switch magic {
        case 0xfeed_face: (is64Bit, byteOrder) = (false, .littleEndian)
        case 0xfeed_facf: (is64Bit, byteOrder) = (true, .littleEndian)
        case 0xcefa_edfe: (is64Bit, byteOrder) = (false, .bigEndian)
        case 0xcffa_edfe: (is64Bit, byteOrder) = (true, .bigEndian)
        default: return nil
        }
    }

    /// `mach_header` has 28 bytes, `mach_header_64` 32.
    var headerSize: Int { is64Bit ? 32 : 28 }
    /// `section` has 68 bytes, `section_64` 80.
    var sectionSize: Int { is64Bit ? 80 : 68 }
    /// `nlist` has 12 bytes, `nlist_64` 16.
    var symbolSize: Int { is64Bit ? 16 : 12 }
    var addressSize: Int { is64Bit ? 8 : 4 }
}

/// `filetype` of the header.
enum MachOFileType {
    static let object: UInt32 = 1
    static let execute: UInt32 = 2
    static let core: UInt32 = 4
    static let preload: UInt32 = 5
    static let dynamicLibrary: UInt32 = 6
    static let dynamicLinker: UInt32 = 7
    static let bundle: UInt32 = 8
    static let dynamicLibraryStub: UInt32 = 9
    static let dSYM: UInt32 = 10
    static let kernelExtension: UInt32 = 11
    static let fileset: UInt32 = 12
}

extension RawSpan {
    /// Reads a name field of fixed width: zero-padded, and without a zero where all its bytes are
    /// used (`segname`, `sectname`).
    mutating func readName(width: Int = 16) throws(ReadError) -> String {
        let field = try read(bytes: width)
        return field.prefix(field.lengthOfCString() ?? width).string()
    }

    mutating func readUInt32(_ layout: MachOLayout) throws(ReadError) -> UInt32 { try read(UInt32.self, layout.byteOrder) }

    /// Reads a number as wide as an address.
    mutating func readWord(_ layout: MachOLayout) throws(ReadError) -> UInt64 {
        try readUnsigned(size: layout.addressSize, layout.byteOrder)
    }
}

extension Architecture {
    /// The architecture that Mach-O's `cputype` and `cpusubtype` name (`mach/machine.h`). Others
    /// keep their numbers in the name.
    init(machOType type: UInt32, subtype: UInt32) {
        // The top byte of the subtype holds capabilities: CPU_SUBTYPE_LIB64 of x86_64 executables,
        // the pointer-authentication version of arm64e.
        switch (type, subtype & 0x00ff_ffff) {
        case (7, _): self = .i386
        case (0x0100_0007, 8): self = .x86_64h
        case (0x0100_0007, _): self = .x86_64
        case (12, 6): self = .armv6
        case (12, 9): self = .armv7
        case (12, 11): self = .armv7s
        case (12, 12): self = .armv7k
        case (12, 14): self = Architecture("armv6m")
        case (12, 15): self = Architecture("armv7m")
        case (12, 16): self = Architecture("armv7em")
        case (12, _): self = .arm
        case (0x0100_000c, 2): self = .arm64e
        case (0x0100_000c, _): self = .arm64
        case (0x0200_000c, _): self = .arm64_32
        case (18, _): self = .ppc
        case (0x0100_0012, _): self = .ppc64
        default: self = Architecture("Mach-O cputype \(type) subtype \(subtype & 0x00ff_ffff)")
        }
    }
}
