internal import BinaryPrimitives
internal import ObjectFiles

extension Unit {
    /// Gives the expressions of an entry's location to `body`, until it returns `true`: the one
    /// that holds everywhere, or those of a location list (DWARF 5, section 2.6.2).
    /// - Parameter bytes: the unit, from its header to its end.
    func forEachLocation(of content: EntryContent, _ bytes: RawSpan, _ body: (RawSpan) -> Bool) {
        if let block = content.block(Attribute.location) {
            _ = body(bytes.clamped(to: block))
            return
        }
        switch content[Attribute.location] {
        case .sectionOffset(let offset), .unsigned(let offset):
            try? forEachLocation(at: offset, body)
        case .locationListIndex(let index):
            guard let offset = try? locationListOffset(index, bytes) else { return }
            try? forEachLocation(at: offset, body)
        default: break
        }
    }

    /// `.debug_loc` (DWARF 4, section 2.6.2) and `.debug_loclists` (DWARF 5, section 7.29).
    private func forEachLocation(at offset: UInt64, _ body: (RawSpan) -> Bool) throws(ReadError) {
        let isPair = header.version < 5
        guard let contents = sections.section(named: isPair ? ".debug_loc" : ".debug_loclists") else { return }
        try contents.withBytes { (bytes: RawSpan) throws(ReadError) in
            var cursor = try bytes.from(offset)
            for _ in 0..<sections.limits.locationListEntries {
                let entry = try EncodedLocation(
                    &cursor, version: Int(header.version), isPair: isPair, addressSize: header.addressSize, header.byteOrder)
                guard let entry, entry.kind != LocationListEntry.endOfList else { return }
                if entry.hasExpression, body(bytes.clamped(to: entry.expression(endingAt: bytes.byteCount))) { return }
            }
        }
    }

    /// Entry `index` of the offsets at `DW_AT_loclists_base`, which count from that base.
    private func locationListOffset(_ index: UInt64, _ bytes: RawSpan) throws(ReadError) -> UInt64? {
        guard let contents = sections.section(named: ".debug_loclists"),
            let root = EntryContent(at: header.firstEntry - header.offset, of: self, bytes)
        else { return nil }
        let size = UInt64(header.offsetSize)
        // Without the attribute, as in split units, the offsets follow the section's header: 12
        // bytes, or 20 in the 64-bit format.
        let base = root[Attribute.loclistsBase]?.number ?? (size == 8 ? 20 : 12)
        let (distance, overflow) = index.multipliedReportingOverflow(by: size)
        let (position, overflow2) = base.addingReportingOverflow(distance)
        guard !overflow, !overflow2 else { return nil }
        let order = header.byteOrder
        return try contents.withBytes { (all: RawSpan) throws(ReadError) -> UInt64? in
            var entry = try all.slice(at: position, count: size)
            return base.addingReportingOverflow(try entry.readUnsigned(size: Int(size), order)).partialValue
        }
    }
}

extension DWARFSections {
    /// A section that results for addresses never need, by ELF's name; `nil` if the file has
    /// none, or it cannot be read.
    func section(named name: String) -> SectionContents? {
        guard let object else { return nil }
        let found = [name, name + ".dwo"].lazy.map { object.debugSections(named: $0) }.first { !$0.isEmpty }
        return found.flatMap { try? object.contents(joining: $0) }
    }
}
