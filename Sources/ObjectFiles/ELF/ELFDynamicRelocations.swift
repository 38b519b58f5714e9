internal import BinaryPrimitives
internal import CLibelf

/// Relocations of an ELF file for the dynamic linker, and the symbols that they name (gABI, chapter
/// 5, "Dynamic Section"). They are found by `PT_DYNAMIC` alone, so that a file without section
/// headers has them too.
struct ELFDynamicRelocations: Sendable {
    /// A relocation: an address that the dynamic linker fills in.
    struct Relocation {
        var address: UInt64
        /// The index of its symbol; 0 for none.
        var symbol: UInt64
        var type: UInt32
        /// `nil` where the addend is in the relocated field itself (`Elf64_Rel`).
        var addend: UInt64?
        /// It is one of those for functions alone (`DT_JMPREL`).
        var isOfStub: Bool
    }

    /// `DT_PLTGOT`: base address of the stubs' loads on some machines.
    private(set) var globalOffsetTable: UInt64?
    private var symbols = 0..<0
    private var strings = 0..<0
    private var relocations: [(bytes: Range<Int>, hasAddends: Bool, areOfStubs: Bool)] = []

    /// - Returns: `nil` if the file has neither a dynamic table nor the relocations that a static
    ///   program applies to itself (`.rela.plt` for its IFUNCs).
    init?(_ object: ObjectFile) {
        guard let range = object.description.dynamicTable else {
            for section in object.description.sections where section.isLoaded && !section.fileRange.isEmpty {
                if [".rela.plt", ".rela.iplt"].contains(section.name) { relocations.append((section.fileRange, true, true)) }
                if [".rel.plt", ".rel.iplt"].contains(section.name) { relocations.append((section.fileRange, false, true)) }
            }
            if relocations.isEmpty { return nil }
            return
        }
        var entries: [UInt64: UInt64] = [:]
        let size = object.description.addressSize
        let bytes = object.file.bytes(in: range.lowerBound..<range.lowerBound + min(range.count, Self.maxTableBytes))
        var rest = bytes.span.rawBytes
        while let tag = try? rest.readUnsigned(size: size, object.description.byteOrder), tag != UInt64(DT_NULL),
            let value = try? rest.readUnsigned(size: size, object.description.byteOrder)
        {
            // The first of a kind counts, as there should be one alone.
            if entries[tag] == nil { entries[tag] = value }
        }
        func value(_ tag: Int32) -> UInt64? { entries[UInt64(tag)] }
        globalOffsetTable = value(DT_PLTGOT)
        // How many symbols there are is not said: the table may reach to the end of its segment.
        symbols = value(DT_SYMTAB).flatMap { object.fileRange(from: $0, count: .max) } ?? 0..<0
        strings = value(DT_STRTAB).flatMap { object.fileRange(from: $0, count: value(DT_STRSZ) ?? 0) } ?? 0..<0
        for (tag, count, hasAddends) in [
            (DT_JMPREL, DT_PLTRELSZ, value(DT_PLTREL) == UInt64(DT_RELA)), (DT_RELA, DT_RELASZ, true), (DT_REL, DT_RELSZ, false),
        ] {
            guard let start = value(tag), let count = value(count), let range = object.fileRange(from: start, count: count) else {
                continue
            }
            relocations.append((range, hasAddends, tag == DT_JMPREL))
        }
    }

    /// Bytes of the table that are read. There are some dozen entries of 16, and one for each
    /// library.
    private static let maxTableBytes = 1 << 18

