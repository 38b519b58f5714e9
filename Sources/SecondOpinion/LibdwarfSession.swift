internal import CLibdwarf
internal import ObjectFiles

/// An open libdwarf handle over one object's debug sections. It stays in the task that opened it.
///
/// libdwarf opens no file: through its object-access interface it gets the sections as `ObjectFile` reads
/// them, inflated, under ELF's names, so that it sees no difference between ELF and Mach-O. Every pointer
/// that it returns is read here and in this type's extensions, and becomes a Swift value.
@safe final class LibdwarfSession {
    let handle: OpaquePointer
    let sections: LibdwarfSections
    /// The file that this one's debug information refers to, which libdwarf calls the tied one.
    private(set) var tied: LibdwarfSession?

    /// - Parameter isSplit: the object is a `.dwo` file or a package of them.
    /// - Throws: `InspectionError` if the object has no `.debug_info`, a section cannot be inflated, or
    ///   libdwarf rejects the sections.
    convenience init(_ file: ObjectFile, isSplit: Bool = false) throws(InspectionError) {
        try self.init(try LibdwarfSections(file, isSplit: isSplit))
    }

    init(_ sections: LibdwarfSections) throws(InspectionError) {
        // libdwarf does not record every allocation to free it at the end: entries are freed one by one, and
        // there are millions.
        dwarf_set_de_alloc_flag(0)
        var opened: OpaquePointer?
        var error: OpaquePointer?
        let status = unsafe cairn_dwarf_open(sections.object, &opened, &error)
        guard status == DW_DLV_OK, let opened = unsafe opened else {
            throw InspectionError("libdwarf cannot open the debug sections: \(unsafe Self.message(error))")
        }
        unsafe handle = opened
        self.sections = sections
    }

    deinit { unsafe cairn_dwarf_close(handle) }

    /// Makes libdwarf search another file for data that is not in this one: addresses and bases of a split
    /// unit in the linked file with its skeleton, strings that dwz has moved in the supplementary file.
    func tie(to other: LibdwarfSession) throws(InspectionError) {
        var error: OpaquePointer?
        guard unsafe dwarf_set_tied_dbg(handle, other.handle, &error) == DW_DLV_OK else {
            throw InspectionError("two files cannot be tied to each other: \(unsafe Self.message(error))")
        }
        tied = other
    }

    /// Returns libdwarf's error message.
    static func message(_ error: OpaquePointer?) -> String {
        guard let error = unsafe error, let text = unsafe dwarf_errmsg(error) else { return "no reason given" }
        return unsafe String(cString: text)
    }
}

/// A unit, as described by its header.
struct LibdwarfUnit: Sendable {
    /// Offset of the root entry in `.debug_info`.
    var root: UInt64
    /// The offset of the header.
    var header: UInt64
    /// The offset after its last byte.
    var end: UInt64
    var version: Int
    /// Signature that a skeleton unit and its split unit share: from the headers, before version 5 from the
    /// root entries. Zero for other units.
    var signature: UInt64
}

extension LibdwarfSession {
    /// Returns all units of `.debug_info`, in order, and the error if libdwarf stops before the section's
    /// end.
    func units() -> (units: [LibdwarfUnit], problem: InspectionError?) {
        var units: [LibdwarfUnit] = []
        var header: UInt64 = 0
        while true {
            var (length, abbreviations, typeOffset, next): (Dwarf_Unsigned, Dwarf_Off, Dwarf_Unsigned, Dwarf_Unsigned) = (0, 0, 0, 0)
            var (version, addressSize, lengthSize, extensionSize, kind): (UInt16, UInt16, UInt16, UInt16, UInt16) = (0, 0, 0, 0, 0)
            var signature = Dwarf_Sig8()
            var error: OpaquePointer?
            let status = unsafe dwarf_next_cu_header_d(
                handle, 1, &length, &version, &abbreviations, &addressSize, &lengthSize, &extensionSize, &signature, &typeOffset, &next,
                &kind,
                &error)
            if status == DW_DLV_NO_ENTRY { return (units, nil) }
            guard status == DW_DLV_OK else {
                return (units, InspectionError("the unit at 0x\(String(header, radix: 16)): \(unsafe Self.message(error))"))
            }
            var root: OpaquePointer?
            if unsafe dwarf_siblingof_b(handle, nil, 1, &root, &error) == DW_DLV_OK, let root = unsafe root {
                let entry = unsafe LibdwarfEntry(root, of: handle)
                units.append(
                    LibdwarfUnit(
                        root: entry.offset, header: header, end: next, version: Int(version), signature: Self.number(signature)))
            }
            // A header that refers backwards would be read forever.
            guard next > header else {
                return (units, InspectionError("the unit at 0x\(String(header, radix: 16)) ends before it begins"))
            }
            header = next
        }
    }

    /// Returns the entry at an offset of `.debug_info`; `nil` if libdwarf finds none.
    func entry(at offset: UInt64) -> LibdwarfEntry? {
        var die: OpaquePointer?
        var error: OpaquePointer?
        guard unsafe dwarf_offdie_b(handle, offset, 1, &die, &error) == DW_DLV_OK, let die = unsafe die else { return nil }
        return unsafe LibdwarfEntry(die, of: handle)
    }

    /// Returns the eight bytes in the order of the file: the same number in both files of a pair, regardless
    /// of their byte order.
    private static func number(_ signature: Dwarf_Sig8) -> UInt64 {
        unsafe withUnsafeBytes(of: signature) { unsafe $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }
}

/// Error of libdwarf while reading.
package struct InspectionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The part that was being read, and libdwarf's message.
    package var problem: String

    package init(_ problem: String) { self.problem = problem }

    package var description: String { problem }
}
