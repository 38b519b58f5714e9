internal import ObjectFiles

/// The debug sections of an object and their sizes in the file, in the file's order; those of one
/// name are added up.
struct SectionSizes {
    private(set) var sections: [(name: String, size: UInt64)] = []

    init(_ file: ObjectFile) {
        var indexes: [String: Int] = [:]
        for section in file.description.sections where Self.isDebugSection(section.name, file.description.container) {
            let size = Self.size(section, file)
            if let index = indexes[section.name] {
                sections[index].size &+= size
            } else {
                indexes[section.name] = sections.count
                sections.append((section.name, size))
            }
        }
    }

    var total: UInt64 { sections.reduce(0) { $0 &+ $1.size } }

    /// As LLVM decides it.
    private static func isDebugSection(_ name: String, _ container: ObjectFile.Container) -> Bool {
        switch container {
        case .elf: name.hasPrefix(".debug") || name.hasPrefix(".zdebug") || name == ".gdb_index"
        case .machO:
            name.hasPrefix("__debug") || name.hasPrefix("__zdebug") || name.hasPrefix("__apple") || name == "__gdb_index"
                || name == "__swift_ast"
        }
    }

    /// Compressed sections count with their headers: `Elf64_Chdr` has 24 bytes and `Elf32_Chdr` 12,
    /// and GNU's before it (`ZLIB`, and the size in 8 bytes) 12.
    private static func size(_ section: Section, _ file: ObjectFile) -> UInt64 {
        guard section.compression != nil else { return section.fileRange.isEmpty ? section.size : UInt64(section.fileRange.count) }
        let isOld = section.name.hasPrefix(".z") || section.name.hasPrefix("__z")
        return UInt64(section.fileRange.count) + (!isOld && file.description.addressSize == 8 ? 24 : 12)
    }
}
