package import BinaryPrimitives

/// A debug-information reader's result for one address, in the form in which two readers' results are
/// compared.
package struct AddressResult: Sendable, Hashable {
    /// A function at the address.
    package struct Function: Sendable, Hashable {
        /// The linkage name, else the plain name; `nil` if the entry and its origins have neither.
        package var name: String?
        package var isInlined: Bool
        /// The function's first address; `nil` for inlined calls.
        package var entry: LinkAddress?
        /// For an inlined call: the location at which the next function of the result calls it. `nil` if the
        /// call's file has no name.
        package var callSite: SourceLocation?

        package init(name: String?, isInlined: Bool, entry: LinkAddress?, callSite: SourceLocation?) {
            self.name = name
            self.isInlined = isInlined
            self.entry = entry
            self.callSite = callSite
        }
    }

    /// Innermost inlined call first. Empty if only a line is known.
    package var functions: [Function]
    /// The line table's row for the address; its line is zero if the compiler attributes the code to no line.
    package var location: SourceLocation?

    package init(functions: [Function] = [], location: SourceLocation? = nil) {
        self.functions = functions
        self.location = location
    }

    /// Whether the debug information covers the address.
    package var isKnown: Bool { !functions.isEmpty || location != nil }
}

/// libdwarf's result for one address.
package struct ReferenceResult: Sendable, Hashable {
    /// Known reason why libdwarf's result is incomplete.
    package enum Gap: Sendable, Hashable {
        /// The unit's functions are in a split unit, and no file (`.dwo`, `.dwp`) with it was given.
        case splitUnit
        /// A name, an origin or the compilation directory is in a supplementary file (dwz), which was not
        /// found.
        case supplementaryFile
        /// A name is in a type unit, which libdwarf does not follow references to.
        case typeUnit
        /// libdwarf before release 0.5 begins sequences of version 5 with another file instead of this one
        /// (its issue 137).
        case firstFile(String)
        /// The function's entry extends beyond the ranges of its own unit, which should hold all of its code
        /// (DWARF 5, section 3.1.1). GNU as gives functions of Thumb code ranges that begin, and so end, one
        /// byte too late.
        case outsideUnit
        /// libdwarf rejects a part of the debug information, with this message.
        case unreadable(String)
    }

    /// The result of the first unit that covers the address.
    package var result: AddressResult
    /// Other results that the debug information allows: code that the linker folded belongs to several
    /// functions, and several sequences of a line table may cover an address. No standard says which of them
    /// is meant.
    package var alternatives: [AddressResult]
    /// Empty if the result is complete.
    package var gaps: [Gap]

    package init(_ result: AddressResult = AddressResult(), alternatives: [AddressResult] = [], gaps: [Gap] = []) {
        self.result = result
        self.alternatives = alternatives
        self.gaps = gaps
    }
}
