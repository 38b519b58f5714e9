internal import BinaryPrimitives
internal import CLibelf
internal import LibC

/// The values of all symbols of a relocatable file's table, by their numbers, as relocations need
/// them: also of those that name nothing.
struct ELFSymbolValues {
    private let tables: [Int: Section]
    /// By the number of the symbol table: its section numbers that do not fit 16 bits.
    private let extendedNumbers: [Int: Range<Int>]
    /// By number: addresses of the sections.
    private let addresses: [UInt64]
    private let is64Bit: Bool
    private let order: ByteOrder
    private let machine: Int32

    init(headers: [GElf_Shdr], description: ObjectFile.Description, machine: UInt16) {
        var tables: [Int: Section] = [:]
        var extended: [Int: Range<Int>] = [:]
        for (header, section) in zip(headers, description.sections) {
            if header.sh_type == UInt32(SHT_SYMTAB) { tables[section.number] = section }
            if header.sh_type == UInt32(SHT_SYMTAB_SHNDX) { extended[Int(header.sh_link)] = section.fileRange }
        }
        self.tables = tables
        extendedNumbers = extended
        addresses = description.sections.map(\.address.value)
        is64Bit = description.addressSize == 8
        order = description.byteOrder
        self.machine = Int32(machine)
    }

    /// The bytes of the table in the file.
    func size(_ table: Int) -> Int { tables[table]?.fileRange.count ?? 0 }

    /// - Returns: for each symbol `st_value`, plus where its section is placed; an undefined symbol
    ///   has the value zero. Empty without a table.
    func read(_ table: Int, of object: ObjectFile) throws(ObjectFileError) -> [UInt64] {
        guard let section = tables[table] else { return [] }
        if let problem = section.problem { throw ObjectFileError(.corrupt, path: object.path, problem) }
        let size = is64Bit ? MemoryLayout<Elf64_Sym>.size : MemoryLayout<Elf32_Sym>.size
        let records = object.file.bytes(in: section.fileRange)
        let numbers = object.file.bytes(in: extendedNumbers[table] ?? 0..<0)
        var cursor = records.span.rawBytes
        var values: [UInt64] = []
        values.reserveCapacity(records.count / size)
        for index in 0..<records.count / size {
            guard let record = try? cursor.read(bytes: size), let value = value(record, index, numbers) else { break }
            values.append(value)
        }
        return values
    }

    private func value(_ record: RawSpan, _ index: Int, _ numbers: [UInt8]) -> UInt64? {
        guard var indexField = try? record.from(is64Bit ? 6 : 14), var valueField = try? record.from(is64Bit ? 8 : 4),
            let sectionIndex = try? indexField.read(UInt16.self, order),
            let value = try? valueField.readUnsigned(size: is64Bit ? 8 : 4, order)
        else { return nil }
        let type = Int32(record.byte(at: is64Bit ? 4 : 12) & 0xf)
        var section = Int(sectionIndex)
        if sectionIndex == UInt16(SHN_XINDEX) {
            guard var entry = try? numbers.span.rawBytes.from(UInt64(index) * 4), let number = try? entry.read(UInt32.self, order) else {
                return 0
            }
            section = Int(number)
        } else if sectionIndex >= UInt16(SHN_LORESERVE) {
            return sectionIndex == UInt16(SHN_COMMON) ? 0 : value
        }
        // The lowest bit of a function of 32-bit ARM says Thumb; code addresses in debug
        // information do not have it.
        let start = machine == EM_ARM && (type == STT_FUNC || type == STT_ARM_TFUNC) ? value & ~1 : value
        return addresses.indices.contains(section) ? addresses[section] &+ start : start
    }
}
