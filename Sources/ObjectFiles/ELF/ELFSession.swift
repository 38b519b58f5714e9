internal import BinaryPrimitives
internal import CLibelf
internal import LibC

/// libelf, initialised once with the version of the format that its caller was compiled for. A
/// global is initialised by one thread, and only once.
private let libelfIsReady: Bool = elf_version(UInt32(EV_CURRENT)) != UInt32(EV_NONE)

/// An open libelf handle over a mapped file. It stays in the task that opened it, and ends with it.
///
/// Every pointer that libelf hands out is read here and becomes a Swift value before the handle
/// ends. Bytes are read by `elf_getdata_rawchunk` alone, in small pieces: `elf_getdata` (and
/// `gelf_getchdr` over it) would copy a whole section to swap the bytes of its first 24. Nothing
/// that is called here writes to the image; if it did, the mapping is read-only and the process
/// would stop.
@safe struct ELFSession: ~Copyable {
    private let handle: OpaquePointer
    private let file: MappedFile
    private let limits: Limits

    init(_ file: MappedFile, _ limits: Limits = .standard) throws(ObjectFileError) {
        let bytes = unsafe file.unsafeBytes
        guard libelfIsReady, let start = bytes.baseAddress,
            let handle = unsafe elf_memory(UnsafeMutableRawPointer(mutating: start).assumingMemoryBound(to: CChar.self), bytes.count)
        else { throw ObjectFileError(.corrupt, path: file.path, "libelf cannot read it as ELF: \(Self.lastError)") }
        unsafe self.handle = handle
        self.file = file
        self.limits = limits
    }

    deinit { unsafe _ = elf_end(handle) }

    private static var lastError: String {
        guard let text = unsafe elf_errmsg(-1) else { return "no reason given" }
        return unsafe String(cString: text)
    }

    private func corrupt(_ problem: String) -> ObjectFileError {
        ObjectFileError(.corrupt, path: file.path, "\(problem): \(Self.lastError)")
    }

    func header() throws(ObjectFileError) -> GElf_Ehdr {
        var header = GElf_Ehdr()
        guard unsafe gelf_getehdr(handle, &header) != nil else { throw corrupt("the ELF header cannot be read") }
        return header
    }

    /// All program headers, also where there are 0xffff or more (`PN_XNUM`: the count is then in
    /// the first section header).
    func programHeaders() throws(ObjectFileError) -> [GElf_Phdr] {
        var count = 0
        guard unsafe elf_getphdrnum(handle, &count) == 0 else { throw corrupt("the program headers cannot be counted") }
        // A program header has 32 bytes or more.
        guard count <= file.size / 32, let end = Int32(exactly: count) else {
            throw ObjectFileError(.corrupt, path: file.path, "\(count) program headers are too many for a file of \(file.size) bytes")
        }
        try check(count, "program headers")
        var headers: [GElf_Phdr] = []
        headers.reserveCapacity(count)
        for index in 0..<end {
            var header = GElf_Phdr()
            guard unsafe gelf_getphdr(handle, index, &header) != nil else { throw corrupt("program header \(index) cannot be read") }
            headers.append(header)
        }
        return headers
    }

    /// All section headers, also where there are 0xff00 or more (the count is then in the first
    /// section header's `sh_size`).
    func sectionHeaders() throws(ObjectFileError) -> [GElf_Shdr] {
        var count = 0
        guard unsafe elf_getshdrnum(handle, &count) == 0 else { throw corrupt("the section headers cannot be counted") }
        // A section header has 40 bytes or more.
        guard count <= file.size / 40 else {
            throw ObjectFileError(.corrupt, path: file.path, "\(count) section headers are too many for a file of \(file.size) bytes")
        }
        try check(count, "section headers")
        var headers: [GElf_Shdr] = []
        headers.reserveCapacity(count)
        for index in 0..<count {
            var header = GElf_Shdr()
            guard let section = unsafe elf_getscn(handle, index), unsafe gelf_getshdr(section, &header) != nil else {
                throw corrupt("section header \(index) cannot be read")
            }
            headers.append(header)
        }
        return headers
    }

