internal import BinaryPrimitives
internal import ObjectFiles

/// Writes the sizes of debug sections, and their parts of the file (`--show-section-sizes`).
struct SectionSizesText {
    private let object: DumpedObject
    private let output: DumpOutput

    init(_ object: DumpedObject, _ output: DumpOutput) {
        self.object = object
        self.output = output
    }

    func run() {
        let sizes = SectionSizes(object.file)
        let fileSize = UInt64(object.file.slice.count)
        let line = String(repeating: "-", count: 52) + "\n"
        let nameWidth = max("SECTION".utf8.count, sizes.sections.map(\.name.utf8.count).max() ?? 0)
        let sizeWidth = max("SIZE (b)".utf8.count, sizes.sections.map { String($0.size).utf8.count }.max() ?? 0)
        output.text(line + "file: \(object.name)\n" + line)
        write("SECTION", nameWidth + 2)
        output.text("SIZE (b)\n")
        output.text(String(repeating: "-", count: nameWidth) + "  " + String(repeating: "-", count: sizeWidth) + "\n")
        for section in sizes.sections {
            write(section.name, nameWidth + 2)
            output.decimal(section.size, width: sizeWidth)
            output.text(" (\(Self.percent(section.size, of: fileSize))%)\n")
        }
        output.text("\n Total Size: \(sizes.total)  (\(Self.percent(sizes.total, of: fileSize))%)\n")
        output.text(" Total File Size: \(fileSize)\n" + line)
    }

    private func write(_ text: String, _ width: Int) {
        output.text(text)
        output.spaces(width - text.utf8.count)
    }

    /// With two digits after the point. Of a number between two of them the nearer one is taken,
    /// and of a file without bytes there is no part.
    private static func percent(_ size: UInt64, of total: UInt64) -> String {
        guard total > 0 else { return size == 0 ? "-nan" : "inf" }
        let hundredths = UInt64((Double(size) / Double(total) * 10_000).rounded(.toNearestOrEven))
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}

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
        case .elf, .pe, .webAssembly: name.hasPrefix(".debug") || name.hasPrefix(".zdebug") || name == ".gdb_index"
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
