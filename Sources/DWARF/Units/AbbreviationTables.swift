internal import BinaryPrimitives
internal import ObjectFiles

/// The tables of `.debug_abbrev` that the units of one section need, each read when it is first
/// needed.
struct AbbreviationTables {
    private let sections: DWARFSections
    private let buffer = ReadBuffer()
    /// Tables that were read as a whole. Few, and mostly the last is meant.
    private var kept: [Kept] = []
    /// Abbreviations of the tables that are kept.
    private var keptCount = 0
    /// Maximum number of abbreviations that are kept beside the last table: those of five large C++ units, or of hundreds of units that hold
    /// entries that others share (dwz).
    private static let maxKept = 2000
    /// Start of the table of the last unit whose root entry was read by itself.
    private var lastHeadTable = -1
    /// The abbreviations of root entries that were read of it. Compilers declare the first of nearly all tables alike.
    private var heads: [Head] = []
    /// Maximum number of root entries' abbreviations that are looked for in one table before it is read as a whole: it may be long, and each
    /// one may be its last. The tables of clang and swiftc serve some units, each of which declares its own.
    private static let maxHeads = 16

    private struct Head {
        var code: UInt64
        var sizes: FormSizes
        var table: AbbreviationTable
    }

    private struct Kept {
        var offset: Int
        var sizes: FormSizes
        var table: AbbreviationTable
    }

    init(_ sections: DWARFSections) { self.sections = sections }

    /// A unit's table, as a whole.
    mutating func table(
        of header: UnitHeader, _ contribution: PackageContribution = PackageContribution()
    ) throws(DWARFError) -> AbbreviationTable {
        let (offset, overflow) = Int(clamping: header.abbreviationsOffset).addingReportingOverflow(
            Int(clamping: contribution.abbreviations))
        guard !overflow else { throw DWARFError(.abbrev, at: 0, "the unit's abbreviations are outside of the section") }
        if let known = kept.last(where: { $0.offset == offset && $0.sizes == header.formSizes }) { return known.table }
        let table = try read(at: offset, header.formSizes, only: nil)
        // Most tables serve one unit. A few are kept for files whose units share them (LTO, dwz).
        while let oldest = kept.first, keptCount + table.count > Self.maxKept || kept.count >= 64 {
            keptCount -= oldest.table.count
            kept.removeFirst()
        }
        keptCount += table.count
        kept.append(Kept(offset: offset, sizes: header.formSizes, table: table))
        return table
    }

    /// A table with the abbreviation of a unit's root entry at least.
    /// - Parameter code: the root entry's.
    mutating func headTable(_ code: UInt64, of header: UnitHeader) throws(DWARFError) -> AbbreviationTable {
        let offset = Int(clamping: header.abbreviationsOffset)
        if lastHeadTable == offset {
            if let known = heads.last(where: { $0.code == code && $0.sizes == header.formSizes }) { return known.table }
            let contents = try sections.required(.abbrev)
            if heads.count >= Self.maxHeads || contents.isStreamed { return try table(of: header) }
        } else {
            lastHeadTable = offset
            let last = heads.first
            heads.removeAll(keepingCapacity: true)
            if let last, last.code == code, last.sizes == header.formSizes, try isSame(last.table, code, at: offset) {
                heads.append(last)
                return last.table
            }
        }
        let table = try read(at: offset, header.formSizes, only: code)
        if table.abbreviation(code) != nil { heads.append(Head(code: code, sizes: header.formSizes, table: table)) }
        return table
    }

    /// Whether entries of a unit may have addresses of code (`AbbreviationTable.declaresCode`).
    func declareCode(_ header: UnitHeader) -> Bool {
        guard let contents = try? sections.required(.abbrev), !contents.isStreamed else { return true }
        return contents.withBytes { AbbreviationTable.declaresCode($0, at: Int(clamping: header.abbreviationsOffset)) }
    }

    /// Whether a table of one abbreviation would be the same, had it been read at another offset.
    private func isSame(_ table: AbbreviationTable, _ code: UInt64, at offset: Int) throws(DWARFError) -> Bool {
        let contents = try sections.required(.abbrev)
        guard !contents.isStreamed else { return false }
        return contents.withBytes { table.isDeclared(code, at: offset, of: $0) }
    }

    private func read(at offset: Int, _ sizes: FormSizes, only code: UInt64?) throws(DWARFError) -> AbbreviationTable {
        let contents = try sections.required(.abbrev)
        guard contents.isStreamed, (0..<contents.count).contains(offset) else {
            return try contents.withBytes { (bytes: RawSpan) throws(DWARFError) -> AbbreviationTable in
                try AbbreviationTable(bytes, at: offset, sizes, only: code)
            }
        }
        // A table does not record where it ends.
        var length = 32 << 10
        while true {
            let range = offset..<min(contents.count, offset + length)
            do throws(DWARFError) {
                return try contents.withBytes(in: range, buffer) { (bytes: RawSpan) throws(DWARFError) -> AbbreviationTable in
                    try AbbreviationTable(bytes, at: 0, sizes, only: code, sectionOffset: offset, isCut: range.upperBound < contents.count)
                }
            } catch {
                if let problem = contents.problem { throw DWARFError(.abbrev, at: 0, problem.problem) }
                guard range.upperBound < contents.count else { throw error }
                length *= 8
            }
        }
    }
}