    private func check(_ count: Int, _ what: StaticString) throws(ObjectFileError) {
        guard count > limits.sections else { return }
        throw ObjectFileError(.corrupt, path: file.path, "\(count) \(what) are declared, expected \(limits.sections) or fewer")
    }

    /// The number of the section that holds the sections' names; `nil` if the file has none.
    func sectionNamesIndex() -> Int? {
        var index = 0
        guard unsafe elf_getshdrstrndx(handle, &index) == 0, index != 0 else { return nil }
        return index
    }

    /// The compression header at the start of `range`, and its length in the file (12 bytes of
    /// `Elf32_Chdr`, 24 of `Elf64_Chdr`).
    func compressionHeader(in range: Range<Int>) -> (header: GElf_Chdr, length: Int)? {
        let is64 = unsafe gelf_getclass(handle) == ELFCLASS64
        let length = is64 ? MemoryLayout<Elf64_Chdr>.size : MemoryLayout<Elf32_Chdr>.size
        guard range.count >= length, let data = unsafe chunk(range.lowerBound..<range.lowerBound + length, ELF_T_CHDR),
            let bytes = unsafe data.pointee.d_buf, unsafe data.pointee.d_size >= length
        else { return nil }
        if is64 { return unsafe (bytes.loadUnaligned(as: Elf64_Chdr.self), length) }
        let small = unsafe bytes.loadUnaligned(as: Elf32_Chdr.self)
        let header = GElf_Chdr(
            ch_type: small.ch_type, ch_reserved: 0, ch_size: UInt64(small.ch_size), ch_addralign: UInt64(small.ch_addralign))
        return (header, length)
    }

    /// The contents of the `NT_GNU_BUILD_ID` note in `range`, if one is there.
    /// - Parameter alignment: alignment of the note section or segment: 8 for the newer layout of
    ///   64-bit files, else 4.
    func buildID(inNotes range: Range<Int>, alignment: UInt64) -> [UInt8]? {
        guard !range.isEmpty, let data = unsafe chunk(range, alignment == 8 ? ELF_T_NHDR8 : ELF_T_NHDR) else { return nil }
        var offset = 0
        while true {
            var note = GElf_Nhdr()
            var name = 0
            var contents = 0
            let next = unsafe gelf_getnote(data, offset, &note, &name, &contents)
            guard next > offset else { return nil }
            // Name and contents are read from cairn's own copy of the bytes. The owner of a build
            // ID is "GNU" with its zero byte; SHA-1 has 20 bytes, and `ld --build-id=0x…` accepts
            // any number.
            let length = Int(note.n_descsz)
            if note.n_type == NT_GNU_BUILD_ID, note.n_namesz == 4, (1...64).contains(length), contents <= range.count - length,
                name <= range.count - 4
            {
                let owner = range.lowerBound + name
                let start = range.lowerBound + contents
                if file.bytes(in: owner..<owner + 4) == [0x47, 0x4e, 0x55, 0] { return file.bytes(in: start..<start + length) }
            }
            offset = next
        }
    }

    /// The entries of a dynamic section, up to `DT_NULL`.
    func dynamicEntries(in range: Range<Int>) -> [(tag: Int64, value: UInt64)] {
        guard !range.isEmpty, let data = unsafe chunk(range, ELF_T_DYN) else { return [] }
        var entries: [(tag: Int64, value: UInt64)] = []
        var entry = GElf_Dyn()
        // An entry has 8 bytes or more; `gelf_getdyn` returns NULL past the last.
        for index in 0..<Int32(clamping: range.count / 8) {
            guard unsafe gelf_getdyn(data, index, &entry) != nil, entry.d_tag != Int64(DT_NULL) else { break }
            unsafe entries.append((entry.d_tag, entry.d_un.d_val))
        }
        return entries
    }

    /// Bytes of the file in the machine's byte order; owned by the handle.
    private func chunk(_ range: Range<Int>, _ type: Elf_Type) -> UnsafeMutablePointer<Elf_Data>? {
        unsafe elf_getdata_rawchunk(handle, Int64(range.lowerBound), range.count, type)
    }
}
