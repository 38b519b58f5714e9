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

    // MARK: Ranges

    /// The address ranges of the entry (DWARF 5, section 2.17), unchanged: including those of code that the
    /// linker removed.
    /// - Parameter base: the unit's base address, from which the range lists of versions 3 and 4
    ///   count.
    /// - Returns: `nil` if the entry has no ranges: it may have only a first address, as the units of old
    ///   compilers do.
    func addressRanges(base: UInt64) throws(InspectionError) -> [Range<UInt64>]? {
        if has(DW_AT_ranges) { return version >= 5 ? try rangeList5() : try rangeList(base: base) }
        guard let low = lowAddress else { return nil }
        var high: Dwarf_Addr = 0
        var form: Dwarf_Half = 0
        var kind = DW_FORM_CLASS_UNKNOWN
        var error: OpaquePointer?
        guard unsafe dwarf_highpc_b(die, &high, &form, &kind, &error) == DW_DLV_OK else { return nil }
        let end = kind == DW_FORM_CLASS_CONSTANT ? low.addingReportingOverflow(high).partialValue : high
        return low < end ? [low..<end] : []
    }

    /// `DW_AT_low_pc`; `nil` if there is none.
    var lowAddress: UInt64? {
        var address: Dwarf_Addr = 0
        var error: OpaquePointer?
        return unsafe dwarf_lowpc(die, &address, &error) == DW_DLV_OK ? address : nil
    }

    /// Reads `.debug_ranges` (DWARF 4, section 2.17.3): pairs that count from a base.
    private func rangeList(base: UInt64) throws(InspectionError) -> [Range<UInt64>] {
        guard let offset = attribute(DW_AT_ranges)?.offset else { throw failure("no offset") }
        var list: UnsafeMutablePointer<Dwarf_Ranges>?
        var (realOffset, count, byteCount): (Dwarf_Off, Dwarf_Signed, Dwarf_Unsigned) = (0, 0, 0)
        var error: OpaquePointer?
        guard unsafe dwarf_get_ranges_b(handle, offset, die, &realOffset, &list, &count, &byteCount, &error) == DW_DLV_OK,
            let list = unsafe list
        else { throw unsafe failure(LibdwarfSession.message(error)) }
        defer { unsafe cairn_dwarf_dealloc_ranges(handle, list, count) }
        var result: [Range<UInt64>] = []
        var base = base
        for index in 0..<Int(count) {
            let entry = unsafe list[index]
            if entry.dwr_type == DW_RANGES_ADDRESS_SELECTION { base = entry.dwr_addr2 }
            guard entry.dwr_type == DW_RANGES_ENTRY, entry.dwr_addr1 < entry.dwr_addr2 else { continue }
            let (low, high) = (base &+ entry.dwr_addr1, base &+ entry.dwr_addr2)
            if low < high { result.append(low..<high) }
        }
        return result
    }

    /// Reads `.debug_rnglists` (DWARF 5, section 7.25): libdwarf applies bases and indexes.
    private func rangeList5() throws(InspectionError) -> [Range<UInt64>] {
        guard let attribute = attribute(DW_AT_ranges) else { return [] }
        var form = attribute.form
        guard var listOffset = form == DW_FORM_rnglistx ? attribute.number : attribute.offset else { throw failure("no offset") }
        if form == DW_FORM_rnglistx, isInSplitUnit {
            listOffset = try splitListOffset(listOffset)
            form = DW_FORM_sec_offset
        }
        var head: OpaquePointer?
        var (count, offset): (Dwarf_Unsigned, Dwarf_Unsigned) = (0, 0)
        var error: OpaquePointer?
        guard
            unsafe dwarf_rnglists_get_rle_head(attribute.handle, Dwarf_Half(form), listOffset, &head, &count, &offset, &error) == DW_DLV_OK,
            let head = unsafe head
        else { throw unsafe failure(LibdwarfSession.message(error)) }
        defer { unsafe _ = dwarf_dealloc_rnglists_head(head) }
        var result: [Range<UInt64>] = []
        for index in 0..<count {
            var (length, kind): (UInt32, UInt32) = (0, 0)
            var (raw1, raw2, low, high): (Dwarf_Unsigned, Dwarf_Unsigned, Dwarf_Unsigned, Dwarf_Unsigned) = (0, 0, 0, 0)
            var isUnavailable: Dwarf_Bool = 0
            guard
                unsafe dwarf_get_rnglists_entry_fields_a(head, index, &length, &kind, &raw1, &raw2, &isUnavailable, &low, &high, &error)
                    == DW_DLV_OK
            else { throw unsafe failure(LibdwarfSession.message(error)) }
            switch Int32(kind) {
            case DW_RLE_startx_endx, DW_RLE_startx_length, DW_RLE_offset_pair, DW_RLE_start_end, DW_RLE_start_length:
                if isUnavailable == 0, low < high { result.append(low..<high) }
            default: break
            }
        }
        return result
    }

    /// Returns the offset of the list with an index in the section of a split unit, whose table is first
    /// there (DWARF 5, section 7.28). libdwarf counts from the skeleton's `DW_AT_rnglists_base`, which refers
    /// to the linked file's section.
    private func splitListOffset(_ index: UInt64) throws(InspectionError) -> UInt64 {
        var (tables, offset, listOffset): (Dwarf_Unsigned, Dwarf_Unsigned, Dwarf_Unsigned) = (0, 0, 0)
        var error: OpaquePointer?
        guard unsafe dwarf_load_rnglists(handle, &tables, &error) == DW_DLV_OK,
            unsafe dwarf_get_rnglist_offset_index_value(handle, 0, index, &offset, &listOffset, &error) == DW_DLV_OK
        else { throw unsafe failure(LibdwarfSession.message(error)) }
        return listOffset
    }

    /// The unit is in a `.dwo` section.
    private var isInSplitUnit: Bool {
        var (version, lengthSize, addressSize, extensionSize): (Dwarf_Half, Dwarf_Half, Dwarf_Half, Dwarf_Half) = (0, 0, 0, 0)
        var (isInfo, isSplit): (Dwarf_Bool, Dwarf_Bool) = (0, 0)
        var signature: UnsafeMutablePointer<Dwarf_Sig8>?
        var (start, length): (Dwarf_Off, Dwarf_Unsigned) = (0, 0)
        var error: OpaquePointer?
        let status = unsafe dwarf_cu_header_basics(
            die, &version, &isInfo, &isSplit, &lengthSize, &addressSize, &extensionSize, &signature, &start, &length, &error)
        return status == DW_DLV_OK && isSplit != 0
    }

    private func failure(_ message: String) -> InspectionError {
        InspectionError("the ranges of the entry at 0x\(String(offset, radix: 16)): \(message)")
    }
}
