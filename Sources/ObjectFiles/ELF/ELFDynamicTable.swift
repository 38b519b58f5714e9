internal import BinaryPrimitives
internal import CLibelf
internal import LibC

/// Dynamic section of an ELF file, which leads to its symbols where there are no section headers
/// (gABI, chapter 5, "Dynamic Section").
///
/// `ld.lld -z nosectionheader`, `strip --strip-section-headers` and packers leave the section
/// headers out; a process's memory that was written to a file lacks them too.
struct ELFDynamicTable {
    /// The records of the symbol table and the strings of their names, in the file.
    typealias Symbols = (records: Range<Int>, strings: Range<Int>)

    /// Program headers, with their offsets in this file.
    let programHeaders: [GElf_Phdr]
    /// Number of bytes that the dynamic linker has added to the addresses in the table, where
    /// memory was written to a file.
    private let bias: UInt64
    private let values: [Int64: UInt64]
    private let file: MappedFile
    private let order: ByteOrder
    private let is64Bit: Bool
    private let machine: Int32

    // Not in every libelf's header: the numbers of the generic ABI and its supplements.
    private static let (hash, strings, symbols, stringsSize, gnuHash) = (Int64(4), Int64(5), Int64(6), Int64(10), Int64(0x6fff_fef5))
    /// `DT_MIPS_SYMTABNO`: MIPS has a hash table of its own kind beside it.
    private static let mipsCount: Int64 = 0x7000_0011

    /// - Parameter headers: the program headers as the file has them.
    /// - Returns: the table with its symbols; `nil` if nothing leads to any.
    static func find(
        _ header: GElf_Ehdr, _ headers: [GElf_Phdr], imageBase: LinkAddress, _ order: ByteOrder, _ session: borrowing ELFSession,
        _ file: MappedFile
    ) -> (table: ELFDynamicTable, symbols: Symbols)? {
        for headers in [headers, asInMemory(headers, imageBase: imageBase, file)] {
            guard let dynamic = headers.first(where: { Int32(bitPattern: $0.p_type) == PT_DYNAMIC }),
                let range = ELFReader.range(dynamic.p_offset, min(dynamic.p_filesz, 1 << 16), in: file)
            else { continue }
            let entries = session.dynamicEntries(in: range)
            let table = ELFDynamicTable(header, headers, imageBase: imageBase, entries, order, file)
            if let symbols = table.findSymbols() { return (table, symbols) }
        }
        return nil
    }

    /// The headers of an image whose bytes are in the file as they were in memory: a segment's
    /// offset is then its distance from the image's base.
    private static func asInMemory(_ headers: [GElf_Phdr], imageBase: LinkAddress, _ file: MappedFile) -> [GElf_Phdr] {
        headers.map { header in
            var header = header
            header.p_offset = header.p_vaddr &- imageBase.value
            header.p_filesz = header.p_offset < UInt64(file.size) ? min(header.p_memsz, UInt64(file.size) - header.p_offset) : 0
            return header
        }
    }

    private init(
        _ header: GElf_Ehdr, _ headers: [GElf_Phdr], imageBase: LinkAddress, _ entries: [(tag: Int64, value: UInt64)], _ order: ByteOrder,
        _ file: MappedFile
    ) {
        programHeaders = headers
        values = Dictionary(entries.map { ($0.tag, $0.value) }) { first, _ in first }
        self.file = file
        self.order = order
        is64Bit = Int32(header.e_ident.4) == ELFCLASS64
        machine = Int32(header.e_machine)
        // glibc writes where the tables are in memory (`elf_get_dynamic_info`). The first of them
        // is in the image's first page, and images begin with a page.
        let loads = headers.filter { Int32(bitPattern: $0.p_type) == PT_LOAD }
        let end = loads.map { $0.p_vaddr &+ $0.p_memsz }.max() ?? 0
        let lowest = [Self.hash, Self.gnuHash, Self.symbols, Self.strings].compactMap { [values] in values[$0] }.min() ?? 0
        bias = lowest >= end || lowest < imageBase.value ? (lowest & ~0xfff) &- imageBase.value : 0
    }

    /// The bytes of the file from where an address of the table is to the end of its segment.
    private func bytes(_ tag: Int64) -> Range<Int>? {
        guard let value = values[tag] else { return nil }
        let address = LinkAddress(value &- bias)
        for header in programHeaders where Int32(bitPattern: header.p_type) == PT_LOAD {
            guard let distance = address.distance(from: LinkAddress(header.p_vaddr)), distance < header.p_filesz,
                let range = ELFReader.range(header.p_offset, header.p_filesz, in: file)
            else { continue }
            return range.lowerBound + Int(distance)..<range.upperBound
        }
        return nil
    }

    /// - Returns: `nil` unless both tables begin as they must: with a symbol of zeros, and with an
    ///   empty name.
    private func findSymbols() -> Symbols? {
        guard let table = bytes(Self.symbols), let names = bytes(Self.strings),
            let namesSize = values[Self.stringsSize].flatMap({ Int(exactly: $0) }), (1...names.count).contains(namesSize)
        else { return nil }
        let size = is64Bit ? MemoryLayout<Elf64_Sym>.size : MemoryLayout<Elf32_Sym>.size
        let count = [countOfHash, countOfGNUHash, countOfMIPS].lazy.compactMap { $0() }.first { $0 >= 2 && $0 <= table.count / size }
        guard let count, file.bytes(in: table.prefix(size)).allSatisfy({ $0 == 0 }), file.bytes(in: names.prefix(1)) == [0] else {
            return nil
        }
        return (table.prefix(count * size), names.prefix(namesSize))
    }

    /// `DT_HASH` has a chain for each symbol. Its words have 32 bits but for two machines
    /// (`elf_hash_entry` of glibc).
    private func countOfHash() -> Int? {
        guard let range = bytes(Self.hash) else { return nil }
        let isWide = is64Bit && (machine == EM_S390 || machine == EM_ALPHA)
        return file.withBytes { whole in
            let size = isWide ? 8 : 4
            return (try? whole.clamped(to: range).unsigned(size: size, at: size, order)).flatMap { Int(exactly: $0) }
        }
    }

    /// `DT_GNU_HASH`: numbers of buckets, of symbols before those in the table, of words of the
    /// filter; the filter, the buckets, a chain word for each symbol. The last bucket's chain ends
    /// the table, at the word with the lowest bit set (`dl_new_hash`, `do_lookup_x` of glibc).
    private func countOfGNUHash() -> Int? {
        guard let range = bytes(Self.gnuHash) else { return nil }
        return file.withBytes { whole in
            let bytes = whole.clamped(to: range)
            func word(_ index: UInt64) -> UInt64? {
                guard index < UInt64(bytes.byteCount / 4) else { return nil }
                return (try? bytes.value(UInt32.self, at: Int(index) * 4, order)).map { UInt64($0) }
            }
            guard let buckets = word(0), let first = word(1), let filter = word(2) else { return nil }
            let start = 4 + filter * (is64Bit ? 2 : 1)
            var last: UInt64 = 0
            for index in 0..<buckets {
                guard let bucket = word(start + index) else { return nil }
                last = max(last, bucket)
            }
            if last == 0 { return Int(first) }
            guard last >= first else { return nil }
            while let chain = word(start + buckets + last - first) {
                last += 1
                if chain & 1 != 0 { return Int(last) }
            }
            return nil
        }
    }

    private func countOfMIPS() -> Int? {
        machine == EM_MIPS ? values[Self.mipsCount].flatMap { Int(exactly: $0) } : nil
    }
}
