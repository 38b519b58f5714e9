internal import BinaryPrimitives
internal import CLibelf
internal import LibC

/// Reads an ELF file's headers (System V gABI, chapters 4 and 5) into an `ObjectFile`. Nothing but
/// headers, the section names and the notes is touched.
enum ELFReader {
    /// - Returns: `nil` if the file does not begin with ELF's magic number.
    static func open(_ file: MappedFile, _ limits: Limits = .standard) throws(ObjectFileError) -> ObjectFile? {
        let bytes = file.bytes(in: 0..<MemoryLayout<Elf64_Ehdr>.size)
        guard bytes.starts(with: [0x7f, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")]) else { return nil }
        let (is64Bit, byteOrder) = try encoding(bytes, file)
        try checkSectionCount(bytes, file, is64Bit: is64Bit, byteOrder, limits)
        let session = try ELFSession(file, limits)
        let header = try session.header()
        var description = ObjectFile.Description(
            container: .elf, kind: .other,
            architecture: Architecture(elfMachine: header.e_machine, is64Bit: is64Bit), byteOrder: byteOrder, addressSize: is64Bit ? 8 : 4)
        (description.elfFlags, description.entryPoint, description.programHeaders) = (header.e_flags, header.e_entry, header.e_phoff)
        let headers = try readHeaders(header, session, file, &description)
        readSections(headers, session, file, &description)
        let isCompanion = hasOnlyDebugInformation(header, description.sections)
        readSegments(headers, isCompanion: isCompanion, file, limits, &description)
        // The program headers of a companion (`objcopy --only-keep-debug`, `eu-strip -f`) are the
        // stripped file's, and so are the file offsets in them.
        let segmentsInFile = isCompanion ? [] : headers.segments
        description.kind = isCompanion ? .debugCompanion : kind(header, segmentsInFile, session, file)
        description.identity = identity(header, headers.sections, segmentsInFile, session, file, limits, &description.notes)
        description.debugLink = DebugLink.read(description, file)
        let symbols = ELFSymbolTable(
            headers: headers.sections, dynamic: headers.dynamicSymbols, description: description, machine: header.e_machine)
        let relocations =
            description.kind == .relocatable
            ? ELFRelocations(headers: headers.sections, description: description, machine: header.e_machine) : nil
        return ObjectFile(
            file: file, slice: 0..<file.size, description: description, symbolReader: symbols, relocations: relocations, limits: limits)
    }

    /// The headers of a file, as far as they can be used.
    private struct Headers {
        let file: GElf_Ehdr
        var segments: [GElf_Phdr]
        var sections: [GElf_Shdr]
        /// Symbols that the dynamic section leads to: of an image without usable section headers.
        var dynamicSymbols: ELFDynamicTable.Symbols?

        var isImage: Bool { [ET_EXEC, ET_DYN].contains(Int32(file.e_type)) }
    }

    /// Notes which headers are missing.
    private static func readHeaders(
        _ header: GElf_Ehdr, _ session: borrowing ELFSession, _ file: MappedFile, _ description: inout ObjectFile.Description
    ) throws(ObjectFileError) -> Headers {
        var headers = Headers(file: header, segments: try session.programHeaders(), sections: try session.sectionHeaders())
        if headers.segments.count < Int(header.e_phnum), Int32(header.e_phnum) != PN_XNUM {
            description.notes.append("\(header.e_phnum) program headers are declared, \(headers.segments.count) are in the file")
        }
        let dynamic =
            headers.isImage && !areSound(headers.sections, namesIndex: session.sectionNamesIndex())
            ? ELFDynamicTable.find(
                header, headers.segments, imageBase: baseAddress(header, headers.segments), description.byteOrder, session, file) : nil
        if header.e_shoff != 0, headers.sections.isEmpty, dynamic == nil {
            // Linkers write them at the end, so this is the sign of a download or a copy that was
            // cut short.
            let expected = "the section headers should be at byte \(header.e_shoff)"
            throw ObjectFileError(.corrupt, path: file.path, "\(expected), the file ends at byte \(file.size): it is cut short")
        }
        if dynamic != nil { headers.sections = [] }
        guard !(headers.segments.isEmpty && headers.sections.isEmpty) else {
            throw ObjectFileError(.corrupt, path: file.path, "the ELF file has neither section headers nor program headers")
        }
        if headers.sections.isEmpty {
            let state = header.e_shoff == 0 ? "no section headers" : "lost its section headers, which should be at byte \(header.e_shoff)"
            let found = dynamic == nil ? "neither symbols nor debug information are found" : "only its dynamic symbols are found"
            description.notes.append("the file has \(state): \(found)")
        }
        if let dynamic { headers.segments = dynamic.table.programHeaders }
        headers.dynamicSymbols = dynamic?.symbols
        return headers
    }

    private static func readSections(
        _ headers: Headers, _ session: borrowing ELFSession, _ file: MappedFile, _ description: inout ObjectFile.Description
    ) {
        description.sections = ELFSections(file: file, headers: headers.sections, namesIndex: session.sectionNamesIndex()).read(session)
        if Int32(headers.file.e_type) == ET_REL {
            description.sectionsArePlaced = SectionAddresses.assign(
                to: &description.sections, alignments: headers.sections.map(\.sh_addralign), addressSize: description.addressSize)
        }
    }

    /// Reads the segments, the tables that they lead to, and the image's base address. They are the
    /// sections of an image without any.
    private static func readSegments(
        _ headers: Headers, isCompanion: Bool, _ file: MappedFile, _ limits: Limits, _ description: inout ObjectFile.Description
    ) {
        func inFile(_ header: GElf_Phdr) -> Segment? {
            let segment = segment(header, file, isCompanion: isCompanion)
            return segment.fileRange.isEmpty ? nil : segment
        }
        description.segments = headers.segments.filter { Int32(bitPattern: $0.p_type) == PT_LOAD && $0.p_memsz > 0 }
            .map { segment($0, file, isCompanion: isCompanion) }
        description.exceptionFrameHeader = headers.segments.first { Int64($0.p_type) == Int64(PT_GNU_EH_FRAME) }.flatMap(inFile)
        // PT_ARM_EXIDX (Arm's ELF ABI, section 5.5.1); the number means something else on other
        // machines.
        description.armExceptionIndex = headers.segments.first { headers.file.e_machine == UInt16(EM_ARM) && $0.p_type == 0x7000_0001 }
            .flatMap(inFile)
        description.dynamicTable =
            isCompanion
            ? nil
            : headers.segments.first { Int32(bitPattern: $0.p_type) == PT_DYNAMIC }.flatMap { range($0.p_offset, $0.p_filesz, in: file) }
        description.baseAddress = baseAddress(headers.file, headers.segments)
        if headers.sections.isEmpty, headers.isImage {
            description.sectionsAreSegments = true
            description.sections = ELFSections.sections(of: description.segments, limits)
        }
    }

    /// `EI_CLASS` and `EI_DATA`, and whether the whole header is there.
    private static func encoding(_ ident: [UInt8], _ file: MappedFile) throws(ObjectFileError) -> (is64Bit: Bool, byteOrder: ByteOrder) {
        func corrupt(_ problem: String) -> ObjectFileError { ObjectFileError(.corrupt, path: file.path, problem) }
        guard ident.count >= Int(EI_NIDENT) else { throw corrupt("the ELF file ends in its header, after \(file.size) bytes") }
        let elfClass = Int32(ident[Int(EI_CLASS)])
        let data = Int32(ident[Int(EI_DATA)])
        guard elfClass == ELFCLASS32 || elfClass == ELFCLASS64 else {
            throw corrupt("ELF class \(elfClass), expected 1 (32 bits) or 2 (64 bits)")
        }
        guard data == ELFDATA2LSB || data == ELFDATA2MSB else {
            throw corrupt("ELF byte order \(data), expected 1 (little) or 2 (big-endian)")
        }
        let size = elfClass == ELFCLASS64 ? MemoryLayout<Elf64_Ehdr>.size : MemoryLayout<Elf32_Ehdr>.size
        guard file.size >= size else { throw corrupt("the ELF header takes \(size) bytes, the file has \(file.size)") }
        return (elfClass == ELFCLASS64, data == ELFDATA2LSB ? .littleEndian : .bigEndian)
    }

    /// Whether these bytes are section headers at all: the first header is empty, and the one of
    /// the names is a table of strings (gABI, chapter 4, "Sections"). In a process's memory that
    /// was written to a file, any bytes can be there.
    private static func areSound(_ headers: [GElf_Shdr], namesIndex: Int?) -> Bool {
        guard let first = headers.first, first.sh_type == UInt32(SHT_NULL) else { return false }
        guard let namesIndex else { return headers.contains { $0.sh_type != UInt32(SHT_NULL) } }
        return headers.indices.contains(namesIndex) && headers[namesIndex].sh_type == UInt32(SHT_STRTAB)
    }

    /// libelf makes room for all declared sections before their number can be read: some hundred
    /// bytes each, of a file that may be a terabyte of nothing.
    private static func checkSectionCount(
        _ header: [UInt8], _ file: MappedFile, is64Bit: Bool, _ order: ByteOrder, _ limits: Limits
    ) throws(ObjectFileError) {
        func number(_ bytes: [UInt8], at position: UInt64, size: Int) -> UInt64 {
            guard var rest = try? bytes.span.rawBytes.from(position) else { return 0 }
            return (try? rest.readUnsigned(size: size, order)) ?? 0
        }
        // e_shoff and e_shnum; where that is zero, sh_size of the first header has the count.
        let offset = number(header, at: is64Bit ? 40 : 32, size: is64Bit ? 8 : 4)
        guard offset != 0, number(header, at: is64Bit ? 60 : 48, size: 2) == 0, offset <= UInt64(file.size) else { return }
        let first = file.bytes(in: Int(offset)..<Int(offset) + MemoryLayout<Elf64_Shdr>.size)
        let count = number(first, at: is64Bit ? 32 : 20, size: is64Bit ? 8 : 4)
        guard count <= UInt64(limits.sections) else {
            throw ObjectFileError(
                .corrupt, path: file.path, "\(count) section headers are declared, expected \(limits.sections) or fewer")
        }
    }

    /// A file range of `size` bytes from `offset` on; `nil` if it does not all lie in the file.
    static func range(_ offset: UInt64, _ size: UInt64, in file: MappedFile) -> Range<Int>? {
        let total = UInt64(file.size)
        guard offset <= total, size <= total - offset else { return nil }
        return Int(offset)..<Int(offset + size)
    }

    private static func segment(_ header: GElf_Phdr, _ file: MappedFile, isCompanion: Bool) -> Segment {
        Segment(
            name: "", address: LinkAddress(header.p_vaddr), size: header.p_memsz,
            fileRange: isCompanion ? 0..<0 : range(header.p_offset, header.p_filesz, in: file) ?? 0..<0,
            isExecutable: Int32(bitPattern: header.p_flags) & PF_X != 0)
    }

    /// The lowest `PT_LOAD` address, rounded down as a loader does that maps whole pages.
    ///
    /// The page is the smallest that any of the processors has, 4 KB, also where `p_align` is
    /// larger: an ARM executable may begin at 0x8000 with an alignment of 0x10000 and is mapped at
    /// 0x8000 (Linux, `ELF_PAGESTART`; glibc, `_dl_map_segments`). A smaller `p_align` belongs to a
    /// file that is not mapped by pages.
    private static func baseAddress(_ header: GElf_Ehdr, _ headers: [GElf_Phdr]) -> LinkAddress {
        let loads = headers.filter { Int32(bitPattern: $0.p_type) == PT_LOAD && $0.p_memsz > 0 }
        guard Int32(header.e_type) != ET_REL, let lowest = loads.min(by: { $0.p_vaddr < $1.p_vaddr }) else { return LinkAddress(0) }
        let page = min(max(lowest.p_align, 1), 4096)
        guard page & (page - 1) == 0 else { return LinkAddress(lowest.p_vaddr) }
        return LinkAddress(lowest.p_vaddr & ~(page - 1))
    }

    /// Whether the code was removed: every executable section is `SHT_NOBITS` (or there is none, as
    /// in a supplementary file of `dwz`), and debug information or a symbol table is there.
    private static func hasOnlyDebugInformation(_ header: GElf_Ehdr, _ sections: [Section]) -> Bool {
        guard [ET_EXEC, ET_DYN].contains(Int32(header.e_type)) else { return false }
        let hasCode = sections.contains { $0.isLoaded && $0.isExecutable && $0.size > 0 && ($0.problem != nil || !$0.fileRange.isEmpty) }
        return !hasCode && sections.contains { [".debug_info", ".zdebug_info", ".symtab"].contains($0.name) && $0.size > 0 }
    }

    private static func kind(_ header: GElf_Ehdr, _ segments: [GElf_Phdr], _ session: borrowing ELFSession, _ file: MappedFile)
        -> ObjectFile.Kind
    {
        switch Int32(header.e_type) {
        case ET_REL: return .relocatable
        case ET_CORE: return .core
        case ET_EXEC: return .executable
        case ET_DYN:
            // Position-independent executables have the type of a shared library. Linkers since
            // binutils 2.26 (2015) set DF_1_PIE; before, an executable is known by its interpreter.
            // libc.so.6 has one too (it prints its version when run), and, as a library, a name.
            let dynamic = segments.first { Int32(bitPattern: $0.p_type) == PT_DYNAMIC }
                .flatMap { range($0.p_offset, min($0.p_filesz, 1 << 16), in: file) }
            let entries = dynamic.map { session.dynamicEntries(in: $0) } ?? []
            let flags = entries.first { $0.tag == Int64(DT_FLAGS_1) }?.value ?? 0
            let hasInterpreter = segments.contains { Int32(bitPattern: $0.p_type) == PT_INTERP }
            let hasName = entries.contains { $0.tag == Int64(DT_SONAME) }
            return flags & UInt64(DF_1_PIE) != 0 || (hasInterpreter && !hasName) ? .executable : .sharedLibrary
        default: return .other
        }
    }

    /// The build ID, from the note sections, else from the note segments (all that a file without
    /// section headers has).
    /// - Parameter remarks: gets a remark if none was found and not all was searched.
    private static func identity(
        _ header: GElf_Ehdr, _ sections: [GElf_Shdr], _ segments: [GElf_Phdr], _ session: borrowing ELFSession, _ file: MappedFile,
        _ limits: Limits, _ remarks: inout [String]
    ) -> ImageID? {
        // A core's notes are about the process, and there may be megabytes of them.
        guard Int32(header.e_type) != ET_CORE else { return nil }
        // Sections may lie on top of each other: a thousand times the same megabyte.
        let maxBytes = 8 * limits.notes
        var left = UInt64(maxBytes)
        var isCut = false
        let notes =
            sections.filter { Int32(bitPattern: $0.sh_type) == SHT_NOTE }.map { ($0.sh_offset, $0.sh_size, $0.sh_addralign) }
            + segments.filter { Int32(bitPattern: $0.p_type) == PT_NOTE }.map { ($0.p_offset, $0.p_filesz, $0.p_align) }
        for (offset, size, alignment) in notes {
            guard size <= min(left, UInt64(limits.notes)) else {
                isCut = true
                continue
            }
            left -= size
            if let notes = range(offset, size, in: file),
                let id = session.buildID(inNotes: notes, alignment: alignment).flatMap(ImageID.init(buildID:))
            {
                return id
            }
        }
        if isCut {
            remarks.append(
                "not all ELF notes were searched for a build ID, expected at most \(limits.notes) bytes in a place and \(maxBytes) in all")
        }
        return nil
    }
}

extension Architecture {
    /// The architecture that ELF's `e_machine` names. A machine that is not listed keeps its number
    /// in the name.
    package init(elfMachine machine: UInt16, is64Bit: Bool) {
        switch Int32(machine) {
        case EM_386, EM_IAMCU: self = .i386
        // The x32 ABI has 32-bit files of this machine; the code is the same.
        case EM_X86_64: self = .x86_64
        case EM_ARM: self = .arm
        case EM_AARCH64: self = .arm64
        case EM_PPC: self = .ppc
        case EM_PPC64: self = .ppc64
        case EM_RISCV: self = is64Bit ? .riscv64 : .riscv32
        case EM_S390: self = is64Bit ? .s390x : Architecture("s390")
        case EM_MIPS, EM_MIPS_RS3_LE: self = is64Bit ? .mips64 : .mips
        case EM_LOONGARCH: self = is64Bit ? .loongarch64 : Architecture("loongarch32")
        case EM_SPARC, EM_SPARC32PLUS: self = Architecture("sparc")
        case EM_SPARCV9: self = Architecture("sparcv9")
        case EM_68K: self = Architecture("m68k")
        case EM_IA_64: self = Architecture("ia64")
        case EM_ALPHA: self = Architecture("alpha")
        case EM_PARISC: self = Architecture("hppa")
        case EM_SH: self = Architecture("sh")
        case EM_CSKY: self = Architecture("csky")
        case EM_AVR: self = Architecture("avr")
        case EM_MSP430: self = Architecture("msp430")
        case EM_QDSP6: self = Architecture("hexagon")
        case EM_BPF: self = Architecture("bpf")
        default: self = Architecture("ELF machine \(machine)")
        }
    }
}
