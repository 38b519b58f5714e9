/// What a relocatable file says about bytes that its linker was to fill in.
protocol Relocations: Sendable {
    /// Whether the section's bytes in the file are not the ones that are meant.
    func change(_ section: Section) -> Bool
    /// Puts the values in, where `bytes` are the whole section, inflated.
    /// - Throws: `ObjectFileError` if a relocation is damaged, or of a type that is not known.
    func apply(to section: Section, of object: ObjectFile, _ bytes: inout [UInt8]) throws(ObjectFileError)
}
