package import BinaryPrimitives
package import DWARF

/// Resolves addresses of one image.
package protocol SymbolSource: Sendable {
    /// The frames at each of the offsets.
    /// - Parameter offsets: addresses to look up (return addresses already adjusted), relative to
    ///   the image's base, ascending. A whole batch at once costs far less than one by one, because
    ///   a unit of debug information is then parsed once.
    /// - Returns: one result for each offset, in the same order.
    func frames(at offsets: [ImageOffset]) -> [SymbolResult]

    /// Converts positions that are not given as an offset: link addresses, file offsets, symbols. A source that
    /// cannot do this uses a default.
    /// - Returns: one result for each position, in the same order.
    func locate(_ locations: [ImageLocation]) -> [LocateResult]

    /// The frames at link addresses, as `locate` finds them (return addresses already adjusted), ascending. It
    /// exists in addition to `frames(at offsets:)`, because an offset does not show from which section of a
    /// relocatable file (a kernel module) it counts.
    func frames(at addresses: [LinkAddress]) -> [SymbolResult]

    /// Returns the frames at link addresses of files that are not relocatable, and in the same pass collects
    /// the calls of the functions there (`CallSites`) for lookups that come later, also by offsets. A source
    /// that reads no debug information collects none.
    /// - Parameter calls: receives the calls; `nil`: none are wanted.
    func frames(at addresses: [LinkAddress], collecting calls: CollectedCallSites?) -> [SymbolResult]

    /// The calls that an index of the image has; `nil` without one.
    var recordedCallSites: (any RecordedCallSites)? { get }

    /// Distance of a link address from the image's base; in a relocatable file, from the start of its section.
    /// `nil` where the source cannot determine it.
    func offset(of address: LinkAddress) -> ImageOffset?

    /// Calls `body` with every function that the symbol tables name: its name as the file has it, and its
    /// address range. A source that cannot list them does not call it.
    func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void)
}

extension SymbolSource {
    package func frames(at addresses: [LinkAddress], collecting calls: CollectedCallSites?) -> [SymbolResult] { frames(at: addresses) }
    package var recordedCallSites: (any RecordedCallSites)? { nil }

    package func locate(_ locations: [ImageLocation]) -> [LocateResult] { locations.map { _ in .unresolved(.needsImageOffset) } }
    package func frames(at addresses: [LinkAddress]) -> [SymbolResult] { addresses.map { _ in .unresolved(.needsImageOffset) } }
    package func offset(of address: LinkAddress) -> ImageOffset? { nil }
    package func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) {}
}

/// Result of a source for one address.
package enum SymbolResult: Sendable, Hashable {
    /// The functions there, innermost inlined call first; never empty. Only the last is not
    /// inlined.
    case found([SourceFrame])
    case unresolved(Unresolved)
}

extension [SymbolResult] {
    /// Returns the results if the file that they were read from has not changed; else the change as the reason,
    /// once for each result.
    func believed(_ file: MappedFile) -> [SymbolResult] {
        guard let change = file.change else { return self }
        return map { _ in .unresolved(.changedFile(change)) }
    }
}

/// One function at an address.
public struct SourceFrame: Sendable, Hashable {
    /// The kind of information that a result is from.
    public enum Origin: Sendable, Hashable {
        /// Debug information.
        case debugInformation
        /// The symbol table alone: there is no line.
        case symbolTable
    }

    /// The function's name as the file has it: mangled (linkage name) where there is such a name,
    /// else the plain one. Mach-O's leading underscore is removed. Empty: the line is known and the
    /// function is not.
    package var name: String
    /// The function's entry: `offset` of a frame counts from it. `nil` for inlined calls.
    package var entry: ImageOffset?
    package var isInlined: Bool
    /// Location of the address (innermost frame), or the location from which the next inner frame was called.
    package var location: SourceLocation?
    package var origin: Origin
    /// Why the debug information has no result here, or perhaps an incomplete one: damage, or a file that is
    /// missing or not used. One sentence, and only with the function that holds the code (the last); `nil`
    /// where nothing is known to be missing.
    package var note: String?

    /// Other functions that have the same code, because identical functions were folded into one:
    /// any of them may have been called. The preferred first; without versions.
    package var alsoAt: [String]

    package init(
        name: String, entry: ImageOffset?, isInlined: Bool, location: SourceLocation?, origin: Origin, note: String? = nil,
        alsoAt: [String] = []
    ) {
        self.alsoAt = alsoAt
        self.name = name
        self.entry = entry
        self.isInlined = isInlined
        self.location = location
        self.origin = origin
        self.note = note
    }
}

/// Why an address is unresolved. In Symbolication, `Unresolved+Sentence.swift` has the sentence of each and what would help; `Advice` says
/// what to do for a whole image.
package enum Unresolved: Sendable, Hashable {
    /// The offset is outside of all that the file maps.
    case outsideImage
    /// The file is relocatable, and several of its sections have such an offset: their names.
    case ambiguousSection([String])
    /// The file has neither debug information nor a symbol for this address.
    case noSymbol
    /// The nearest symbol before the address ends before it. Its name is not given as the result.
    case betweenSymbols
    /// The table is stripped and nothing bounds the symbol before the address, so it may belong to
    /// a function without a symbol.
    case unboundedSymbol
    /// The tables have no name for the address, and a file that has more names is missing: which one, in one sentence.
    case missingNames(String)
    /// The file has no section headers, and the symbols that the dynamic linker reads have no
    /// function there.
    case noSectionHeaders
    /// The debug information that covers the address is damaged: what and where.
    case corrupt(String)
    /// The object file that has the address's debug information is not used (Mach-O's debug map):
    /// why.
    case unusedObject(String)
    /// The file, or one that belongs to it, has changed since it was opened: which one, and how.
    case changedFile(FileChange)
    /// The source returned fewer results than addresses were requested.
    case noResult
    /// The source resolves offsets alone.
    case needsImageOffset
    /// The symbol file does not give where the image is linked, so an address of one kind cannot be
    /// made one of the other.
    case unknownImageBase
    /// No part of the file that is mapped has this file offset. (Debug files have lost theirs.)
    case fileOffsetNotMapped
    /// No code of the file has as many pages as the log's mapping of it, so this is another build:
    /// the sizes in bytes.
    case mappingSizeDiffers(log: UInt64, file: [UInt64])
    /// The file has no section `.text` to count from.
    case noTextSection
    /// No function of that name is in the symbol table.
    case noSuchSymbol(String)
    /// The functions of that name have other sizes than the log says, so this is another build: the
    /// sizes of those that are there.
    case symbolSizeDiffers(name: String, log: UInt64, file: [UInt64])
    /// Several functions have the name, and their results differ: where they begin.
    case ambiguousSymbol(name: String, [LinkAddress])
}

/// Link addresses of a position that a log names, in an image's files.
package enum LocateResult: Sendable, Hashable {
    /// At this address; at several where a name means several functions. Ascending, never empty.
    case found([LinkAddress])
    case unresolved(Unresolved)
}
