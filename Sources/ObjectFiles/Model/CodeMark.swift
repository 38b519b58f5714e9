package import BinaryPrimitives

/// Start of code of one kind, or of data between code, as assemblers, linkers and symbol tables
/// mark it.
package struct CodeMark: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case code
        /// 32-bit ARM's two instruction sets.
        case arm
        case thumb
        case data
    }

    package var address: LinkAddress
    package var kind: Kind
    /// Bytes that it is true of; `nil` up to the next mark.
    package var size: UInt64?

    package init(address: LinkAddress, kind: Kind, size: UInt64? = nil) {
        self.address = address
        self.kind = kind
        self.size = size
    }
}

extension ObjectFile {
    /// The marks of the file, ascending. Empty where the file has none, or its tables are damaged.
    ///
    /// ELF: mapping symbols (`$a`, `$t`, `$x`, `$d`), else the Thumb bit of functions. Mach-O:
    /// `N_ARM_THUMB_DEF`, the Thumb bit of function starts, and `LC_DATA_IN_CODE`. Reads the symbol
    /// table.
    package func codeMarks() -> [CodeMark] {
        ((try? symbolReader.codeMarks(in: self)) ?? []).sorted { $0.address < $1.address }
    }
}
