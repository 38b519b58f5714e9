internal import BinaryPrimitives
internal import CLibdwarf

/// Converts the functions and rows that were found in a unit into names and locations.
struct ReferenceNames {
    /// The files of the unit's line table.
    let files: [Int: String]

    func location(_ file: Int, _ line: Int, _ column: Int) -> SourceLocation? {
        files[file].map { SourceLocation(file: $0, line: line, column: column) }
    }

    /// - Parameter gaps: a gap is appended if libdwarf cannot follow the function's names to their end.
    func function(
        _ subroutine: ReferenceSubroutine, _ session: LibdwarfSession, _ gaps: inout [ReferenceResult.Gap]
    ) -> AddressResult.Function {
        var callSite: SourceLocation?
        if subroutine.isInlined, let entry = session.entry(at: subroutine.offset), let file = entry.number(DW_AT_call_file) {
            let (line, column) = (entry.number(DW_AT_call_line) ?? 0, entry.number(DW_AT_call_column) ?? 0)
            callSite = location(Int(clamping: file), Int(clamping: line), Int(clamping: column))
        }
        return AddressResult.Function(
            name: name(at: subroutine.offset, session, &gaps), isInlined: subroutine.isInlined,
            entry: subroutine.isInlined ? nil : subroutine.start.map { LinkAddress($0) }, callSite: callSite)
    }

    /// Returns the linkage name, from any entry in the chain of abstract origins and specifications; else the
    /// nearest plain name.
    private func name(at offset: UInt64, _ session: LibdwarfSession, _ gaps: inout [ReferenceResult.Gap]) -> String? {
        var plain: String?
        var pending = [EntryReference(offset: offset, isSupplementary: false)]
        var seen: Set<EntryReference> = []
        while !pending.isEmpty, seen.count < Limits.standard.originChain {
            let reference = pending.removeFirst()
            let file = reference.isSupplementary ? session.tied : session
            guard seen.insert(reference).inserted, let entry = file?.entry(at: reference.offset) else { continue }
            if let linkage = entry.string(DW_AT_linkage_name) ?? entry.string(DW_AT_MIPS_linkage_name) { return linkage }
            plain = plain ?? entry.string(DW_AT_name)
            for name in [DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name] {
                if let attribute = entry.attribute(name), attribute.isElsewhere, attribute.string == nil {
                    gaps.append(.supplementaryFile)
                }
            }
            for name in [DW_AT_abstract_origin, DW_AT_specification] {
                guard let attribute = entry.attribute(name) else { continue }
                if attribute.isSignature { gaps.append(.typeUnit) }
                // libdwarf 20210528 follows GNU's references into the file (DW_FORM_GNU_ref_alt),
                // and not DWARF 5's (DW_FORM_ref_sup4).
                if attribute.isElsewhere, session.tied == nil || attribute.offset == nil { gaps.append(.supplementaryFile) }
                guard let origin = attribute.offset else { continue }
                pending.append(EntryReference(offset: origin, isSupplementary: reference.isSupplementary || attribute.isElsewhere))
            }
        }
        return plain
    }

    private struct EntryReference: Hashable {
        /// Offset in `.debug_info`.
        var offset: UInt64
        var isSupplementary: Bool
    }
}
