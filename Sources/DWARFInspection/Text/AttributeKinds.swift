internal import DWARF

/// Which attributes' values are what (DWARF 5, section 7.5.5), as LLVM decides it.
enum AttributeKinds {
    /// Constants with names.
    static let values: [UInt16: DWARFNames] = [
        Attribute.accessibility: .accessibilities, Attribute.virtuality: .virtualities, Attribute.language: .languages,
        Attribute.encoding: .encodings, Attribute.decimalSign: .decimalSigns, Attribute.endianity: .endianities,
        Attribute.visibility: .visibilities, Attribute.identifierCase: .identifierCases, Attribute.callingConvention: .conventions,
        Attribute.inline: .inlineCodes, Attribute.ordering: .orderings, Attribute.appleRuntimeClass: .languages,
        Attribute.defaulted: .defaulted,
    ]

    /// `DW_AT_location`, `string_length`, `return_addr`, `data_member_location`, `frame_base`,
    /// `static_link`, `segment`, `use_location`, `vtable_elem_location`.
    static let withLocationList: Set<UInt16> = [0x02, 0x19, 0x2a, 0x38, 0x40, 0x48, 0x46, 0x4a, 0x4d]

    /// Those whose blocks are expressions: the ones above, sizes and bounds, and what describes
    /// calls.
    static let withExpression: Set<UInt16> = [
        0x02, 0x0b, 0x0c, 0x0d, 0x19, 0x22, 0x2a, 0x2e, 0x2f, 0x37, 0x38, 0x40, 0x46, 0x48, 0x4a, 0x4d, 0x4e, 0x4f, 0x50, 0x51, 0x71,
        0x7e, 0x7f, 0x83, 0x84, 0x85, 0x86, 0x2111, 0x2113,
    ]
}
