internal import BinaryPrimitives

/// Location of a program's line table: a section of its own, or, if a C linker joined it with other
/// sections, a part of their section.
struct GoTableSection {
    /// Address range of the table, or from its start to the end of the section.
    let addresses: Range<UInt64>
    let contents: SectionContents
    let header: GoTableHeader

    private static let own = [".gopclntab", ".data.rel.ro.gopclntab", "__gopclntab"]
    /// Sections that every Go program has; files without them are not searched.
    private static let signs = [".go.buildinfo", ".note.go.buildid"]

    /// - Returns: `nil` if there is none.
    init?(_ object: ObjectFile) {
        let order = object.description.byteOrder
        if let section = object.description.sections.first(where: { Self.own.contains($0.name) && !$0.fileRange.isEmpty }),
            let end = section.address.advanced(by: section.size), let plain = try? object.contents(of: section),
            let header = plain.withBytes({ GoTableHeader($0, order) })
        {
            // From Go 1.18 on its only address is the text's, which the runtime's description has
            // too.
            contents = header.version >= .go118 ? plain : (try? object.contentsAsLoaded(of: section)) ?? plain
            addresses = section.address.value..<end.value
            self.header = header
            return
        }
        // A position-independent program or a shared library of GNU's linker or LLVM's:
        // `.data.rel.ro.gopclntab` has become a part of `.data.rel.ro`.
        guard object.description.sections.contains(where: { Self.signs.contains($0.name) }),
            let section = object.section(named: ".data.rel.ro"), let end = section.address.advanced(by: section.size),
            let whole = try? object.contentsAsLoaded(of: section)
        else { return nil }
        let found = whole.withBytes { bytes -> (position: Int, header: GoTableHeader)? in
            // Go aligns the table to 32 bytes.
            let first = Int((32 - section.address.value % 32) % 32)
            for position in stride(from: first, to: bytes.byteCount, by: 32) {
                guard let magic = try? bytes.value(UInt32.self, at: position, order), GoTableHeader.Version(rawValue: magic) != nil,
                    let header = GoTableHeader(bytes.clamped(to: position..<bytes.byteCount), order), header.version >= .go116
                else { continue }
                // Its address is the first word of the runtime's description.
                let start = section.address.value &+ UInt64(position)
                if start < end.value, GoModuleData(object, table: start..<end.value, header) != nil { return (position, header) }
            }
            return nil
        }
        guard let found else { return nil }
        header = found.header
        addresses = section.address.value + UInt64(found.position)..<end.value
        switch whole {
        case .assembled(let bytes): contents = .assembled(Array(bytes.dropFirst(found.position)))
        default: contents = .stored(object.file, section.fileRange.lowerBound + found.position..<section.fileRange.upperBound)
        }
    }
}
