internal import BinaryPrimitives
internal import CLibelf
internal import LibC

/// Reads `.symtab`, or `.dynsym` where there is none (gABI, chapter 4, "Symbol Table").
///
/// The records are decoded here, from pieces copied with `pread(2)`, not by `gelf_getsym`. Both
/// take the same time (58,770 symbols of libjvm: 0.55 ms here, 0.6 ms there), but `gelf_getsym`
/// needs `elf_getdata`, which makes the whole table resident through the mapping (1.7 MB of libjvm,
/// 3.2 MB of vmlinux), or copies it where the byte order is foreign.
struct ELFSymbolTable: SymbolReader {
    let isFull: Bool
    /// `nil` if the file has no symbol table.
    private let table: Section?
    private let strings: Range<Int>
    /// `.symtab_shndx`: the section numbers that do not fit the 16 bits of `st_shndx`.
    private let extendedNumbers: Range<Int>
    private let is64Bit: Bool
    private let machine: Int32
    private let hasMappingSymbols: Bool
    // Tables, because the types of neighbouring symbols cannot be predicted: with branches instead,
    // the walk takes a quarter longer.
    private let kinds: [Symbol.Kind?]
    private let bindings: [Symbol.Binding]
    /// By section number: whether the section is part of the image.
    private let isLoaded: [Bool]
    /// By section number, in a relocatable file: address of the section, because the symbols'
    /// values count from their sections. Empty in others.
    private let placements: [UInt64]

    /// By section number: whether stubs are in it.
    private let holdsStubs: [Bool]
    private let linkage = FoundELFStubs()

    /// Records that are read at once: 96 KB of 24 bytes each.
    private static let recordsPerPiece = 4096

    /// Sections, if they are the segments: a symbol's own section number has no meaning then.
    private let segments: [Section]

    /// The dynamic linker's symbol table, where the full table has few symbols that were chosen by
    /// a user (`objcopy --strip-all --keep-symbol=…`): else the full table has all of them.
    private var others: [ELFSymbolTable] = []

    /// - Parameter dynamic: location of the symbols in a file without section headers.
    init(headers: [GElf_Shdr], dynamic: ELFDynamicTable.Symbols?, description: ObjectFile.Description, machine: UInt16) {
        func number(_ type: Int32) -> Int? { headers.firstIndex { $0.sh_type == UInt32(type) } }
        let (full, exported) = (number(SHT_SYMTAB), number(SHT_DYNSYM))
        var others: [ELFSymbolTable] = []
        if let full, let exported, description.sections[full].fileRange.count < description.sections[exported].fileRange.count {
            others = [ELFSymbolTable(exported, isFull: false, headers: headers, dynamic: nil, description: description, machine: machine)]
        }
        self.init(
            full ?? exported, isFull: full != nil && others.isEmpty, headers: headers, dynamic: dynamic, description: description,
            machine: machine)
        self.others = others
    }

    /// - Parameter chosen: the table's section.
    private init(
        _ chosen: Int?, isFull: Bool, headers: [GElf_Shdr], dynamic: ELFDynamicTable.Symbols?, description: ObjectFile.Description,
        machine: UInt16
    ) {
        let sections = description.sections
        self.isFull = isFull
        let link = chosen.flatMap { Int(exactly: headers[$0].sh_link) } ?? 0
        if let dynamic {
            table = Section(
                name: ".dynsym", number: 0, address: LinkAddress(0), size: UInt64(dynamic.records.count), fileRange: dynamic.records,
                isLoaded: true, isExecutable: false)
            strings = dynamic.strings
        } else {
            table = chosen.map { sections[$0] }
            strings = sections.indices.contains(link) ? sections[link].fileRange : 0..<0
        }
        segments = description.sectionsAreSegments ? sections : []
        let extended = headers.indices.first { headers[$0].sh_type == UInt32(SHT_SYMTAB_SHNDX) && Int(headers[$0].sh_link) == chosen }
        extendedNumbers = extended.map { sections[$0].fileRange } ?? 0..<0
        is64Bit = description.addressSize == 8
        self.machine = Int32(machine)
        hasMappingSymbols = [EM_ARM, EM_AARCH64, EM_RISCV, EM_CSKY].contains(Int32(machine))
        isLoaded = sections.map(\.isLoaded)
        holdsStubs = sections.map { $0.isExecutable && $0.name.hasPrefix(".plt") }
        placements = description.kind == .relocatable ? sections.map(\.address.value) : []
        kinds = Self.kinds(machine: Int32(machine))
        bindings = Self.bindings()
    }

