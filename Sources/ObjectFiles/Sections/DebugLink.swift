internal import BinaryPrimitives

/// `.gnu_debuglink`: the name of the file with the debug information, zeros up to a multiple of four bytes, and its CRC-32 (GDB's
/// manual, "Debugging Information in Separate Files").
enum DebugLink {
    /// - Returns: `nil` if the file has no such section.
    static func read(_ description: ObjectFile.Description, _ file: MappedFile) -> (name: String, checksum: UInt32)? {
        // A path name has at most 4,096 bytes on Linux.
        guard let section = description.sections.first(where: { $0.name == ".gnu_debuglink" }), section.compression == nil,
            (8...4104).contains(section.fileRange.count)
        else { return nil }
        let bytes = file.bytes(in: section.fileRange)
        let span = bytes.span.rawBytes
        guard let name = span.cString(at: 0), !name.isEmpty, let length = span.lengthOfCString(),
            var checksum = try? span.from(UInt64((length + 4) & ~3)), let value = try? checksum.read(UInt32.self, description.byteOrder)
        else { return nil }
        return (name, value)
    }
}
