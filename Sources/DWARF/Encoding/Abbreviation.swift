/// Layout of the entries with one abbreviation code (DWARF 5, section 7.5.3).
struct Abbreviation: Sendable {
    enum Role: UInt8, Sendable {
        /// Nothing in the entry itself shows where code is.
        case other
        /// A type: code in it is rare (member functions of a local class) and looked for last.
        case type
        /// A subprogram or inlined subroutine that has code.
        case subroutine
        /// A subprogram or inlined subroutine without code of its own: a declaration, an abstract
        /// instance.
        case abstractSubroutine
    }

    var tag: UInt16
    var hasChildren: Bool
    var role: Role
    /// The steps that skip all attributes.
    var steps: PackedSteps
    /// Its attributes: of subroutines, which are looked into, in
    /// `AbbreviationTable.specifications`; of all others where they are declared, in
    /// `declarations`.
    var attributes: Range<Int32>
    /// Offset of the entry's `DW_AT_sibling`, a `ref4`, as gcc writes it: after these steps, in bytes from the first attribute. -1 if there
    /// is none.
    var siblingOffset: Int32
    var siblingSteps: PackedSteps
    /// Offsets of `DW_AT_low_pc` and `DW_AT_high_pc`, in bytes from the first attribute, if they are an address and a size behind
    /// attributes of fixed size, as in most functions of gcc. `nil`: they are read attribute by attribute.
    var extent: FixedExtent?

    struct FixedExtent {
        var lowOffset: UInt16
        var highOffset: UInt16
        /// Bytes of the size.
        var highSize: UInt8
    }
}

extension Abbreviation.Role {
    init(_ tag: UInt16, hasCode: Bool) {
        switch tag {
        case Tag.subprogram, Tag.inlinedSubroutine: self = hasCode ? .subroutine : .abstractSubroutine
        case Tag.classType, Tag.structureType, Tag.unionType, Tag.enumerationType, Tag.arrayType, Tag.subroutineType: self = .type
        default: self = .other
        }
    }

    /// Whether the entries are subprograms or inlined subroutines.
    var isSubroutine: Bool { self == .subroutine || self == .abstractSubroutine }
}
