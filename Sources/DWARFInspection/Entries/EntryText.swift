internal import BinaryPrimitives
internal import DWARF

/// Writes entries and their attributes as llvm-dwarfdump 19 does.
class EntryText {
    let context: DumpContext
    let options: DumpOptions
    let output: DumpOutput
    let trees: UnitTrees
    let registers: DWARFRegisterNames?
    /// The files and type names of the unit that was written last.
    var unitTexts: UnitTexts?

    init(_ context: DumpContext, _ options: DumpOptions, _ output: DumpOutput, registers: DWARFRegisterNames?) {
        self.context = context
        self.options = options
        self.output = output
        self.registers = registers
        trees = UnitTrees(context)
    }

    /// Writes an entry, with what `options` say of those around it.
    /// - Parameter indent: of the entry itself, in columns.
    func write(_ entry: DumpEntry, indent: Int) {
        let indent = options.showsParents ? writeParents(of: entry, indent: indent) : indent
        writeAlone(entry, indent: indent)
        if options.showsChildren, options.childDepth > 0 { writeChildren(of: entry, indent: indent + 2) }
    }

    /// All entries below one, and the null entries that end each list of them, in the order of the
    /// section.
    func writeChildren(of entry: DumpEntry, indent: Int) {
        guard entry.abbreviation.hasChildren, var position = context.end(of: entry) else { return }
        let bytes = context.section(of: entry.unit)
        // In nested levels.
        var depth: UInt64 = 1
        while position < entry.unit.end {
            let isShown = depth <= options.childDepth
            let column = indent + 2 * Int(clamping: min(depth - 1, 1 << 20))
            if bytes[position] == 0 {
                if isShown {
                    writeNull(at: position, indent: column)
                }
                position += 1
                depth -= 1
                if depth == 0 { return }
                continue
            }
            guard let child = context.entry(at: position, in: entry.unit) else {
                context.report("the entry at \(hexadecimal(position)) has a code that its unit has no abbreviation for")
                return
            }
            let end = isShown ? writeAlone(child, indent: column) : context.end(of: child)
            guard let end else {
                context.report("the entry at \(hexadecimal(position)) has values that cannot be read")
                return
            }
            if child.abbreviation.hasChildren { depth += 1 }
            // Each level is two columns more: the text of a small file would grow with its square.
            guard depth <= UInt64(Limits.standard.entryDepth) else {
                context.report("the entries at \(hexadecimal(position)) are nested deeper than \(Limits.standard.entryDepth)")
                return
            }
            position = end
        }
    }

    /// The entries around one, outermost first.
    /// - Returns: the column of the entry itself.
    private func writeParents(of entry: DumpEntry, indent: Int) -> Int {
        var chain: [DumpEntry] = []
        var next = trees.parent(of: entry)
        while let parent = next, options.parentDepth == 0 || UInt64(chain.count) < options.parentDepth {
            chain.append(parent)
            next = trees.parent(of: parent)
        }
        var column = indent
        for parent in chain.reversed() {
            writeAlone(parent, indent: column)
            column += 2
        }
        return column
    }

    /// Writes the null entry that ends a list of children.
    func writeNull(at position: Int, indent: Int) {
        writeOffset(position)
        output.spaces(indent)
        output.text("NULL\n")
    }

    private func writeOffset(_ position: Int) {
        guard options.showsAddresses else { return }
        output.text("\n")
        output.hex(UInt64(position), 8)
        output.text(": ")
    }

    /// Writes the entry without those around it.
    /// - Returns: the offset after it; `nil` if a value cannot be read.
    @discardableResult
    func writeAlone(_ entry: DumpEntry, indent: Int) -> Int? {
        writeOffset(entry.offset)
        output.spaces(indent)
        output.name(DWARFNames.tags, UInt64(entry.tag))
        if options.isVerbose {
            output.text(" [")
            output.decimal(entry.abbreviation.code)
            output.text(entry.abbreviation.hasChildren ? "] *" : "]  ")
            if let parent = trees.parent(of: entry) {
                output.text(" (")
                output.hex(UInt64(parent.offset), 8)
                output.text(")")
            }
        }
        output.byte(0x0a)
        let texts = texts(of: entry.unit)
        var cursor = context.section(of: entry.unit).cursor(at: entry.values)
        for specification in entry.abbreviation.specifications {
            guard let value = DumpValue(specification, &cursor, entry.unit), !cursor.isPastEnd else { return nil }
            output.spaces(14 + indent)
            output.name(DWARFNames.attributes, UInt64(specification.name))
            if options.isVerbose || options.showsForms {
                output.text(" [")
                output.name(DWARFNames.forms, UInt64(value.form))
                output.text("]")
            }
            output.text("\t(")
            write(value, of: specification.name, entry, indent: indent, texts)
            output.text(")\n")
        }
        return cursor.position
    }

    func texts(of unit: DumpUnit) -> UnitTexts {
        if let unitTexts, unitTexts.unit === unit { return unitTexts }
        let texts = UnitTexts(unit, context, trees)
        unitTexts = texts
        return texts
    }
}

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