    func forEachSymbol(
        in object: ObjectFile, around window: SymbolWindow, _ body: (Symbol) -> Bool
    ) throws(ObjectFileError) {
        guard try forEachOwnSymbol(in: object, around: window, body) else { return }
        for other in others { try other.forEachSymbol(in: object, around: window, body) }
    }

    /// - Returns: `false` if `body` stops.
    private func forEachOwnSymbol(
        in object: ObjectFile, around window: SymbolWindow, _ body: (Symbol) -> Bool
    ) throws(ObjectFileError) -> Bool {
        guard let table else { return true }
        if let problem = table.problem { throw ObjectFileError(.corrupt, path: object.path, problem) }
        let descriptors = ELFDescriptors(object, machine: machine)
        // If a symbol's address is not its value, the value cannot be compared with the window.
        var window = placements.isEmpty && machine != EM_ARM && descriptors == nil ? window : .everywhere
        return try forEachPiece(of: table, object) { bytes, numbers throws(ObjectFileError) in
            do throws(ReadError) {
                return try decode(bytes, numbers.count, extendedSectionNumbers(numbers, object), descriptors, object, &window, body)
            } catch {
                throw ObjectFileError(.corrupt, path: object.path, "the symbol table \(table.name) could not be read: \(error)")
            }
        }
    }

    /// Reads the records piece by piece, without the first, which is all zeros by definition.
    /// - Parameter body: gets the bytes of a piece and the numbers of its records; returns `false`
    ///   to stop.
    /// - Returns: `false` if `body` stops.
    private func forEachPiece(
        of table: Section, _ object: ObjectFile, _ body: (RawSpan, Range<Int>) throws(ObjectFileError) -> Bool
    ) throws(ObjectFileError) -> Bool {
        let size = is64Bit ? MemoryLayout<Elf64_Sym>.size : MemoryLayout<Elf32_Sym>.size
        let count = table.fileRange.count / size
        let start = table.fileRange.lowerBound
        for first in stride(from: 1, to: count, by: Self.recordsPerPiece) {
            let last = min(count, first + Self.recordsPerPiece)
            let records = object.file.bytes(in: start + first * size..<start + last * size)
            guard try body(records.span.rawBytes, first..<last) else { return false }
        }
        return true
    }

    /// The number of a symbol's section; `nil` if it is undefined (section 0), or in a section that
    /// is never in memory.
    @inline(__always)
    private func loadedSection(_ section: Int, _ value: UInt64) -> Int? {
        if !segments.isEmpty { return section > 0 ? segment(holding: value) : nil }
        return section > 0 && section < isLoaded.count && isLoaded[section] ? section : nil
    }

    private func segment(holding value: UInt64) -> Int? {
        let low = segments.partitionPoint { $0.address.value > value }
        return low > 0 && segments[low - 1].contains(LinkAddress(value)) ? segments[low - 1].number : nil
    }

    func stub(containing address: LinkAddress, in object: ObjectFile) -> LinkedName? {
        ELFStubs.mayBeStub(address, in: object) ? linkage.stubs(of: object)?.stub(containing: address, in: object) : nil
    }

    func stubRanges(in object: ObjectFile) -> [Range<UInt64>] { linkage.stubs(of: object)?.ranges ?? [] }

    /// The entries of `.symtab_shndx` for those records; empty where the file has none.
    private func extendedSectionNumbers(_ records: Range<Int>, _ object: ObjectFile) -> [UInt8] {
        guard !extendedNumbers.isEmpty else { return [] }
        let start = extendedNumbers.lowerBound
        return object.file.bytes(in: (start + records.lowerBound * 4..<start + records.upperBound * 4).clamped(to: extendedNumbers))
    }

