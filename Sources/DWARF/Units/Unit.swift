internal import BinaryPrimitives
internal import ObjectFiles

/// One unit of `.debug_info`, ready to be read: its header, its abbreviations, and what its root
/// entry says. A class, because every range list and name that is read needs it: passing it on
/// copies nothing.
final class Unit: Sendable {
    let sections: DWARFSections
    let header: UnitHeader
    let abbreviations: AbbreviationTable
    let root: RootEntry
    /// For a split unit: its skeleton unit in the linked file. Its addresses, its range lists of
    /// DWARF 4 and its line program are there.
    let skeleton: Unit?
    /// For a split unit of a package: where its parts of the sections begin.
    let contribution: PackageContribution

    let sizes: FormSizes

    /// - Parameter bytes: the unit's bytes, from its header on; the root entry is enough.
    init(
        _ sections: DWARFSections, _ header: UnitHeader, _ abbreviations: AbbreviationTable, _ bytes: RawSpan, skeleton: Unit? = nil,
        contribution: PackageContribution = PackageContribution()
    ) throws(DWARFError) {
        self.sections = sections
        self.skeleton = skeleton
        self.contribution = contribution
        self.header = header
        sizes = header.formSizes
        self.abbreviations = abbreviations
        do throws(ReadError) {
            var root = try RootEntry(bytes, header, abbreviations)
            if root.splitID == nil { root.splitID = header.splitID }
            self.root = root
        } catch {
            throw DWARFError(.info, endingAt: header.offset + bytes.byteCount, error)
        }
    }
}

/// Attributes of a unit's root entry that the rest of the unit depends on (DWARF 5, section 3.1.1).
struct RootEntry: Sendable {
    var name: AttributeValue?
    /// `DW_AT_comp_dir`.
    var directory: AttributeValue?
    /// `DW_AT_stmt_list`: the unit's line program, in bytes from the start of `.debug_line`.
    var lineProgram: UInt64?
    var lowPC: AttributeValue?
    var highPC: AttributeValue?
    var ranges: AttributeValue?
    /// `DW_AT_str_offsets_base`, `DW_AT_addr_base` and `DW_AT_rnglists_base`: where index zero is
    /// in the section.
    var stringOffsetsBase: UInt64?
    var addressBase: UInt64?
    var rangeListsBase: UInt64?
    /// `DW_AT_GNU_ranges_base`: where the range lists of the split unit begin; the skeleton's own
    /// lists do not count from it.
    var splitRangesBase: UInt64?
    /// `DW_AT_dwo_name`: the file that holds the split unit of this skeleton.
    var splitName: AttributeValue?
    /// `DW_AT_GNU_dwo_id`, in both units before version 5.
    var splitID: UInt64?
    /// An entry was there and its abbreviation was in the table.
    var isKnown = false
    /// The root entry is a zero: the unit is empty.
    var isNull = false
    var hasChildren = false

    init(_ bytes: RawSpan, _ header: UnitHeader, _ table: AbbreviationTable) throws(ReadError) {
        var cursor = try bytes.from(UInt64(header.firstEntry - header.offset))
        let code = try cursor.readULEB128()
        guard let abbreviation = table.abbreviation(code) else {
            isNull = code == 0
            return
        }
        isKnown = true
        hasChildren = abbreviation.hasChildren
        for attribute in table.attributes(of: abbreviation) {
            switch attribute.name {
            case Attribute.name, Attribute.compDir, Attribute.stmtList, Attribute.lowPC, Attribute.highPC, Attribute.ranges,
                Attribute.strOffsetsBase, Attribute.addrBase, Attribute.gnuAddrBase, Attribute.rnglistsBase, Attribute.gnuRangesBase,
                Attribute.dwoName, Attribute.gnuDwoName, Attribute.gnuDwoID:
                var value = try cursor.readAddress(attribute.form, implicit: attribute.implicit, header.formSizes)
                if case .inlineString(let bytesBeforeEnd) = value {
                    // Kept as a distance from the unit's header, because the next reader sees
                    // another span.
                    value = .inlineString(bytesBeforeEnd: header.end - header.offset - (bytes.byteCount - bytesBeforeEnd))
                }
                store(attribute.name, value)
            default:
                try cursor.skip(attribute.step, header.formSizes)
            }
        }
    }

    private mutating func store(_ name: UInt16, _ value: AttributeValue) {
        switch name {
        case Attribute.name: self.name = value
        case Attribute.compDir: directory = value
        case Attribute.stmtList: lineProgram = value.number
        case Attribute.lowPC: lowPC = value
        case Attribute.highPC: highPC = value
        case Attribute.ranges: ranges = value
        case Attribute.strOffsetsBase: stringOffsetsBase = value.number
        case Attribute.addrBase, Attribute.gnuAddrBase: addressBase = value.number
        case Attribute.rnglistsBase: rangeListsBase = value.number
        case Attribute.gnuRangesBase: splitRangesBase = value.number
        case Attribute.dwoName, Attribute.gnuDwoName: splitName = value
        case Attribute.gnuDwoID: splitID = value.number
        default: break
        }
    }

    /// Whether the root entry itself says which addresses the unit covers.
    var hasRanges: Bool { ranges != nil || (lowPC != nil && highPC != nil) }
}

/// Location of a unit's line program.
struct LineContribution {
    /// All of `.debug_line`.
    let contents: SectionContents
    /// The unit's part, in bytes from the section's first.
    let range: Range<Int>

    /// Gives the part to `body`.
    /// - Throws: what `body` throws, and `DWARFError` where the section could not be inflated that far.
    func withBytes<Result>(_ buffer: ReadBuffer, _ body: (RawSpan) throws(DWARFError) -> Result) throws(DWARFError) -> Result {
        try contents.withBytes(in: range, buffer) { (bytes: RawSpan) throws(DWARFError) -> Result in
            if bytes.byteCount < range.count, let problem = contents.problem { throw DWARFError(.line, at: 0, problem.problem) }
            return try body(bytes)
        }
    }
}

extension Unit {
    /// The unit's part of `.debug_line`; `nil` if the unit has none.
    func lineContribution() throws(DWARFError) -> LineContribution? {
        guard let offset = root.lineProgram.map({ Int(clamping: $0) }), let contents = try sections.contents(.line) else {
            return nil
        }
        let (order, count) = (header.byteOrder, contents.count)
        guard offset < count else { throw DWARFError(.line, at: count, "the unit's line program is outside of the section") }
        let length = contents.withBytes(in: offset..<min(count, offset + 12), ReadBuffer()) { bytes -> Int? in
            var cursor = bytes
            guard let (length, size) = try? cursor.readInitialLength(order) else { return nil }
            return Int(clamping: length).addingReportingOverflow(size == 8 ? 12 : 4).partialValue
        }
        guard let length, length > 0, length <= count - offset else {
            if let problem = contents.problem { throw DWARFError(.line, at: 0, problem.problem) }
            throw DWARFError(.line, at: offset, "the line program reaches beyond the section's \(count) bytes")
        }
        return LineContribution(contents: contents, range: offset..<offset + length)
    }
}
