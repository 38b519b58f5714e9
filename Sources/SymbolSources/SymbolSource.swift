public import BinaryPrimitives

/// Answers addresses of one image.
public protocol SymbolSource: Sendable {
    /// The frames at each of the offsets.
    /// - Parameter offsets: addresses to look up (return addresses already adjusted), relative to the image's base, ascending. A whole batch at
    ///   once costs far less than one by one, because a unit of debug information is then parsed once.
    /// - Returns: one answer for each offset, in the same order.
    func frames(at offsets: [ImageOffset]) -> [SymbolAnswer]
}

/// What a source says about one address.
public enum SymbolAnswer: Sendable, Hashable {
    /// The functions there, innermost inlined call first; never empty. Only the last is not inlined.
    case found([SourceFrame])
    case unresolved(Unresolved)
}

/// One function at an address.
public struct SourceFrame: Sendable, Hashable {
    public enum Origin: Sendable, Hashable {
        /// Debug information says so.
        case debugInformation
        /// Only the symbol table does: there is no line.
        case symbolTable
    }

    /// The function's name as the file has it: mangled (linkage name) where there is such a name, else the plain one. Mach-O's leading underscore
    /// is removed. Empty: the line is known and the function is not.
    public var name: String
    /// The function's entry: `offset` of a frame counts from it. `nil` for inlined calls.
    public var entry: ImageOffset?
    public var isInlined: Bool
    /// Where the address lies (innermost frame), or where the next inner frame was called from.
    public var location: SourceLocation?
    public var origin: Origin
    /// Why the debug information says nothing here, or perhaps not all: damage, or a file that is not there or not used. One sentence, and only with the function that
    /// holds the code (the last); `nil` where nothing is known to be missing.
    public var note: String?

    public init(
        name: String, entry: ImageOffset?, isInlined: Bool, location: SourceLocation?, origin: Origin, note: String? = nil
    ) {
        self.name = name
        self.entry = entry
        self.isInlined = isInlined
        self.location = location
        self.origin = origin
        self.note = note
    }
}

/// Why an address has no answer. Each reason says what would help.
public enum Unresolved: Sendable, Hashable {
    /// The offset is outside everything that the file maps.
    case outsideImage
    /// The file is relocatable, and several of its sections have such an offset: their names.
    case ambiguousSection([String])
    /// The file has neither debug information nor a symbol for this address.
    case noSymbol
    /// The nearest symbol before the address ends before it. Its name is not given as the answer.
    case betweenSymbols
    /// The table is stripped and nothing bounds the symbol before the address, so it may belong to a function without a symbol.
    case unboundedSymbol
    /// The debug information that covers the address is damaged: what and where.
    case corrupt(String)
    /// The object file that has the address's debug information is not used (Mach-O's debug map): why.
    case unusedObject(String)
}
