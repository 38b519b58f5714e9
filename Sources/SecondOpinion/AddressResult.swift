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
