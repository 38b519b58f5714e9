internal import BinaryPrimitives

/// An ELF file of some sections, one after the other from 0x1000 on, and one segment that loads
/// them (gABI, chapters 4 and 5).
struct MadeImage {
    let machine: UInt64
    let isWide: Bool
    let isBig: Bool

    private var word: Int { isWide ? 8 : 4 }

    func bytes(_ sections: [(name: String, bytes: [UInt8])]) -> [UInt8] {
        let headerSize = isWide ? 64 + 56 : 52 + 32
        var contents: [UInt8] = []
        var names: [UInt8] = [0]
        var table: [UInt8] = [UInt8](repeating: 0, count: isWide ? 64 : 40)
        func add(_ name: String, type: UInt64, flags: UInt64, address: UInt64, size: Int) {
            put(UInt64(names.count), 4, &table)
            put(type, 4, &table)
            for value in [flags, address, UInt64(headerSize + contents.count), UInt64(size)] { put(value, word, &table) }
            put(0, 8, &table)
            for _ in 0..<2 { put(1, word, &table) }
            names += Array(name.utf8) + [0]
        }
        for section in sections {
            add(
                section.name, type: 1, flags: section.name == ".text" ? 6 : 2, address: 0x1000 + UInt64(contents.count),
                size: section.bytes.count)
            contents += section.bytes
        }
        let loaded = contents.count
        let ownName = ".shstrtab"
        add(ownName, type: 3, flags: 0, address: 0, size: names.count + ownName.utf8.count + 1)
        contents += names

        var file: [UInt8] = [0x7f] + Array("ELF".utf8) + [isWide ? 2 : 1, isBig ? 2 : 1, 1] + [UInt8](repeating: 0, count: 9)
        put(3, 2, &file)
        put(machine, 2, &file)
        put(1, 4, &file)
        for value in [0, isWide ? 64 : 52, headerSize + contents.count] { put(UInt64(value), word, &file) }
        put(0, 4, &file)
        for value in [isWide ? 64 : 52, isWide ? 56 : 32, 1, isWide ? 64 : 40, sections.count + 2, sections.count + 1] {
            put(UInt64(value), 2, &file)
        }
        // PT_LOAD, readable and executable; the flags are last but one in 32-bit files.
        put(1, 4, &file)
        if isWide { put(5, 4, &file) }
        for value in [headerSize, 0x1000, 0x1000, loaded, loaded] { put(UInt64(value), word, &file) }
        if !isWide { put(5, 4, &file) }
        put(1, word, &file)
        return file + contents + table
    }

    private func put(_ value: UInt64, _ size: Int, _ file: inout [UInt8]) {
        for index in 0..<size { file.append(UInt8(truncatingIfNeeded: value >> UInt64((isBig ? size - 1 - index : index) * 8))) }
    }
}
