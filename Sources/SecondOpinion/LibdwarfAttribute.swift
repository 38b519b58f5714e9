internal import CLibdwarf

/// An attribute of an entry (`Dwarf_Attribute`). It must not outlive its session.
@safe struct LibdwarfAttribute: ~Copyable {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe dwarf_dealloc_attribute(handle) }

    /// `DW_FORM_…`; zero if libdwarf cannot return it.
    var form: Int32 {
        var form: Dwarf_Half = 0
        var error: OpaquePointer?
        return unsafe dwarf_whatform(handle, &form, &error) == DW_DLV_OK ? Int32(form) : 0
    }

    /// Text; `nil` for other forms, and for text that libdwarf does not have.
    var string: String? {
        var text: UnsafeMutablePointer<CChar>?
        var error: OpaquePointer?
        guard unsafe dwarf_formstring(handle, &text, &error) == DW_DLV_OK, let text = unsafe text else { return nil }
        let string = unsafe String(cString: text)
        // libdwarf returns a placeholder, `<DW_FORM_GNU_strp_alt-no-tied-file>`, for text that it cannot look
        // up in the supplementary file.
        return isElsewhere && string.hasPrefix("<DW_FORM_") && string.hasSuffix("-no-tied-file>") ? nil : string
    }

    /// A constant that is not negative, or an index.
    var number: UInt64? {
        var number: Dwarf_Unsigned = 0
        var error: OpaquePointer?
        if unsafe dwarf_formudata(handle, &number, &error) == DW_DLV_OK { return number }
        // `DW_FORM_sdata`, and `DW_FORM_implicit_const`.
        var signed: Dwarf_Signed = 0
        return unsafe dwarf_formsdata(handle, &signed, &error) == DW_DLV_OK ? UInt64(exactly: signed) : nil
    }

    /// An offset in the section that the attribute refers to: for references the global offset in
    /// `.debug_info`, or in that of the supplementary file if it `isElsewhere`.
    var offset: UInt64? {
        var offset: Dwarf_Off = 0
        var error: OpaquePointer?
        return unsafe dwarf_global_formref(handle, &offset, &error) == DW_DLV_OK ? offset : nil
    }

    /// The text or the entry is in the supplementary file.
    var isElsewhere: Bool {
        [DW_FORM_GNU_ref_alt, DW_FORM_ref_sup4, DW_FORM_ref_sup8, DW_FORM_GNU_strp_alt, DW_FORM_strp_sup].contains(form)
    }

    /// The entry is a type in its own unit, found by signature.
    var isSignature: Bool { form == DW_FORM_ref_sig8 }
}
