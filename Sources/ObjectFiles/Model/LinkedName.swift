package import BinaryPrimitives

/// A name that the dynamic linker's tables give to an address, whether or not the symbol table has
/// one.
package struct LinkedName: Sendable, Hashable {
    /// As the file has it: Mach-O's with its leading underscore, a stub's as `stub(containing:)`
    /// says.
    package var name: String
    package var address: LinkAddress
    /// Bytes; zero where the tables do not give the size.
    package var size: UInt64

    package init(name: String, address: LinkAddress, size: UInt64) {
        self.name = name
        self.address = address
        self.size = size
    }
}

extension ObjectFile {
    /// The stub around an address: the few instructions that jump to a function of another image.
    ///
    /// It is called as the system's tools call it: on Linux `strcpy@plt`, of Mach-O
    /// `DYLD-STUB$$printf` for the stub of `_printf`.
    /// - Returns: `nil` outside of the stubs, and where the file does not say whose stub it is.
    package func stub(containing address: LinkAddress) -> LinkedName? { symbolReader.stub(containing: address, in: self) }

    /// Address ranges of the stubs, by address.
    package var stubRanges: [Range<UInt64>] { symbolReader.stubRanges(in: self) }

    /// Names that the image exports, in the order of the table; also available for a binary without
    /// a symbol table. Names that it re-exports from other images are left out.
    /// - Throws: `ObjectFileError` if the table is damaged.
    package func exports() throws(ObjectFileError) -> [LinkedName] { try symbolReader.exports(of: self) }
}
