public import BinaryPrimitives
internal import ObjectFiles

/// A row of a line table with everything that tells it from its neighbours.
public struct LineTableRow: Sendable, Hashable {
    public var address: LinkAddress
    /// Its file's index in the unit's file table.
    public var file: Int
    /// Zero: the compiler attributes the code to no line.
    public var line: Int
    /// DWARF 5, section 6.2.2; zero for all but the later blocks of a line.
    public var discriminator: UInt64
    /// It only ends the row before it.
    public var endsSequence: Bool
}

/// All rows of one unit, in the order of its line program, for questions about the table itself. (Lookups keep no rows; see `LineProgram`.)
public struct LineRows: Sendable {
    public let rows: [LineTableRow]
    /// The files as the table records them, by index: a relative name stays relative.
    public let files: [Int: String]
}

extension DWARFReader {
    /// The rows of the unit at an offset of `.debug_info`.
    /// - Parameter unit: as `DWARFAnswer.unit` tells it.
    /// - Returns: `nil` if the unit has no line program.
    /// - Throws: `DWARFError` if it is damaged.
    public func lineRows(ofUnitAt unit: Int) throws(DWARFError) -> LineRows? {
        let units = try UnitTable(sections)
        return try units.withUnit(try units.header(at: unit), ReadBuffer()) {
            (unit: Unit, bytes: RawSpan) throws(DWARFError) -> LineRows? in
            guard let line = try unit.lineContribution() else { return nil }
            return try line.contents.withBytes(in: line.range, ReadBuffer()) { (lineBytes: RawSpan) throws(DWARFError) -> LineRows in
                do throws(ReadError) {
                    let table = try LineTable(lineBytes, addressSize: unit.header.addressSize, unit.header.byteOrder)
                    var machine = RowMachine(table: table)
                    try machine.run(lineBytes)
                    var files: [Int: String] = [:]
                    for index in Set(machine.rows.map(\.file)) {
                        files[index] = table.recordedPath(at: index) { unit.string($0, lineBytes) }
                    }
                    return LineRows(rows: machine.rows, files: files)
                } catch {
                    throw DWARFError(.line, endingAt: line.range.upperBound, error)
                }
            }
        }
    }
}

extension LineTable {
    /// A file's name behind its directory, where that is not the compilation directory: entry 0, which is in the table since version 5.
    fileprivate func recordedPath(at index: Int, _ text: (AttributeValue) -> String?) -> String? {
        guard let file = file(at: index), let name = text(file.name) else { return nil }
        let position = version >= 5 ? file.directory : file.directory - 1
        guard file.directory > 0, !name.isAbsolutePath, directories.indices.contains(position) else { return name }
        return (text(directories[position]) ?? "").appendingPath(name)
    }
}

/// The line-number state machine (DWARF 5, section 6.2.2), every row kept.
private struct RowMachine {
    let table: LineTable
    private(set) var rows: [LineTableRow] = []
    private var state = LineTableRow(address: LinkAddress(0), file: 1, line: 1, discriminator: 0, endsSequence: false)

    init(table: LineTable) { self.table = table }

    /// - Parameter bytes: the contribution, from its initial length on.
    mutating func run(_ bytes: RawSpan) throws(ReadError) {
        var cursor = try bytes.slice(at: UInt64(table.program.lowerBound), count: UInt64(max(0, table.program.count)))
        let lineRange = max(1, table.lineRange)
        while cursor.byteCount > 0 {
            let opcode = try cursor.take(UInt8.self)
            if opcode >= table.opcodeBase {
                let adjusted = UInt64(opcode &- table.opcodeBase)
                advance(adjusted / lineRange)
                state.line &+= Int(truncatingIfNeeded: table.lineBase &+ Int64(adjusted % lineRange))
                append()
                continue
            }
            switch opcode {
            case 0: try runExtended(&cursor)
            case LineOpcode.copy: append()
            case LineOpcode.advancePC: advance(try cursor.takeULEB128())
            case LineOpcode.advanceLine: state.line &+= Int(truncatingIfNeeded: try cursor.takeSLEB128())
            case LineOpcode.setFile: state.file = Int(truncatingIfNeeded: try cursor.takeULEB128())
            case LineOpcode.constAddPC: advance(UInt64(255 &- table.opcodeBase) / lineRange)
            case LineOpcode.fixedAdvancePC:
                state.address = LinkAddress(state.address.value &+ UInt64(try cursor.take(UInt16.self, table.sizes.byteOrder)))
            default: for _ in 0..<table.operandCounts[Int(opcode) - 1] { try cursor.skipLEB128() }
            }
        }
    }

    private mutating func runExtended(_ cursor: inout RawSpan) throws(ReadError) {
        var operands = try cursor.take(bytes: Int(clamping: try cursor.takeULEB128()))
        guard operands.byteCount > 0 else { return }
        switch try operands.take(UInt8.self) {
        case LineOpcode.extendedEndSequence:
            state.endsSequence = true
            rows.append(state)
            state = LineTableRow(address: LinkAddress(0), file: 1, line: 1, discriminator: 0, endsSequence: false)
        case LineOpcode.extendedSetAddress:
            state.address = LinkAddress(try operands.takeUnsigned(size: operands.byteCount, table.sizes.byteOrder))
        case LineOpcode.extendedSetDiscriminator: state.discriminator = try operands.takeULEB128()
        default: break
        }
    }

    /// Of a machine with several operations in an instruction only whole instructions count here.
    private mutating func advance(_ operations: UInt64) {
        let instructions = operations / table.maximumOperations
        state.address = LinkAddress(state.address.value &+ instructions &* table.minimumInstructionLength)
    }

    private mutating func append() {
        rows.append(state)
        state.discriminator = 0
    }
}
