package import BinaryPrimitives

/// A defined symbol of a symbol table (ELF's `Elf64_Sym`, Mach-O's `nlist_64`).
package struct Symbol: Sendable {
    package enum Kind: Sendable, Hashable {
        /// `STT_FUNC`, `STT_GNU_IFUNC`; Mach-O: a symbol of an executable section.
        case function
        /// `STT_OBJECT`, `STT_COMMON`; Mach-O: a symbol of another section.
        case data
        /// `STT_NOTYPE` with a section.
        case untyped
        /// `STT_FILE`: the name of the source file that the local symbols after it come from. Has
        /// no address.
        case file
    }

    package enum Binding: Sendable, Hashable { case local, global, weak }

    /// Location of its name; read later by `SymbolName`, because most symbols' names are never
    /// needed.
    package var name: SymbolName
    /// Its address as linked. The Thumb bit of 32-bit ARM is cleared.
    package var address: LinkAddress
    /// Bytes; zero where the table does not give the size (assembly, and always in Mach-O and PE).
    package var size: UInt64
    package var kind: Kind
    package var binding: Binding
    /// The number of its section, as in `Section.number`; 0 for `STT_FILE`.
    package var section: Int
    /// `STT_GNU_IFUNC`: the address is that of the function that chooses the one that is called, and has a name of its own.
    package var isIndirect = false

    package init(name: SymbolName, address: LinkAddress, size: UInt64, kind: Kind, binding: Binding, section: Int) {
        self.name = name
        self.address = address
        self.size = size
        self.kind = kind
        self.binding = binding
        self.section = section
    }
}

/// Location of a symbol's name in the file; the name is read when it is needed.
package struct SymbolName: Sendable, Hashable {
    /// Offset of the name's first byte in the file.
    package var position: FileOffset
    /// End of its string table: the name ends before it.
    package var tableEnd: FileOffset

    package init(position: FileOffset, tableEnd: FileOffset) {
        self.position = position
        self.tableEnd = tableEnd
    }

    /// The name as the table has it: mangled, Mach-O's with its leading underscore. Empty if it
    /// is outside the file or has no end; a name longer than `Limits.nameLength` is cut.
    package func text(in object: ObjectFile) -> String {
        if let text = object.file.string(from: position, before: tableEnd, limit: Limits.standard.nameLength) { return text }
        guard object.description.namesMayFillRange, let start = Int(exactly: position.value), let end = Int(exactly: tableEnd.value),
            start < end
        else { return "" }
        return String(decoding: object.file.bytes(in: start..<min(end, start + Limits.standard.nameLength)), as: UTF8.self)
    }
}
