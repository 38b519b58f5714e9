/// Applies the relocations of a relocatable file to the bytes of its sections.
protocol Relocations: Sendable {
    /// Whether relocations change the section's bytes.
    func change(_ section: Section) -> Bool
    /// Writes the relocated values into `bytes`: the whole section, inflated.
    /// - Throws: `ObjectFileError` if a relocation is damaged, or of a type that is not known.
    func apply(to section: Section, of object: ObjectFile, _ bytes: inout [UInt8]) throws(ObjectFileError)
}
