internal import CLibdwarf
internal import ObjectFiles

/// Finds the split units of one linked file in the files that hold them, and opens each of those
/// once.
final class LibdwarfSplitUnits {
    private let linked: LibdwarfSession
    private let files: [Int: ObjectFile]
    private var opened: [ObjectIdentifier: Result<Opened, InspectionError>] = [:]

    /// A file, and its units by their signatures.
    private struct Opened {
        var session: LibdwarfSession
        var units: [UInt64: [String: Range<UInt64>]]
    }

    /// - Parameters:
    ///   - linked: the file with the skeletons.
    ///   - files: files with split units, by the offset of a skeleton's header.
    init(_ linked: LibdwarfSession, _ files: [Int: ObjectFile]) {
        self.linked = linked
        self.files = files
    }

    /// Finds the split unit of a skeleton.
    /// - Returns: `nil` if its file is not given, or has no unit with the skeleton's signature.
    func find(for skeleton: LibdwarfUnit) throws(InspectionError) -> LibdwarfSplitUnit? {
        guard skeleton.signature != 0, let file = files[Int(clamping: skeleton.header)] else { return nil }
        let opened = try open(file)
        guard let parts = opened.units[skeleton.signature] else { return nil }
        // libdwarf 20210528 looks for the signature only in the first unit of the tied file, and at the first
        // use of the split unit: so each of the two is passed as if its file held nothing else.
        let sections = LibdwarfSections(parts, of: opened.session.sections)
        let tied = try LibdwarfSession(sections)
        try tied.tie(to: try LibdwarfSession(LibdwarfSections([".debug_info": skeleton.header..<skeleton.end], of: linked.sections)))
        guard let unit = tied.units().units.first, unit.signature == skeleton.signature else { return nil }
        return LibdwarfSplitUnit(addresses: tied, names: try LibdwarfSession(sections), root: unit.root)
    }

    private func open(_ file: ObjectFile) throws(InspectionError) -> Opened {
        if let known = opened[ObjectIdentifier(file)] { return try known.get() }
        let result: Result<Opened, InspectionError>
        do throws(InspectionError) {
            let session = try LibdwarfSession(file, isSplit: true)
            // Units after a damaged one are not found, and then reported as missing.
            let units = session.units().units.filter { $0.signature != 0 }.map { ($0.signature, session.parts(of: $0)) }
            result = .success(Opened(session: session, units: Dictionary(units) { first, _ in first }))
        } catch {
            result = .failure(InspectionError("\(file.path): \(error.problem)"))
        }
        opened[ObjectIdentifier(file)] = result
        return try result.get()
    }
}

/// A split unit that is opened by itself.
struct LibdwarfSplitUnit {
    /// Tied to the linked file, which has its addresses.
    var addresses: LibdwarfSession
    /// Not tied: otherwise libdwarf counts strings from the skeleton's `DW_AT_str_offsets_base`, which refers
    /// to the linked file's section.
    var names: LibdwarfSession
    /// Offset of its root entry in both sessions.
    var root: UInt64
}

extension LibdwarfSession {
    /// Returns the parts of sections that belong to a split unit of this file: the unit itself, and in a
    /// package its parts of other sections, according to the index (DWARF 5, section 7.3.5.3).
    fileprivate func parts(of unit: LibdwarfUnit) -> [String: Range<UInt64>] {
        var parts = [".debug_info.dwo": unit.header..<unit.end]
        guard let root = entry(at: unit.root) else { return parts }
        var row = unsafe Dwarf_Debug_Fission_Per_CU()
        var error: OpaquePointer?
        guard unsafe dwarf_get_debugfission_for_die(root.die, &row, &error) == DW_DLV_OK else { return parts }
        // `DW_SECT_ABBREV`, `DW_SECT_LINE`, `DW_SECT_STR_OFFSETS`, and `DW_SECT_RNGLISTS`, which
        // before version 5 was `DW_SECT_MACRO`.
        let columns = unsafe [
            (".debug_abbrev.dwo", row.pcu_offset.3, row.pcu_size.3), (".debug_line.dwo", row.pcu_offset.4, row.pcu_size.4),
            (".debug_str_offsets.dwo", row.pcu_offset.6, row.pcu_size.6),
            (unit.version >= 5 ? ".debug_rnglists.dwo" : "", row.pcu_offset.8, row.pcu_size.8),
        ]
        for (name, offset, size) in columns where size > 0 {
            parts[name] = offset..<max(offset, offset &+ size)
        }
        parts[".debug_cu_index"] = 0..<0
        parts[".debug_tu_index"] = 0..<0
        return parts
    }
}
