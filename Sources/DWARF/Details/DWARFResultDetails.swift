package import BinaryPrimitives

/// Which details are requested.
package struct DWARFDetails: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// As `[]`, which other modules make by a generic function: at its first call the runtime looks
    /// through the conformances of the whole program, a twelfth of the time that one address takes.
    package static var none: DWARFDetails { DWARFDetails(rawValue: 0) }
    /// The attributes of functions' entries, and files as they were recorded.
    package static let entries = DWARFDetails(rawValue: 1)
    /// The flags of rows, and the line before code that has none: these take a second execution of the line program.
    package static let rows = DWARFDetails(rawValue: 2)
}

/// Debug information about one address beyond the result, which only some tools print. A class, so that results without it are not larger for it.
package final class DWARFResultDetails: Sendable {
    /// Location in source text.
    package struct Location: Sendable, Hashable {
        /// The file's path without the compilation directory.
        package var recordedFile: String
        /// Distinguishes blocks of one line (DWARF 5, section 6.2.2); zero: there is but one, or
        /// the compiler does not say.
        package var discriminator: UInt64
        /// The file's text, if the compiler was set to keep it.
        package var source: String?
    }

    /// Details of one of the result's functions.
    package struct Function: Sendable, Hashable {
        package var declaration: SubroutineDeclaration
        /// Location of an inlined call in the next function of the result.
        package var callSite: Location?
    }

    /// Location in the address's row.
    package let location: Location?
    /// The row's, if rows were requested.
    package let rowFlags: LineRowFlags
    /// If the row has no line and rows were requested: the last row before it in its sequence that
    /// has one.
    package let lineBefore: SourceLocation?
    /// The same row's.
    package let locationBefore: Location?
    /// In the order of the result's.
    package let functions: [Function]

    init(
        location: Location?, rowFlags: LineRowFlags = LineRowFlags(), lineBefore: SourceLocation? = nil, locationBefore: Location? = nil,
        functions: [Function]
    ) {
        self.rowFlags = rowFlags
        self.location = location
        self.lineBefore = lineBefore
        self.locationBefore = locationBefore
        self.functions = functions
    }
}

/// Reads the details of one unit's results.
struct DetailedResults {
    private let paths = SourcePaths()
    /// By where the entries are, in bytes from the unit's header.
    private var declarations: [Int: SubroutineDeclaration] = [:]

    /// - Parameters:
    ///   - unit: has the subroutines.
    ///   - bytes: the unit, from its header to its end.
    mutating func readDeclarations(of chains: [[Subroutine]], _ unit: Unit, _ bytes: RawSpan, _ units: UnitTable) {
        let paths = paths
        let reader = DeclarationReader(units) { paths.path($0, $1, $2) }
        for chain in chains {
            for subroutine in chain where declarations[subroutine.position] == nil {
                declarations[subroutine.position] = reader.declaration(at: subroutine.position, of: unit, bytes)
            }
        }
    }

    /// - Parameters:
    ///   - chain: innermost first, each with the file of its call.
    ///   - rowDetails: `nil` if they are not requested.
    ///   - lineBytes: the line table's, from its initial length on.
    func details(
        of chain: [(Subroutine, callFile: Int?)], _ row: LineRow?, _ rowDetails: RowDetails?, _ table: LineTable, _ directory: String?,
        _ unit: Unit,
        _ lineBytes: RawSpan
    ) -> DWARFResultDetails {
        func location(_ file: Int, _ discriminator: UInt64) -> DWARFResultDetails.Location? {
            let path = table.sourcePath(at: file, compilationDirectory: directory) { unit.string($0, lineBytes) }
            guard let path else { return nil }
            let source = table.file(at: file).flatMap { unit.string($0.source, lineBytes) }
            return DWARFResultDetails.Location(recordedFile: path.recorded, discriminator: discriminator, source: source)
        }
        return DWARFResultDetails(
            location: row.flatMap { location($0.file, $0.discriminator) },
            rowFlags: rowDetails?.flags ?? LineRowFlags(),
            lineBefore: rowDetails?.before.flatMap { row in
                table.path(at: row.file, compilationDirectory: directory) { unit.string($0, lineBytes) }
                    .map { SourceLocation(file: $0, line: row.line, column: row.column) }
            },
            locationBefore: rowDetails?.before.flatMap { location($0.file, $0.discriminator) },
            functions: chain.map { subroutine, callFile in
                let declaration = declarations[subroutine.position] ?? SubroutineDeclaration()
                let callSite = subroutine.isInlined ? callFile.flatMap { location($0, declaration.callDiscriminator) } : nil
                return DWARFResultDetails.Function(declaration: declaration, callSite: callSite)
            })
    }

    /// The same for a unit whose line table cannot be read, or that has none.
    func details(of chain: [Subroutine]) -> DWARFResultDetails {
        DWARFResultDetails(
            location: nil,
            functions: chain.map {
                DWARFResultDetails.Function(declaration: declarations[$0.position] ?? SubroutineDeclaration(), callSite: nil)
            })
    }
}

/// Details of an address's row that only some tools need. The table's program is executed once more for them.
struct RowDetails {
    var flags = LineRowFlags()
    /// The last row before a row with line 0, in its sequence, that has a line.
    ///
    /// Compilers write line 0 for code that they moved, merged or added. The
    /// line before is near it, and no more than that.
    var before: LineRow?
}

extension LineTable {
    /// - Parameters:
    ///   - rows: the addresses' own rows; those that are `nil` are passed over.
    ///   - wanted: the addresses, ascending.
    ///   - bytes: the contribution, from its initial length on.
    func rowDetails(_ rows: [LineRow?], at wanted: [UInt64], _ bytes: RawSpan) throws(ReadError) -> [RowDetails] {
        var found = [RowDetails](repeating: RowDetails(), count: wanted.count)
        var previous: (address: UInt64, row: LineRow, flags: LineRowFlags)?
        var last: LineRow?
        try forEachRow(bytes) { registers, flags, endsSequence in
            if let previous, previous.address < registers.address {
                var index = wanted.firstIndex(notBelow: previous.address)
                while index < wanted.count, wanted[index] < registers.address {
                    // The same address in another sequence has another row.
                    if rows[index] == previous.row {
                        found[index].flags = previous.flags
                        if previous.row.line == 0, found[index].before == nil { found[index].before = last }
                    }
                    index += 1
                }
            }
            previous = endsSequence ? nil : (registers.address, registers.row, flags)
            if endsSequence { last = nil } else if registers.row.line != 0 { last = registers.row }
        }
        return found
    }
}
