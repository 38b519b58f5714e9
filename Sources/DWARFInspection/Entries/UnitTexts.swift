/// Cached texts of one unit: paths of files by their numbers, and names of types by their offsets.
final class UnitTexts {
    let unit: DumpUnit
    private let context: DumpContext
    private let trees: UnitTrees
    private var paths: [UInt64: [UInt8]?] = [:]
    private var names: [Int: [UInt8]] = [:]
    /// The header of the unit's line table; `nil` if it has none that can be read.
    private(set) lazy var table: LineTableHeader? = {
        guard let offset = context.bases(of: unit).lineTable else { return nil }
        let start = Int(clamping: offset &+ (context.contribution(to: unit, .lines)?.lowerBound ?? 0))
        guard start < context.lines.count else { return nil }
        return try? LineTableHeader(at: start, of: context.lines, unit: unit)
    }()

    init(_ unit: DumpUnit, _ context: DumpContext, _ trees: UnitTrees) {
        self.unit = unit
        self.context = context
        self.trees = trees
    }

    /// The path of a file of the unit's line table; `nil` if it has none of that number.
    func path(_ number: UInt64) -> [UInt8]? {
        if let known = paths[number] { return known }
        let directory = context.bases(of: unit).compilationDirectory
        let path = table?.path(number, context, directory: directory, lines: context.lines)
        paths[number] = .some(path)
        return path
    }

    /// The name of a type with what is around it.
    func name(of type: DumpEntry) -> [UInt8] {
        let key = type.unit.isInTypes ? ~type.offset : type.offset
        if let known = names[key] { return known }
        let name = TypeNames.qualified(context.resolved(type), context, trees)
        names[key] = name
        return name
    }
}
