internal import DWARF

/// Identities of the functions and global variables of one unit: `name:file:line`, the file without its folders.
struct StatisticsNames {
    private let context: DumpContext
    private var tables: [Int: UnitTexts] = [:]
    private let trees: UnitTrees
    /// By the entry that an instance was made from.
    private var functions: [Int: (index: Int, hasSourceLocation: Bool)] = [:]

    init(_ context: DumpContext) {
        self.context = context
        trees = UnitTrees(context)
    }

    /// The function that an entry is an instance of.
    mutating func function(
        _ entry: DumpEntry, _ facts: EntryFacts, _ table: FunctionTable
    ) -> (index: Int, hasSourceLocation: Bool) {
        let hasOwn = [FactKind.linkageName, .name, .declarationFile, .declarationLine, .specification].contains { facts.has($0) }
        let origin = hasOwn ? nil : facts.value(.abstractOrigin, entry.unit).flatMap { context.entry(referredBy: $0) }
        // In another unit numbers of files are others.
        if let origin, let known = functions[origin.offset], origin.unit === entry.unit { return known }
        let found = (
            index: table.index(of: identity(entry)),
            hasSourceLocation: context.inherited([Attribute.declFile], of: entry) != nil
                && context.inherited([Attribute.declLine], of: entry) != nil
        )
        if let origin, origin.unit === entry.unit { functions[origin.offset] = found }
        return found
    }

    mutating func identity(_ entry: DumpEntry) -> [UInt8] {
        var text = context.linkageName(entry)?.bytes ?? []
        text.append(UInt8(ascii: ":"))
        text += file(entry) ?? [UInt8(ascii: "/")]
        text.append(UInt8(ascii: ":"))
        let line = context.inherited([Attribute.declLine], of: entry)?.unsignedConstant ?? 0
        text += Array(String(line).utf8)
        return text
    }

    /// The last part of the path of the file that an entry is declared in. The line table of the
    /// entry's own unit gives it, wherever the number is.
    private mutating func file(_ entry: DumpEntry) -> [UInt8]? {
        guard let value = context.inherited([Attribute.declFile], of: entry) else { return nil }
        let texts = tables[entry.unit.offset] ?? UnitTexts(entry.unit, context, trees)
        tables[entry.unit.offset] = texts
        guard let path = texts.path(value.unsignedConstant ?? 0), !path.isEmpty else { return nil }
        let slash = UInt8(ascii: "/")
        guard let last = path.lastIndex(of: slash) else { return path }
        // As LLVM has it, a path that ends with a slash is a folder's, `.`, and the root is itself.
        if last == path.count - 1 { return path.count == 1 ? path : [UInt8(ascii: ".")] }
        return Array(path[(last + 1)...])
    }
}
