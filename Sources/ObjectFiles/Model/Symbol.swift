public import BinaryPrimitives

/// A defined symbol of a symbol table (ELF's `Elf64_Sym`, Mach-O's `nlist_64`).
public struct Symbol: Sendable {
    public enum Kind: Sendable, Hashable {
        /// `STT_FUNC`, `STT_GNU_IFUNC`; Mach-O: a symbol of an executable section.
        case function
        /// `STT_OBJECT`, `STT_COMMON`; Mach-O: a symbol of another section.
        case data
        /// `STT_NOTYPE` with a section.
        case untyped
        /// `STT_FILE`: the name of the source file that the local symbols after it come from. Has no address.
        case file
    }

    public enum Binding: Sendable, Hashable { case local, global, weak }

    /// Where its name lies; resolved by `SymbolName`, because most symbols' names are never wanted.
    public var name: SymbolName
    /// Its address as linked. The Thumb bit of 32-bit ARM is cleared.
    public var address: LinkAddress
    /// Bytes; zero where the table does not tell (assembly, and always in Mach-O).
    public var size: UInt64
    public var kind: Kind
    public var binding: Binding
    /// The number of its section, as in `Section.number`; 0 for `STT_FILE`.
    public var section: Int

    public init(name: SymbolName, address: LinkAddress, size: UInt64, kind: Kind, binding: Binding, section: Int) {
        self.name = name
        self.address = address
        self.size = size
        self.kind = kind
        self.binding = binding
        self.section = section
    }
}

/// A symbol's name as a place in the file: read when it is wanted.
public struct SymbolName: Sendable, Hashable {
    /// Where the name's first byte lies, in bytes from the file's first.
    public var position: FileOffset
    /// The end of its string table: the name ends before it.
    public var tableEnd: FileOffset

    public init(position: FileOffset, tableEnd: FileOffset) {
        self.position = position
        self.tableEnd = tableEnd
    }

    /// The name as the table has it: mangled, Mach-O's with its leading underscore. Empty if it lies outside the file or has no end; a name longer than
    /// `Limits.nameLength` is cut.
    public func text(in object: ObjectFile) -> String {
        object.file.string(from: position, before: tableEnd, limit: Limits.standard.nameLength) ?? ""
    }
}
