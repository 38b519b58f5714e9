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
