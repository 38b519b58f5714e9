package import BinaryPrimitives
internal import TestSupport

/// An ELF file of 64 bits around sections: its header, their bytes, their names, the table of
/// sections (gABI, chapter 4).
package enum ELFImage {
    /// - Parameters:
    ///   - sections: names and contents, in order. `.text`, if there is one, is loaded at 0x1000;
    ///     no other is loaded.
    ///   - byteOrder: of the file, whose machine is x86-64 or, for the other order, s390x.
    package static func bytes(_ sections: [(name: String, bytes: [UInt8])], _ byteOrder: ByteOrder) -> [UInt8] {
        var contents: [UInt8] = []
        var names: [UInt8] = [0]
        var headers = ByteWriter(byteOrder)
        // The null section.
        headers.bytes = [UInt8](repeating: 0, count: 64)
        func header(_ name: String, _ type: UInt32, _ size: Int) {
            let isText = name == ".text"
            headers.put(UInt32(names.count))
            headers.put(type)
            // SHF_ALLOC | SHF_EXECINSTR
            for value in [isText ? 6 : 0, isText ? 0x1000 : 0, 64 + contents.count, size] { headers.put(UInt64(value)) }
            headers.put(UInt64(0))
            headers.put(UInt64(1))
            headers.put(UInt64(0))
            names += Array(name.utf8) + [0]
        }
        for section in sections {
            header(section.name, 1, section.bytes.count)
            contents += section.bytes
        }
        let ownName = ".shstrtab"
        header(ownName, 3, names.count + ownName.utf8.count + 1)
        contents += names
        var file = ByteWriter(byteOrder)
        file.bytes = [0x7f] + Array("ELF".utf8) + [2, byteOrder == .bigEndian ? 2 : 1, 1] + [UInt8](repeating: 0, count: 9)
        file.put(UInt16(2))
        file.put(UInt16(byteOrder == .bigEndian ? 22 : 62))
        file.put(UInt32(1))
        for value in [0, 0, 64 + contents.count] { file.put(UInt64(value)) }
        file.put(UInt32(0))
        for value in [64, 56, 0, 64, sections.count + 2, sections.count + 1] { file.put(UInt16(value)) }
        return file.bytes + contents + headers.bytes
    }
}
