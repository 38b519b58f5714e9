internal import BinaryPrimitives

extension ObjectFile {
    func inflate(_ section: Section, _ compression: Section.Compression) throws(ObjectFileError) -> InflatedBytes {
        throw ObjectFileError(.unsupported, path: path, "section \(section.name) is compressed, which is not read yet")
    }
}