    /// Gives the symbols of a piece to `body`.
    /// - Parameter numbers: the records' entries of `.symtab_shndx`.
    /// - Returns: `false` if `body` stops.
    private func decode(
        _ bytes: RawSpan, _ count: Int, _ numbers: [UInt8], _ descriptors: ELFDescriptors?, _ object: ObjectFile,
        _ window: inout SymbolWindow, _ body: (Symbol) -> Bool
    ) throws(ReadError) -> Bool {
        let order = object.description.byteOrder
        let isPlain = is64Bit && order == .littleEndian
        if isPlain { narrow(&window, bytes) }
        var next = 0
        while next < count {
            if isPlain { next = Self.next(next, bytes, window) }
            guard next < count else { break }
            let index = next
            next += 1
            guard let record = try readRecord(index, bytes, order, window), let kind = kinds[Int(record.info & 0xf)],
                let section = kind == .file ? 0 : findSection(of: record, index, numbers, order),
                let symbol = makeSymbol(record, kind, section, descriptors, object)
            else { continue }
            // A label may name nothing, and what begins before it does then.
            if kind != .file, kind != .untyped || symbol.size > 0 { window.pass(symbol.address.value) }
            guard body(symbol) else { return false }
        }
        return true
    }

    /// The fields of an `Elf64_Sym` or `Elf32_Sym`, without `st_other`.
    private struct Record {
        var name: UInt32
        var info: UInt8
        var section: UInt16
        var value: UInt64
        var size: UInt64
    }

    /// - Returns: `nil` for a record that the window does not hold: of those, no other field is
    ///   read.
    @inline(__always)
    private func readRecord(
        _ index: Int, _ bytes: RawSpan, _ order: ByteOrder, _ window: borrowing SymbolWindow
    ) throws(ReadError) -> Record? {
        if is64Bit {
            // Elf64_Sym: st_name, st_info, st_other, st_shndx (read as one number), st_value,
            // st_size.
            let record = index &* MemoryLayout<Elf64_Sym>.size
            let value = try bytes.value(UInt64.self, at: record &+ 8, order)
            let size = try bytes.value(UInt64.self, at: record &+ 16, order)
            guard window.mayHold(value, size) else { return nil }
            let start = try bytes.value(UInt64.self, at: record, order)
            let isLittle = order == .littleEndian
            return Record(
                name: UInt32(truncatingIfNeeded: isLittle ? start : start >> 32),
                info: UInt8(truncatingIfNeeded: start >> (isLittle ? 32 : 24)),
                section: UInt16(truncatingIfNeeded: isLittle ? start >> 48 : start), value: value, size: size)
        }
        // Elf32_Sym: st_name, st_value, st_size, st_info, st_other, st_shndx.
        let record = index &* MemoryLayout<Elf32_Sym>.size
        let name = try bytes.value(UInt32.self, at: record, order)
        let value = UInt64(try bytes.value(UInt32.self, at: record &+ 4, order))
        let size = UInt64(try bytes.value(UInt32.self, at: record &+ 8, order))
        guard window.mayHold(value, size) else { return nil }
        let info = try bytes.value(UInt8.self, at: record &+ 12, order)
        return Record(name: name, info: info, section: try bytes.value(UInt16.self, at: record &+ 14, order), value: value, size: size)
    }

    /// The number of a record's section; `nil` if its value is no address in the image.
    @inline(__always)
    private func findSection(of record: Record, _ index: Int, _ numbers: [UInt8], _ order: ByteOrder) -> Int? {
        if record.section == UInt16(SHN_XINDEX) {
            let entry = try? numbers.span.rawBytes.from(UInt64(index * 4))
            guard var entry, let number = try? entry.read(UInt32.self, order) else { return nil }
            return loadedSection(Int(number), record.value)
        }
        // SHN_ABS is a number, not an address in the image; SHN_COMMON has no address yet.
        return record.section >= UInt16(SHN_LORESERVE) ? nil : loadedSection(Int(record.section), record.value)
    }

    /// - Returns: `nil` if the record's name marks something and names nothing.
    @inline(__always)
    private func makeSymbol(
        _ record: Record, _ kind: Symbol.Kind, _ section: Int, _ descriptors: ELFDescriptors?, _ object: ObjectFile
    ) -> Symbol? {
        let position = FileOffset(UInt64(strings.lowerBound) &+ UInt64(record.name))
        let name = SymbolName(position: position, tableEnd: FileOffset(UInt64(strings.upperBound)))
        if hasMappingSymbols, kind == .untyped, record.size == 0, isMappingSymbol(name, object) { return nil }
        if section < holdsStubs.count, holdsStubs[section], isStubSymbol(name, object) { return nil }
        var (value, section) = (record.value, section)
        if kind != .file, !placements.isEmpty { value &+= placements[section] }
        // ELF for the ARM architecture, section 5.5.3: the lowest bit of a function says Thumb.
        if machine == EM_ARM, kind == .function { value &= ~1 }
        if let descriptors, section == descriptors.section.number, let code = descriptors.code(ofDescriptorAt: value) {
            value = code
            section = object.section(containing: LinkAddress(code))?.number ?? section
        }
        var symbol = Symbol(
            name: name, address: LinkAddress(value), size: record.size, kind: kind, binding: bindings[Int(record.info >> 4)],
            section: section)
        symbol.isIndirect = record.info & 0xf == UInt8(STT_GNU_IFUNC)
        return symbol
    }

