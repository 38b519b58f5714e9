/// Breakpad's ids, in its symbol files and in the folders of its stores. An id is a GUID in 32
/// hexadecimal digits, followed by the age, which is 0 but for Windows.
package enum BreakpadID {
    /// The id of an ELF file: the first 16 bytes of its build ID, padded with zeros, read as a
    /// GUID, whose first number has 32 bits and whose second and third have 16. They are printed as
    /// numbers of a little-endian machine, so their bytes are swapped (`common/linux/file_id.cc`).
    ///
    ///     build ID  b060ad20 c6b4 7781 552708aa192e7739 fac7c84a
    ///     id        20AD60B0 B4C6 8177 552708AA192E7739 0
    package static func elf(_ id: ImageID) -> String {
        digits(swapped(Array((id.bytes + [UInt8](repeating: 0, count: 16)).prefix(16))))
    }

    /// The id of a Mach-O file: its UUID as it is; `nil` for an identity that is not a UUID.
    package static func machO(_ id: ImageID) -> String? { id.bytes.count == 16 ? digits(id.bytes) : nil }

    /// The identity that an id was made of, as far as it contains it.
    /// - Parameter isELF: the GUID was made of a build ID.
    /// - Returns: 16 bytes; `nil` for a text that is not an id.
    package static func identity(_ text: String, isELF: Bool) -> ImageID? {
        guard text.utf8.count > 32, let guid = ImageID(text: String(text.prefix(32))), guid.bytes.count == 16 else { return nil }
        return isELF ? ImageID(bytes: swapped(guid.bytes)) : guid
    }

    /// A GUID's bytes in the order of its digits; little-endian machines have its first three parts
    /// reversed.
    package static func printed(_ guid: [UInt8]) -> [UInt8] { guid.count == 16 ? swapped(guid) : guid }

    /// - Parameter guid: 16 bytes.
    private static func swapped(_ guid: [UInt8]) -> [UInt8] {
        guid[0..<4].reversed() + guid[4..<6].reversed() + guid[6..<8].reversed() + guid[8...]
    }

    private static func digits(_ guid: [UInt8]) -> String {
        guid.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined() + "0"
    }
}
