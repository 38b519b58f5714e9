/// What libdwarf says about one address.
package struct ReferenceAnswer: Sendable, Hashable {
    /// Why libdwarf's result is not whole, where it is known to be so.
    package enum Gap: Sendable, Hashable {
        /// The unit's functions are in a split unit, and no file (`.dwo`, `.dwp`) with it is given.
        case splitUnit
        /// A name, an origin or the compilation directory is in a supplementary file (dwz), which
        /// is not given.
        case supplementaryFile
        /// A name is in a type unit, which libdwarf does not follow references to.
        case typeUnit
        /// The file is the one with which libdwarf before release 0.5 begins sequences of version
        /// 5, instead of this one (its issue 137).
        case firstFile(String)
        /// The function's entry reaches beyond the ranges of its own unit, which are to hold all of
        /// its code (DWARF 5, section 3.1.1). GNU as gives functions of Thumb code ranges that
        /// begin, and so end, one byte too late.
        case outsideUnit
        /// libdwarf refuses a part of the debug information: its own words.
        case unreadable(String)
    }

    /// The result of the first unit that knows the address.
    package var answer: AddressAnswer
    /// Other results that the debug information allows: code that the linker folded belongs to
    /// several functions, and several sequences of a line table may cover an address. Which of them
    /// is meant no standard says.
    package var alternatives: [AddressAnswer]
    /// Empty where it is whole.
    package var gaps: [Gap]

    package init(_ answer: AddressAnswer = AddressAnswer(), alternatives: [AddressAnswer] = [], gaps: [Gap] = []) {
        self.answer = answer
        self.alternatives = alternatives
        self.gaps = gaps
    }
}