    /// Looks at some of the records ahead. A linker lists the functions of a file in the order of
    /// their addresses, so that each would be nearer than the one before: of a kernel's 130,000
    /// symbols 8,000, for one address.
    /// - Parameter records: as in `next`.
    private func narrow(_ window: inout SymbolWindow, _ records: RawSpan) {
        let size = MemoryLayout<Elf64_Sym>.size
        var record = 0
        while record &+ size <= records.byteCount {
            let start = records.word64(at: record)
            let value = records.word64(at: record &+ 8)
            let kind = kinds[Int(truncatingIfNeeded: start >> 32 & 0xf)]
            // Only symbols that are passed to `body` themselves, regardless of their names.
            if kind == .function || kind == .data, records.word64(at: record &+ 16) > 0,
                let section = loadedSection(Int(truncatingIfNeeded: start >> 48), value), section < holdsStubs.count, !holdsStubs[section]
            {
                window.pass(value)
            }
            record &+= 32 &* size
        }
    }

    /// Passes records that the window does not hold, which of one address are nearly all.
    /// - Parameters:
    ///   - index: the first that is looked at.
    ///   - records: `Elf64_Sym`, little-endian.
    private static func next(_ index: Int, _ records: RawSpan, _ window: SymbolWindow) -> Int {
        var record = index &* MemoryLayout<Elf64_Sym>.size
        while record &+ MemoryLayout<Elf64_Sym>.size <= records.byteCount,
            !window.mayHold(records.word64(at: record &+ 8), records.word64(at: record &+ 16))
        {
            record &+= MemoryLayout<Elf64_Sym>.size
        }
        return record / MemoryLayout<Elf64_Sym>.size
    }

    /// By symbol type: `nil` for what names no code and no data, such as sections, thread-local
    /// variables (their value is an offset into a thread's block), and the processors' own types.
    private static func kinds(machine: Int32) -> [Symbol.Kind?] {
        var kinds = [Symbol.Kind?](repeating: nil, count: 16)
        kinds[Int(STT_NOTYPE)] = .untyped
        kinds[Int(STT_OBJECT)] = .data
        kinds[Int(STT_COMMON)] = .data
        kinds[Int(STT_FUNC)] = .function
        kinds[Int(STT_GNU_IFUNC)] = .function
        kinds[Int(STT_FILE)] = .file
        // The ABI of 1998 called this type Thumb functions.
        if machine == EM_ARM { kinds[Int(STT_ARM_TFUNC)] = .function }
        return kinds
    }

    /// By symbol binding: also `STB_GNU_UNIQUE`, which g++ gives to the statics of templates, is
    /// global.
    private static func bindings() -> [Symbol.Binding] {
        var bindings = [Symbol.Binding](repeating: .global, count: 16)
        bindings[Int(STB_LOCAL)] = .local
        bindings[Int(STB_WEAK)] = .weak
        return bindings
    }

    /// Whether the name is `strcpy$plt` or `strcpy$pltgot`, as mold calls stubs: the jump target of
    /// a stub gives the same name, for every linker.
    private func isStubSymbol(_ name: SymbolName, _ object: ObjectFile) -> Bool {
        let text = name.text(in: object)
        return text.hasSuffix("$plt") || text.hasSuffix("$pltgot")
    }

    /// Whether the name is `$a`, `$t`, `$d` or `$x`, alone or before a dot (or, in RISC-V, before
    /// the name of an instruction set). Assemblers of these processors mark with them where code
    /// and data begin (ELF for the ARM architecture, section 5.5.5; RISC-V psABI, "Mapping
    /// Symbol"); they name nothing. Nor does `.L0 `, with a space: GNU's assembler for RISC-V gives
    /// this name to both ends of a distance that a relocation records (`FAKE_LABEL_NAME`).
    private func isMappingSymbol(_ name: SymbolName, _ object: ObjectFile) -> Bool {
        object.file.withBytes { bytes in
            guard name.position.value < name.tableEnd.value, let begin = try? bytes.from(name.position.value) else { return false }
            if machine == EM_RISCV, begin.prefix(5).cString(at: 0) == ".L0 " { return true }
            return mark(begin) != nil
        }
    }

