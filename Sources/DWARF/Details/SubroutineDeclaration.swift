package import BinaryPrimitives

/// Attributes of a subroutine's entry that say which function it belongs to.
package struct SubroutineDeclaration: Sendable, Hashable {
    /// `DW_AT_name`, in the entry or in one that it comes from; `nil` if none has one.
    package var plainName: String?
    /// `DW_AT_decl_file`: where the function is written; `nil` if that is not given.
    package var file: SourcePath?
    /// The entries' abbreviation holds the file (`DW_FORM_implicit_const`), which LLVM does not
    /// read.
    package var isFileImplicit = false
    /// `DW_AT_decl_line`; zero: not given.
    package var line = 0
    /// `DW_AT_low_pc` of the entry itself: code in several ranges has none.
    package var lowPC: LinkAddress?
    /// `DW_AT_GNU_discriminator` of an inlined call: which block of the line it is called from;
    /// zero: not given.
    package var callDiscriminator: UInt64 = 0
}

/// A source file's path in its two forms.
package struct SourcePath: Sendable, Hashable {
    /// Joined with the compilation directory where it is relative.
    package var path: String
    /// Without the compilation directory: what the compiler was given.
    package var recorded: String
}

/// Reads declarations, through the chain of abstract origins and specifications, which may lead
/// into other units.
struct DeclarationReader {
    private let references: EntryReferences
    /// Gives the path of a file of a unit's line table.
    private let path: (Int, Unit, RawSpan) -> SourcePath?

    init(_ units: UnitTable, path: @escaping (Int, Unit, RawSpan) -> SourcePath?) {
        references = EntryReferences(units: units)
        self.path = path
    }

    /// Reads the entry at `position` of a unit.
    func declaration(at position: Int, of unit: Unit, _ bytes: RawSpan) -> SubroutineDeclaration {
        var declaration = SubroutineDeclaration()
        guard let content = EntryContent(at: position, of: unit, bytes) else { return declaration }
        if let low = content[Attribute.lowPC] { declaration.lowPC = (try? unit.address(low))?.map { LinkAddress($0) } }
        declaration.callDiscriminator = content[Attribute.gnuDiscriminator]?.number ?? 0
        var left = Limits.standard.originChain
        read(content, unit, bytes, .info, &declaration, &left)
        return declaration
    }

    /// Each attribute is taken from the nearest entry that has it (DWARF 5, sections 3.3.8.1 and
    /// 2.13.2).
    private func read(
        _ content: EntryContent, _ unit: Unit, _ bytes: RawSpan, _ part: EntryLocation.Part, _ declaration: inout SubroutineDeclaration,
        _ left: inout Int
    ) {
        left -= 1
        guard left >= 0 else { return }
        if declaration.plainName == nil { declaration.plainName = unit.string(content[Attribute.name], bytes) }
        if declaration.file == nil, let file = content[Attribute.declFile]?.number.flatMap({ Int(exactly: $0) }) {
            declaration.file = path(file, unit, bytes)
            declaration.isFileImplicit = content.isImplicit(Attribute.declFile)
        }
        if declaration.line == 0, let line = content[Attribute.declLine]?.number { declaration.line = Int(clamping: line) }
        for name in [Attribute.specification, Attribute.abstractOrigin] {
            guard let reference = content[name] else { continue }
            var (found, rest) = (declaration, left)
            references.open(reference, from: unit, bytes, in: part) { other, otherBytes, location, otherContent in
                read(otherContent, other, otherBytes, location.part, &found, &rest)
                return ()
            }
            (declaration, left) = (found, rest)
        }
    }
}

/// Opens the entries that attributes refer to, wherever they lead: in the unit itself, in another
/// one, in the supplementary file.
struct EntryReferences {
    let units: UnitTable

    /// Gives the entry that a reference means to `body`.
    /// - Parameters:
    ///   - unit: has the reference, and is in `part`.
    ///   - bytes: the unit, from its header to its end.
    /// - Returns: `nil` where there is no such entry.
    func open<Result>(
        _ reference: AttributeValue?, from unit: Unit, _ bytes: RawSpan, in part: EntryLocation.Part,
        _ body: (Unit, RawSpan, EntryLocation, EntryContent) -> Result?
    ) -> Result? {
        guard let reference, let location = EntryLocation(reference, from: unit, in: part, units) else { return nil }
        if location.part == part, (unit.header.offset..<unit.header.end).contains(location.offset) {
            guard let content = EntryContent(at: location.offset - unit.header.offset, of: unit, bytes) else { return nil }
            return body(unit, bytes, location, content)
        }
        guard let table = location.part.table(of: units), let header = table.header(containing: location.offset) else { return nil }
        let result = try? table.withMappedUnit(header) { (other: Unit, otherBytes: RawSpan) throws(DWARFError) -> Result? in
            guard let content = EntryContent(at: location.offset - header.offset, of: other, otherBytes) else { return nil }
            return body(other, otherBytes, location, content)
        }
        return result ?? nil
    }
}
