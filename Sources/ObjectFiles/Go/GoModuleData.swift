internal import BinaryPrimitives

/// The runtime's description of a Go program (`moduledata` in Go's `runtime/symtab.go`; its symbol
/// is `runtime.firstmoduledata`): from Go 1.26 on in a section of its own, before among the data
/// without pointers (`.noptrdata`), or, where a C linker joined them, wherever that put it.
struct GoModuleData {
    /// Base address of distances in the line table.
    let textStart: UInt64
    /// Base address of the offsets of tables of inlined calls, from Go 1.18 on (`gofunc`).
    let inlineTrees: UInt64?

    private static let ownSections = [".go.module", "__go_module"]
    private static let dataSections = [".noptrdata", ".data", ".data.rel.ro", "__noptrdata", "__data"]

    /// - Parameter table: the line table's own addresses.
    /// - Returns: `nil` where none is found for this table.
    init?(_ object: ObjectFile, table: Range<UInt64>, _ header: GoTableHeader) {
        // The first word is the address of the line table, the second the address of the names in
        // it: no other two words match both.
        let (names, overflow) = table.lowerBound.addingReportingOverflow(UInt64(header.names))
        guard header.version >= .go116, !overflow else { return nil }
        for name in Self.ownSections + Self.dataSections {
            guard let section = object.section(named: name), !section.fileRange.isEmpty,
                let words = Self.words(object, section, header, beginningWith: [table.lowerBound, names])
            else { continue }
            // After six slices of three words each: the table for finding functions, the lowest and
            // the highest address, the start of the text.
            textStart = words[22]
            inlineTrees = Self.inlineTrees(words, isOwnSection: Self.ownSections.contains(name), end: table.upperBound, header)
            return
        }
        return nil
    }

    private static func inlineTrees(_ words: [UInt64], isOwnSection: Bool, end: UInt64, _ header: GoTableHeader) -> UInt64? {
        guard header.version >= .go118 else { return nil }
        if isOwnSection {
            // The number of words before `go:func.*` changes with the releases, but the end of the
            // line table follows its address.
            return words.indices.dropFirst(24).first { words[$0] == end }.map { words[$0 - 1] }
        }
        // From Go 1.18 to 1.25: eleven words for the sections of data, two for types and one for
        // read-only data come between; from 1.20 on two more, for counters of coverage.
        return words[header.version >= .go120 ? 40 : 38]
    }

    /// The words of a section from the first position on at which it has those two.
    private static func words(
        _ object: ObjectFile, _ section: Section, _ header: GoTableHeader, beginningWith first: [UInt64]
    ) -> [UInt64]? {
        guard let contents = try? object.contentsAsLoaded(of: section) else { return nil }
        let size = header.pointerSize
        return contents.withBytes { bytes in
            func word(_ position: Int) -> UInt64? {
                (try? bytes.unsigned(size: size, at: position, header.byteOrder)).map { pointer($0, object) }
            }
            var position = 0
            while let value = word(position) {
                if value == first[0], word(position + size) == first[1] {
                    let words = (0..<48).map { word(position + $0 * size) ?? 0 }
                    return words
                }
                position += size
            }
            return nil
        }
    }

    /// Apple's linker writes a chain through the pointers of a Mach-O file
    /// (`DYLD_CHAINED_PTR_64_OFFSET`): their low 36 bits are the distance from the image's base.
    private static func pointer(_ word: UInt64, _ object: ObjectFile) -> UInt64 {
        let base = object.baseAddress.value
        guard object.description.container == .machO, word != 0, word & 0xffff_ffff_ffff < base || word >> 51 != 0 else { return word }
        return base &+ word & 0xf_ffff_ffff
    }
}
