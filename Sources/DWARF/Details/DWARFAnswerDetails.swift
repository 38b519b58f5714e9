public import BinaryPrimitives

/// Which details are asked for.
public struct DWARFDetails: OptionSet, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What the entries of functions say, and files as they were recorded.
    public static let entries = DWARFDetails(rawValue: 1)
    /// What rows say beside their places, and the line before code that has none: these take a second execution of the line program.
    public static let rows = DWARFDetails(rawValue: 2)
}

/// What the debug information says about one address beside the answer: nobody but some tools prints it. A class, so that answers without it are not larger for it.
public final class DWARFAnswerDetails: Sendable {
    /// Of a place in source text.
    public struct Place: Sendable, Hashable {
        /// The file's path without the compilation directory.
        public var recordedFile: String
        /// Tells blocks of one line apart (DWARF 5, section 6.2.2); zero: there is but one, or the compiler does not tell.
        public var discriminator: UInt64
        /// The file's text, where the compiler was told to keep it.
        public var source: String?
    }

    /// Of one of the answer's functions.
    public struct Function: Sendable, Hashable {
        public var declaration: SubroutineDeclaration
        /// Of an inlined call: where the next function of the answer calls it.
        public var callSite: Place?
    }

    /// Of the address's row.
    public let place: Place?
    /// The row's, where rows were asked for.
    public let rowFlags: LineRowFlags
    /// Where the row has no line and rows were asked for: the last row before it in its sequence that has one.
    public let lineBefore: SourceLocation?
    /// The same row's.
    public let placeBefore: Place?
    /// In the order of the answer's.
    public let functions: [Function]

    init(
        place: Place?, rowFlags: LineRowFlags = LineRowFlags(), lineBefore: SourceLocation? = nil, placeBefore: Place? = nil,
        functions: [Function]
    ) {
        self.rowFlags = rowFlags
        self.place = place
        self.lineBefore = lineBefore
        self.placeBefore = placeBefore
        self.functions = functions
    }
}

/// Reads the details of one unit's answers.
struct DetailedAnswers {
    private let paths = SourcePaths()
    /// By where the entries stand, in bytes from the unit's header.
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
    ///   - rowDetails: `nil` where they are not asked for.
    ///   - lineBytes: the line table's, from its initial length on.
    func details(
        of chain: [(Subroutine, callFile: Int?)], _ row: LineRow?, _ rowDetails: RowDetails?, _ table: LineTable, _ directory: String?,
        _ unit: Unit,
        _ lineBytes: RawSpan
    ) -> DWARFAnswerDetails {
        func place(_ file: Int, _ discriminator: UInt64) -> DWARFAnswerDetails.Place? {
            let path = table.sourcePath(at: file, compilationDirectory: directory) { unit.string($0, lineBytes) }
            guard let path else { return nil }
            let source = table.file(at: file).flatMap { unit.string($0.source, lineBytes) }
            return DWARFAnswerDetails.Place(recordedFile: path.recorded, discriminator: discriminator, source: source)
        }
        return DWARFAnswerDetails(
            place: row.flatMap { place($0.file, $0.discriminator) },
            rowFlags: rowDetails?.flags ?? LineRowFlags(),
            lineBefore: rowDetails?.before.flatMap { row in
                table.path(at: row.file, compilationDirectory: directory) { unit.string($0, lineBytes) }
                    .map { SourceLocation(file: $0, line: row.line, column: row.column) }
            },
            placeBefore: rowDetails?.before.flatMap { place($0.file, $0.discriminator) },
            functions: chain.map { subroutine, callFile in
                let declaration = declarations[subroutine.position] ?? SubroutineDeclaration()
                let callSite = subroutine.isInlined ? callFile.flatMap { place($0, declaration.callDiscriminator) } : nil
                return DWARFAnswerDetails.Function(declaration: declaration, callSite: callSite)
            })
    }

    /// The same for a unit whose line table cannot be read, or that has none.
    func details(of chain: [Subroutine]) -> DWARFAnswerDetails {
        DWARFAnswerDetails(
            place: nil,
            functions: chain.map {
                DWARFAnswerDetails.Function(declaration: declarations[$0.position] ?? SubroutineDeclaration(), callSite: nil)
            })
    }
}
