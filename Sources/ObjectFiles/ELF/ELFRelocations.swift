internal import BinaryPrimitives
internal import CLibelf
internal import LibC

/// The relocations of a relocatable file (`.o`, `.ko`): fields that an assembler left to the
/// linker, also in debug sections (gABI, chapter 4, "Relocation").
struct ELFRelocations: Relocations {
    /// One `SHT_REL` or `SHT_RELA` section.
    private struct Table {
        var section: Section
        /// Addends are in the records; else in the fields.
        var hasAddends: Bool
        /// The number of the symbol table.
        var symbols: Int
    }

    /// By the number of the section that they change.
    private let tables: [Int: [Table]]
    private let values: ELFSymbolValues
    private let machine: Int32
    private let is64Bit: Bool
    private let order: ByteOrder

    /// Records that are read at once.
    private static let recordsPerPiece = 4096
    /// `SHT_CREL`: the records packed as LEB128 numbers, which clang writes with `-Wa,--crel`.
    private static let compactType: UInt32 = 0x4000_0014

    init(headers: [GElf_Shdr], description: ObjectFile.Description, machine: UInt16) {
        var tables: [Int: [Table]] = [:]
        for (header, section) in zip(headers, description.sections) {
            var section = section
            switch header.sh_type {
            case UInt32(SHT_REL), UInt32(SHT_RELA): break
            case Self.compactType:
                section.problem =
                    "section \(section.name) holds relocations of the compact form (CREL), which is not read; expected REL or RELA"
            default: continue
            }
            let table = Table(section: section, hasAddends: header.sh_type == UInt32(SHT_RELA), symbols: Int(header.sh_link))
            tables[Int(header.sh_info), default: []].append(table)
        }
        self.tables = tables
        values = ELFSymbolValues(headers: headers, description: description, machine: machine)
        self.machine = Int32(machine)
        is64Bit = description.addressSize == 8
        order = description.byteOrder
    }

    /// Code is never requested, so its relocations, which patch instructions, are not supported.
    /// `.opd` is data that symbols lead through.
    func change(_ section: Section) -> Bool {
        tables[section.number] != nil
            && (section.isDebug && !section.isLoaded || [ELFDescriptors.sectionName, ".eh_frame"].contains(section.name))
    }

    func apply(to section: Section, of object: ObjectFile, _ bytes: inout [UInt8]) throws(ObjectFileError) {
        // Tables do not overlap, so together they are not larger than the file; ones that do could
        // make a small file cost hours of work.
        var budget = object.file.size
        var symbols: [Int: [UInt64]] = [:]
        for table in tables[section.number] ?? [] where !table.section.fileRange.isEmpty || table.section.problem != nil {
            if let problem = table.section.problem { throw ObjectFileError(.corrupt, path: object.path, problem) }
            budget -= table.section.fileRange.count
            if symbols[table.symbols] == nil {
                budget -= values.size(table.symbols)
                if budget >= 0 { symbols[table.symbols] = try values.read(table.symbols, of: object) }
            }
            guard budget >= 0 else {
                throw ObjectFileError(
                    .corrupt, path: object.path, "the relocations of section \(section.name) overlap: they are larger than the file")
            }
            try apply(table, symbols[table.symbols] ?? [], to: section, of: object, &bytes)
        }
    }

    private func apply(
        _ table: Table, _ symbols: [UInt64], to section: Section, of object: ObjectFile, _ bytes: inout [UInt8]
    ) throws(ObjectFileError) {
        // Elf32_Rel, Elf32_Rela, Elf64_Rel, Elf64_Rela.
        let size = (is64Bit ? 16 : 8) + (table.hasAddends ? (is64Bit ? 8 : 4) : 0)
        let range = table.section.fileRange
        let count = range.count / size
        var patch = ELFPatch(address: section.address.value, order: order, machine: machine, hasAddends: table.hasAddends)
        var first = 0
        while first < count {
            let last = min(count, first + Self.recordsPerPiece)
            let records = object.file.bytes(in: range.lowerBound + first * size..<range.lowerBound + last * size)
            var cursor = records.span.rawBytes
            for index in first..<last {
                do throws(ELFPatch.Problem) {
                    let record = try self.record(&cursor, hasAddend: table.hasAddends)
                    guard record.symbol < symbols.count else { throw .noSuchSymbol(record.symbol) }
                    try patch.apply(record, symbol: symbols[record.symbol], to: &bytes)
                } catch {
                    throw failure(error, "relocation \(index) of section \(table.section.name)", object)
                }
            }
            first = last
        }
    }

    private func record(_ cursor: inout RawSpan, hasAddend: Bool) throws(ELFPatch.Problem) -> ELFRelocationRecord {
        let width = is64Bit ? 8 : 4
        guard let offset = try? cursor.readUnsigned(size: width, order), let info = try? cursor.readUnsigned(size: width, order) else {
            throw .cutShort
        }
        var addend: UInt64 = 0
        if hasAddend {
            guard let value = try? cursor.readUnsigned(size: width, order) else { throw .cutShort }
            addend = is64Bit ? value : UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: value)))
        }
        let symbol: UInt64
        let type: UInt64
        if !is64Bit {
            (symbol, type) = (info >> 8, info & 0xff)
        } else if machine == EM_MIPS, order == .littleEndian {
            // MIPS has a record of its own: the symbol's four bytes, then four types of one byte,
            // the first of them last; little-endian files keep that order.
            (symbol, type) = (info & 0xffff_ffff, UInt64(UInt32(truncatingIfNeeded: info >> 32).byteSwapped))
        } else {
            (symbol, type) = (info >> 32, info & 0xffff_ffff)
        }
        return ELFRelocationRecord(offset: offset, symbol: Int(symbol), type: UInt32(truncatingIfNeeded: type), addend: addend)
    }

    private func failure(_ problem: ELFPatch.Problem, _ label: String, _ object: ObjectFile) -> ObjectFileError {
        switch problem {
        case .unknownType(let type):
            let machine = object.architecture
            return ObjectFileError(.unsupported, path: object.path, "\(label) is of type \(type), which is not supported for \(machine)")
        case .outside(let offset, let count):
            return ObjectFileError(.corrupt, path: object.path, "\(label) changes byte \(offset) of a section of \(count) bytes")
        case .noSuchSymbol(let number):
            return ObjectFileError(.corrupt, path: object.path, "\(label) refers to symbol \(number), which the symbol table does not have")
        case .cutShort: return ObjectFileError(.corrupt, path: object.path, "\(label) could not be read")
        }
    }
}
