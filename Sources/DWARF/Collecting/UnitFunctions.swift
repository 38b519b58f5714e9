/// The functions of one unit: where their code is, what was inlined into them, and the lines.
///
/// Flat tables, which refer to one another by index: a large unit has some hundred thousand inlined calls.
public struct UnitFunctions: Sendable {
    /// A subprogram that has code.
    public struct Function: Sendable {
        /// Of `names`: the linkage name, else the plain one; `nil` if it has neither, or names were not asked for.
        public var name: Int?
        /// Of `ranges`.
        public var ranges: Range<Int>
        /// Of `calls`: what was inlined into it, each behind what it is nested in.
        public var calls: Range<Int>
    }

    /// A call that was inlined.
    public struct Call: Sendable {
        /// Of `names`: the function that is called.
        public var name: Int?
        /// Of `calls`: the call that this one is nested in; `nil` directly in the function.
        public var parent: Int?
        /// Of `ranges`; none where only what is nested in it has code.
        public var ranges: Range<Int>
        /// Of `files`: where it is called; `nil` if that is not told.
        public var file: Int?
        public var line: Int
        public var column: Int
        /// Where its entry is, in bytes from the header of the unit that has it.
        var position: Int
    }

    /// Addresses of one line.
    public struct Line: Sendable {
        public var range: Range<UInt64>
        /// Of `files`; `nil` if the file cannot be told.
        public var file: Int?
        /// Zero: the compiler attributes the code to no line.
        public var line: Int
        public var column: Int
    }

    /// The unit's offset in `.debug_info`.
    public var offset: Int
    /// In the order of their entries.
    public internal(set) var functions: [Function] = []
    public internal(set) var calls: [Call] = []
    /// Link addresses.
    public internal(set) var ranges: [Range<UInt64>] = []
    public internal(set) var names: [String] = []
    /// Paths, joined with the compilation directory where they are relative.
    public internal(set) var files: [String] = []
    /// By address, none over another.
    public internal(set) var lines: [Line] = []
}
