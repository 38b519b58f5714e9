/// Position in an image, as a log gives it without an address in memory.
public enum ImageLocation: Sendable, Hashable {
    /// So many bytes from the image's first mapped byte.
    case offset(ImageOffset)
    /// The address as the file was linked, independent of its load address: an address in memory
    /// minus ELF's load bias (`dl_phdr_info.dlpi_addr`, `link_map.l_addr`), as sanitizers,
    /// `backtrace_symbols(3)` and Android print it. It is the offset if the file is linked at 0, as
    /// most libraries are, and the whole address in a program that is not position-independent.
    case linkAddress(LinkAddress)
    /// A position in the file that was mapped: an address in memory, less the mapping's start, and
    /// the file offset of the mapping.
    case fileOffset(UInt64)
    /// The relative pc of the unwinders of Android 9 and 10: a link address if the file's code is
    /// mapped from the file's first byte on, else a position in the file.
    case relativePC(UInt64)
    /// So many bytes from the beginning of the section `.text` (or `__text`); debuggers give its
    /// load address. Negative before it.
    case textOffset(Int64)
    /// So many bytes from a symbol: `main+0x1a`.
    case symbol(SymbolLocation)
    /// So many bytes from the start of the mapping with the image's code, whose file offset is not
    /// in the log: Linux' kernel, `in libc.so.6[7f2ac9974000+16e000]`.
    case mapping(MappingLocation)
}

/// A position that is given by the mapping that contains it.
public struct MappingLocation: Sendable, Hashable {
    /// Bytes from the mapping's start.
    public var offset: UInt64
    /// The mapping's size, whole pages: by it the file's segment is known.
    public var size: UInt64

    /// - Parameters:
    ///   - offset: bytes from the mapping's first byte.
    ///   - size: the mapping's size in bytes.
    public init(offset: UInt64, size: UInt64) {
        self.offset = offset
        self.size = size
    }
}

/// A position that is given by the name of the function that contains it: `vfs_read+0x9d/0x1a0`.
public struct SymbolLocation: Sendable, Hashable {
    /// As the image's symbol table has it, mangled names mangled.
    public var name: String
    /// Bytes from the symbol's address.
    public var offset: UInt64
    /// The function's size in bytes, if it is given: Linux' kernel means the distance to the next
    /// symbol (`kallsyms_lookup_size_offset`).
    public var size: UInt64?

    /// - Parameters:
    ///   - name: the symbol's name.
    ///   - offset: bytes from the symbol.
    ///   - size: the symbol's size in bytes, where the log has it.
    public init(name: String, offset: UInt64, size: UInt64? = nil) {
        self.name = name
        self.offset = offset
        self.size = size
    }
}
