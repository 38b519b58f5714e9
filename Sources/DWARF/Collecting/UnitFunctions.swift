/// The functions of one unit: where their code is, what was inlined into them, and the lines.
///
/// Flat tables, which refer to one another by index: a large unit has some hundred thousand inlined
/// calls.
package struct UnitFunctions: Sendable {
    /// A subprogram that has code.
    package struct Function: Sendable {
        /// Index into `names`: the linkage name, else the plain one; `nil` if it has neither, or names were not requested.
        package var name: Int?
        /// Indices into `ranges`.
        package var ranges: Range<Int>
        /// Indices into `calls`: the calls that were inlined into it, each after the call that it is nested in.
        package var calls: Range<Int>
    }

    /// A name as it was found.
    package enum Name: Sendable, Hashable {
        case text(String)
        /// Location of its text (`NameKeys`) in a section that holds each text once, so that a thousand units with one name make one
        /// string of it.
        case key(UInt32)
    }

    /// A call that was inlined.
    package struct Call: Sendable {
        /// Index into `names`: the function that is called.
        package var name: Int?
        /// Index into `calls`: the call that this one is nested in; `nil` if it is directly in the function.
        package var parent: Int?
        /// Indices into `ranges`; empty if only nested calls have code.
        package var ranges: Range<Int>
        /// Index into `files`: the file of the call; `nil` if that is not given.
        package var file: Int?
        package var line: Int
        package var column: Int
        /// Offset of its entry, in bytes from the header of the unit that has it.
        var position: Int
    }

    /// Addresses of one line.
    package struct Line: Sendable {
        package var range: Range<UInt64>
        /// Index into `files`; `nil` if the file cannot be determined.
        package var file: Int?
        /// Zero: the compiler attributes the code to no line.
        package var line: Int
        package var column: Int
    }

    /// The unit's offset in `.debug_info`.
    package var offset: Int
    /// In the order of their entries.
    package internal(set) var functions: [Function] = []
    package internal(set) var calls: [Call] = []
    /// Link addresses.
    package internal(set) var ranges: [Range<UInt64>] = []
    package internal(set) var names: [Name] = []
    /// Paths, joined with the compilation directory where they are relative.
    package internal(set) var files: [String] = []
    /// By address, none over another.
    package internal(set) var lines: [Line] = []
}
