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

/// The few bytes of an abbreviation that a walk needs for every entry: the rest would be copied for each of some million entries.
struct EntryShape: Sendable {
    /// When an entry is passed over with all its children, which takes a `DW_AT_sibling`. In every
    /// entry with children, gcc gives where the next one is.
    enum Passing: UInt8, Sendable {
        /// The entry does not give it.
        case never
        /// Only where nothing in it is wanted.
        case unwanted
        /// A structure, class or union holds no code, unless it is local to a function: then gcc
        /// puts its member functions into it.
        case outsideSubroutines
        /// Enumerations, arrays, subroutine types and call sites hold no code.
        case always
    }

    /// The steps that skip its attributes.
    let steps: PackedSteps
    /// Offset of the entry's `DW_AT_sibling`, in bytes from the first attribute; -1 if finding it takes more than an addition, or there is
    /// none.
    let siblingOffset: Int32
    let role: Abbreviation.Role
    let hasChildren: Bool
    /// `DW_TAG_inlined_subroutine`.
    let isInlined: Bool
    /// A subprogram or a call.
    let holdsCalls: Bool
    let passing: Passing

    @inline(__always)
    init(_ abbreviation: Abbreviation) {
        steps = abbreviation.steps
        siblingOffset = abbreviation.siblingSteps == PackedSteps() ? abbreviation.siblingOffset : -1
        role = abbreviation.role
        hasChildren = abbreviation.hasChildren
        isInlined = abbreviation.tag == Tag.inlinedSubroutine
        holdsCalls = abbreviation.tag == Tag.subprogram || abbreviation.tag == Tag.callSite || abbreviation.tag == Tag.gnuCallSite
        passing = abbreviation.siblingOffset >= 0 && hasChildren ? Passing(abbreviation.tag) : .never
    }
}

extension EntryShape.Passing {
    fileprivate init(_ tag: UInt16) {
        switch tag {
        case Tag.arrayType, Tag.enumerationType, Tag.subroutineType, Tag.callSite, Tag.gnuCallSite: self = .always
        case Tag.classType, Tag.structureType, Tag.unionType: self = .outsideSubroutines
        default: self = .unwanted
        }
    }
}
