/// A file, line and column in source text.
public struct SourceLocation: Hashable, Sendable {
    /// The path as the compiler recorded it, joined with the compilation directory where it is
    /// relative.
    public var file: String
    /// Line, from 1. Zero: the compiler attributes the code to no line (DWARF 5, section 6.2.2).
    public var line: Int
    /// Column, from 1. Zero: unknown.
    public var column: Int

    /// - Parameters:
    ///   - file: the path in the debug information.
    ///   - line: the line, from 1; 0 where it is not known.
    ///   - column: the column, from 1; 0 where it is not known.
    public init(file: String, line: Int, column: Int = 0) {
        self.file = file
        self.line = line
        self.column = column
    }
}