    /// Gives the relocations to `body`, those of stubs (`DT_JMPREL`) first; no more than
    /// `Limits.dynamicRelocations`.
    func forEachRelocation(of object: ObjectFile, _ body: (Relocation) -> Void) {
        let size = object.description.addressSize
        let order = object.description.byteOrder
        let isMIPS64 = size == 8 && object.architecture == .mips64
        var left = object.limits.dynamicRelocations
        for (range, hasAddends, areOfStubs) in relocations {
            let length = size * (hasAddends ? 3 : 2)
            let count = min(left, range.count / length)
            left -= count
            object.file.withBytes { whole in
                let bytes = whole.clamped(to: range)
                for index in 0..<count {
                    guard let address = try? bytes.unsigned(size: size, at: index * length, order),
                        let info = try? bytes.unsigned(size: size, at: index * length + size, order)
                    else { return }
                    let addend = hasAddends ? try? bytes.unsigned(size: size, at: index * length + 2 * size, order) : nil
                    let symbol: UInt64
                    let type: UInt32
                    if isMIPS64 {
                        // A symbol of 32 bits, a special one of 8, and three types of 8 bits, of
                        // which the last is the first that is applied.
                        let isLittle = order == .littleEndian
                        symbol = isLittle ? info & 0xffff_ffff : info >> 32
                        type = UInt32(truncatingIfNeeded: isLittle ? info >> 56 : info & 0xff)
                    } else if size == 8 {
                        symbol = info >> 32
                        type = UInt32(truncatingIfNeeded: info)
                    } else {
                        symbol = info >> 8
                        type = UInt32(truncatingIfNeeded: info & 0xff)
                    }
                    body(Relocation(address: address, symbol: symbol, type: type, addend: addend, isOfStub: areOfStubs))
                }
            }
        }
    }

    /// The name of the symbol with that index; `nil` if it has none.
    func name(ofSymbol index: UInt64, in object: ObjectFile) -> String? {
        guard index > 0, let offset = nameOffset(ofSymbol: index, in: object), offset < UInt64(strings.count) else { return nil }
        let start = FileOffset(UInt64(strings.lowerBound) + offset)
        let text = object.file.string(from: start, before: FileOffset(UInt64(strings.upperBound)), limit: Limits.standard.nameLength)
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func nameOffset(ofSymbol index: UInt64, in object: ObjectFile) -> UInt64? {
        let record = object.description.addressSize == 8 ? MemoryLayout<Elf64_Sym>.size : MemoryLayout<Elf32_Sym>.size
        guard index < UInt64(symbols.count / record) else { return nil }
        return object.file.withBytes { whole in
            try? whole.clamped(to: symbols).unsigned(size: 4, at: Int(index) * record, object.description.byteOrder)
        }
    }
}

extension ObjectFile {
    /// Range of the file's bytes that are mapped at an address; `nil` if they are not all in one
    /// segment. A count of `UInt64.max` extends to the end of the segment.
    func fileRange(from address: UInt64, count: UInt64) -> Range<Int>? {
        for segment in description.segments {
            guard let distance = LinkAddress(address).distance(from: segment.address), distance < UInt64(segment.fileRange.count) else {
                continue
            }
            let left = UInt64(segment.fileRange.count) - distance
            guard count <= left || count == .max else { return nil }
            let start = segment.fileRange.lowerBound + Int(distance)
            return start..<start + Int(min(count, left))
        }
        return nil
    }

    /// A section's bytes with the addresses that the dynamic linker fills in, counted from where
    /// the file is linked. GNU's linker and LLVM's leave zeros there, in a shared library
    /// or a position-independent program.
    func contentsAsLoaded(of section: Section) throws(ObjectFileError) -> SectionContents {
        let contents = try self.contents(of: section)
        guard let type = relativeType, let table = ELFDynamicRelocations(self) else { return contents }
        let size = description.addressSize
        let order = description.byteOrder
        var bytes: [UInt8]?
        table.forEachRelocation(of: self) { relocation in
            guard relocation.type == type, let addend = relocation.addend,
                let distance = LinkAddress(relocation.address).distance(from: section.address),
                distance < UInt64(contents.count), contents.count - Int(distance) >= size
            else { return }
            var copy = bytes.take() ?? contents.withBytes { $0.copy() }
            for index in 0..<size {
                let shift = UInt64(order == .littleEndian ? index : size - 1 - index) * 8
                copy[Int(distance) + index] = UInt8(truncatingIfNeeded: addend >> shift)
            }
            bytes = copy
        }
        return bytes.map { .assembled($0) } ?? contents
    }

    /// The machine's relocation that adds where the file is loaded to its addend, where there are
    /// addends (`R_X86_64_RELATIVE`, …).
    private var relativeType: UInt32? {
        switch architecture {
        case .x86_64: 8
        case .arm64: 1027
        case .riscv64, .riscv32, .loongarch64: 3
        case .ppc64: 22
        case .s390x: 12
        default: nil
        }
    }
}

extension RawSpan {
    fileprivate func copy() -> [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
