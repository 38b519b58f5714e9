/// Writes the paths of all source files, each once and in their order (`--show-sources`).
struct SourcesText {
    private let object: DumpedObject
    private let output: DumpOutput

    init(_ object: DumpedObject, _ output: DumpOutput) {
        self.object = object
        self.output = output
    }

    /// - Returns: `false` if some could not be determined.
    func run() -> Bool {
        guard let context = object.main else { return true }
        var paths: Set<[UInt8]> = []
        var isWhole = true
        // Tables that type units share with their unit, and directories that many have.
        for unit in context.infoUnits where !unit.isTypeUnit {
            let bases = context.bases(of: unit)
            guard let start = bases.lineTable, start < UInt64(context.lines.count),
                let header = try? LineTableHeader(at: Int(start), of: context.lines, unit: unit)
            else {
                if let name = name(of: unit, context, bases.compilationDirectory) { paths.insert(name) } else { isWhole = false }
                continue
            }
            guard !header.files.isEmpty else { continue }
            let first: UInt64 = header.version >= 5 ? 0 : 1
            for number in first..<first + UInt64(header.files.count) {
                let path = header.path(number, context, directory: bases.compilationDirectory, lines: context.lines)
                if path == nil { isWhole = false }
                paths.insert(path ?? [])
            }
        }
        for path in paths.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            output.name(path)
            output.byte(0x0a)
        }
        return isWhole
    }

    /// The unit's own name, where it has no line table.
    private func name(of unit: DumpUnit, _ context: DumpContext, _ directory: [UInt8]?) -> [UInt8]? {
        guard let root = context.entry(at: unit.root, in: unit), let name = context.shortName(root)?.bytes else {
            context.report("the unit at \(hexadecimal(unit.offset)) has no name")
            return nil
        }
        return LineTableHeader.joined(directory ?? [], name)
    }
}
