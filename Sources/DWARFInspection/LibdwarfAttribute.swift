#if Inspection
    internal import CLibdwarf

    /// An attribute of an entry (`Dwarf_Attribute`). It must not outlive its session.
    @safe struct LibdwarfAttribute: ~Copyable {
        let handle: OpaquePointer

        init(_ handle: OpaquePointer) { unsafe self.handle = handle }

        deinit { unsafe dwarf_dealloc_attribute(handle) }

        /// `DW_FORM_…`; zero where libdwarf cannot tell.
        var form: Int32 {
            var form: Dwarf_Half = 0
            var error: OpaquePointer?
            return unsafe dwarf_whatform(handle, &form, &error) == DW_DLV_OK ? Int32(form) : 0
        }

        /// Text; `nil` for other forms, and for text that libdwarf is not given.
        var string: String? {
            var text: UnsafeMutablePointer<CChar>?
            var error: OpaquePointer?
            // libdwarf 20210528 has a text of its own for what it cannot find in the supplementary file.
            guard !isElsewhere, unsafe dwarf_formstring(handle, &text, &error) == DW_DLV_OK, let text = unsafe text else { return nil }
            return unsafe String(cString: text)
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

        /// An offset in the section that the attribute is about: for references the global offset in `.debug_info`.
        var offset: UInt64? {
            var offset: Dwarf_Off = 0
            var error: OpaquePointer?
            return unsafe dwarf_global_formref(handle, &offset, &error) == DW_DLV_OK ? offset : nil
        }

        /// The value lies in a supplementary file or leads to a type unit, which libdwarf is not given.
        var isElsewhere: Bool {
            [DW_FORM_GNU_ref_alt, DW_FORM_ref_sup4, DW_FORM_ref_sup8, DW_FORM_GNU_strp_alt, DW_FORM_strp_sup, DW_FORM_ref_sig8].contains(
                form)
        }
    }
#endif
