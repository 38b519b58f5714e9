internal import BinaryPrimitives
internal import CLibelf
internal import LibC

/// Turns ELF's section headers into sections, each offset and size checked against the file.
struct ELFSections {
    let file: MappedFile
    let headers: [GElf_Shdr]
    /// The number of the section that holds the names.
    let namesIndex: Int?

    /// Bytes of one section name that are kept. Only `-ffunction-sections` makes long ones, of
    /// mangled names; they are for display.
    private static let nameLength = 1024
    /// Bytes of the table of names that are read: 64 bytes for each of the most sections that are
    /// allowed.
    private static let tableLength = 64 << 20

    /// A file without section headers has its segments in their place, ascending, numbered from 1:
    /// they bound its code.
    static func sections(of segments: [Segment], _ limits: Limits) -> [Section] {
        let sorted = segments.prefix(limits.mappedSegments).sorted { $0.address < $1.address }
        return sorted.enumerated().map { number, segment in
            Section(
                name: "", number: number + 1, address: segment.address, size: segment.size, fileRange: segment.fileRange, isLoaded: true,
                isExecutable: segment.isExecutable)
        }
    }

    func read(_ session: borrowing ELFSession) -> [Section] {
        let names = nameTable()
        var sections: [Section] = []
        sections.reserveCapacity(headers.count)
        for (number, header) in headers.enumerated() {
            sections.append(section(number, header, names, session))
        }
        return sections
    }

    private func nameTable() -> [UInt8] {
        guard let namesIndex, headers.indices.contains(namesIndex),
            let range = ELFReader.range(headers[namesIndex].sh_offset, headers[namesIndex].sh_size, in: file)
        else { return [] }
        return file.bytes(in: range.lowerBound..<range.lowerBound + min(range.count, Self.tableLength))
    }

    private func name(_ offset: UInt32, in table: [UInt8]) -> String {
        guard let rest = try? table.span.rawBytes.from(UInt64(offset)) else { return "" }
        let text = rest.prefix(Self.nameLength)
        return text.prefix(text.lengthOfCString() ?? text.byteCount).string()
    }

    private func section(_ number: Int, _ header: GElf_Shdr, _ names: [UInt8], _ session: borrowing ELFSession) -> Section {
        let type = Int64(header.sh_type)
        let flags = Int64(bitPattern: header.sh_flags)
        let hasNoBytes = type == Int64(SHT_NOBITS) || type == Int64(SHT_NULL)
        // `.tbss` has an address, but every thread has its own copy elsewhere; the address belongs
        // to the section after it.
        let isThreadZeroFill = hasNoBytes && flags & Int64(SHF_TLS) != 0
        let range = hasNoBytes ? 0..<0 : ELFReader.range(header.sh_offset, header.sh_size, in: file)
        var section = Section(
            name: name(header.sh_name, in: names), number: number, address: LinkAddress(header.sh_addr),
            size: type == Int64(SHT_NULL) ? 0 : header.sh_size, fileRange: range ?? 0..<0,
            isLoaded: flags & Int64(SHF_ALLOC) != 0 && !isThreadZeroFill, isExecutable: flags & Int64(SHF_EXECINSTR) != 0)
        if range == nil {
            let expected = "section \(section.name) of \(header.sh_size) bytes should be at byte \(header.sh_offset)"
            section.problem = "\(expected), the file ends at byte \(file.size)"
        } else if flags & Int64(SHF_COMPRESSED) != 0, !hasNoBytes {
            readCompressionHeader(of: &section, session)
        } else if !hasNoBytes {
            GNUCompression.mark(&section, in: file)
        }
        return section
    }

    /// `SHF_COMPRESSED`: the bytes begin with an `Elf32_Chdr` or `Elf64_Chdr` that gives the type
    /// and the size after inflating.
    private func readCompressionHeader(of section: inout Section, _ session: borrowing ELFSession) {
        guard let (header, length) = session.compressionHeader(in: section.fileRange) else {
            section.problem =
                "section \(section.name) of \(section.fileRange.count) bytes is marked as compressed and has no compression header"
            return
        }
        switch header.ch_type {
        case UInt32(ELFCOMPRESS_ZLIB): section.compression = .zlib
        case 2: section.compression = .zstd  // ELFCOMPRESS_ZSTD, which headers know since 2022
        default: section.compression = .unsupported(header.ch_type)
        }
        section.size = header.ch_size
        section.fileRange = section.fileRange.lowerBound + length..<section.fileRange.upperBound
    }
}
