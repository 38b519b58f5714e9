internal import BinaryPrimitives
internal import CLibdwarf

/// A debugging information entry (`Dwarf_Die`). It must not outlive its session.
@safe struct LibdwarfEntry: ~Copyable {
    let die: OpaquePointer
    let handle: OpaquePointer

    init(_ die: OpaquePointer, of handle: OpaquePointer) {
        unsafe self.die = die
        unsafe self.handle = handle
    }

    deinit { unsafe dwarf_dealloc_die(die) }

    /// `DW_TAG_…`; zero if libdwarf cannot return it.
    var tag: Int32 {
        var tag: Dwarf_Half = 0
        var error: OpaquePointer?
        return unsafe dwarf_tag(die, &tag, &error) == DW_DLV_OK ? Int32(tag) : 0
    }

    /// The offset in `.debug_info`.
    var offset: UInt64 {
        var offset: Dwarf_Off = 0
        var error: OpaquePointer?
        return unsafe dwarf_dieoffset(die, &offset, &error) == DW_DLV_OK ? offset : 0
    }

    /// The version of the entry's unit.
    var version: Int {
        var (version, offsetSize): (Dwarf_Half, Dwarf_Half) = (0, 0)
        return unsafe dwarf_get_version_of_die(die, &version, &offsetSize) == DW_DLV_OK ? Int(version) : 0
    }

    /// The first child; `nil` if there is none.
    func firstChild() throws(InspectionError) -> LibdwarfEntry? {
        var child: OpaquePointer?
        var error: OpaquePointer?
        return try unsafe entry(dwarf_child(die, &child, &error), &child, error)
    }

    /// The next entry of the same parent; `nil` if there is none.
    func nextSibling() throws(InspectionError) -> LibdwarfEntry? {
        var sibling: OpaquePointer?
        var error: OpaquePointer?
        guard let next = try unsafe entry(dwarf_siblingof_b(handle, die, 1, &sibling, &error), &sibling, error) else { return nil }
        // libdwarf refuses a `DW_AT_sibling` that leads backwards, but not one that leads nowhere.
        guard next.offset > offset else { throw InspectionError("the entry at 0x\(String(offset, radix: 16)) is its own sibling") }
        return next
    }

    private func entry(_ status: Int32, _ found: inout OpaquePointer?, _ error: OpaquePointer?) throws(InspectionError)
        -> LibdwarfEntry?
    {
        guard status != DW_DLV_ERROR else {
            throw InspectionError("the entry beside the one at 0x\(String(offset, radix: 16)): \(unsafe LibdwarfSession.message(error))")
        }
        guard let found = unsafe found else { return nil }
        return unsafe LibdwarfEntry(found, of: handle)
    }

    /// The attribute `DW_AT_…`; `nil` if the entry has none.
    func attribute(_ name: Int32) -> LibdwarfAttribute? {
        var value: OpaquePointer?
        var error: OpaquePointer?
        guard unsafe dwarf_attr(die, Dwarf_Half(truncatingIfNeeded: name), &value, &error) == DW_DLV_OK, let value = unsafe value else {
            return nil
        }
        return unsafe LibdwarfAttribute(value)
    }

    func has(_ name: Int32) -> Bool { attribute(name) != nil }

    func string(_ name: Int32) -> String? { attribute(name)?.string }

    func number(_ name: Int32) -> UInt64? { attribute(name)?.number }
}