    /// `$a`, `$t`, `$d` or `$x`, alone, before a dot, or (in RISC-V) before the name of an
    /// instruction set; `nil` for any other text.
    private func mark(_ begin: RawSpan) -> CodeMark.Kind? {
        let text = begin.prefix(3)
        guard text.byteCount == 3, text.byte(at: 0) == UInt8(ascii: "$") else { return nil }
        let end = text.byte(at: 2)
        guard end == 0 || end == UInt8(ascii: ".") || (machine == EM_RISCV && end == UInt8(ascii: "r")) else { return nil }
        switch text.byte(at: 1) {
        case UInt8(ascii: "a"): return .arm
        case UInt8(ascii: "t"): return .thumb
        case UInt8(ascii: "x"): return .code
        case UInt8(ascii: "d"): return .data
        default: return nil
        }
    }

    /// Mapping symbols (ELF for the ARM architecture, section 5.5.5; for AArch64, section 5.7.4;
    /// RISC-V psABI, "Mapping Symbol"). In a file of 32-bit ARM without them, functions, whose
    /// lowest bit says Thumb.
    func codeMarks(in object: ObjectFile) throws(ObjectFileError) -> [CodeMark] {
        guard let table, hasMappingSymbols, table.problem == nil else { return [] }
        var marks: [CodeMark] = []
        var functions: [CodeMark] = []
        let (order, window) = (object.description.byteOrder, SymbolWindow.everywhere)
        _ = try forEachPiece(of: table, object) { bytes, numbers throws(ObjectFileError) in
            for index in 0..<numbers.count {
                guard let record = try? readRecord(index, bytes, order, window) else { break }
                guard let section = loadedSection(Int(record.section), record.value) else { continue }
                let type = Int32(record.info & 0xf)
                let address = record.value &+ (placements.isEmpty ? 0 : placements[section])
                if type == STT_NOTYPE, record.size == 0, let kind = mark(named: record.name, object) {
                    marks.append(CodeMark(address: LinkAddress(address), kind: kind))
                } else if machine == EM_ARM, type == STT_FUNC || type == STT_ARM_TFUNC, record.size > 0 {
                    let isThumb = address & 1 != 0 || type == STT_ARM_TFUNC
                    functions.append(CodeMark(address: LinkAddress(address & ~1), kind: isThumb ? .thumb : .arm, size: record.size))
                }
            }
            return true
        }
        return marks.isEmpty ? functions : marks
    }

    private func mark(named name: UInt32, _ object: ObjectFile) -> CodeMark.Kind? {
        object.file.withBytes { bytes in
            guard let begin = try? bytes.clamped(to: strings).from(UInt64(name)) else { return nil }
            return mark(begin)
        }
    }
}

/// The function descriptors of 64-bit POWER's first ABI (big-endian): a function's symbol names a
/// descriptor in `.opd`, whose first word is the address of the code (64-bit PowerPC ELF ABI
/// supplement 1.9, section 3.2.5).
struct ELFDescriptors {
    static let sectionName = ".opd"

    let section: Section
    private let contents: SectionContents
    private let order: ByteOrder

    /// - Returns: `nil` if the file has no descriptors, as in every other ABI, or they are in the
    ///   file that it is the debug companion of.
    init?(_ object: ObjectFile, machine: Int32) {
        guard machine == EM_PPC64, let section = object.section(named: Self.sectionName), !section.fileRange.isEmpty,
            let contents = try? object.contents(of: section)
        else { return nil }
        self.section = section
        self.contents = contents
        order = object.description.byteOrder
    }

    /// The address of the code of the function whose descriptor is at `address`; `nil` if none is
    /// there.
    func code(ofDescriptorAt address: UInt64) -> UInt64? {
        guard let offset = LinkAddress(address).distance(from: section.address), offset % 8 == 0 else { return nil }
        return contents.withBytes { bytes in
            guard var field = try? bytes.slice(at: offset, count: 8) else { return nil }
            return try? field.read(UInt64.self, order)
        }
    }
}
