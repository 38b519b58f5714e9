internal import BinaryPrimitives
internal import DWARF
package import ObjectFiles

/// Makes a GSYM file of an object file: every function with its lines and inlined calls, as
/// `ObjectSource` gives them; columns, which the format does not have, are lost.
///
/// A part of a function that is apart (`f.cold`) is a function of its own, under the name that
/// the symbol table has for it, else under the whole's; offsets count from where the part begins.
package enum GSYMBuilder {
    /// - Throws: `ObjectFileError` if the format cannot represent the object.
    package static func build(_ object: ObjectFile) throws(ObjectFileError) -> GSYMImage {
        guard !object.description.sectionsArePlaced else {
            throw ObjectFileError(.unsupported, path: object.path, "a relocatable file has no addresses yet: expected a linked one")
        }
        let enumeration = DWARFReader(object, readsAll: true).map { FunctionEnumeration($0) }
        let pieces = enumeration.map { FunctionPieces($0) }
        let work = GSYMCollector(object, enumeration, FunctionLayout(object, pieces?.pieces ?? []))
        if !work.layout.hasTooManyNames { work.run() }
        guard !work.layout.hasTooManyNames, !work.tables.isFull else {
            throw ObjectFileError(
                .unsupported, path: object.path, "its names take more bytes than are written: expected at most \(work.tables.limit)")
        }
        return try GSYMImage(object, work)
    }
}

/// Writes the descriptions of all functions, unit by unit. A class, because units are lent to a
/// closure.
final class GSYMCollector {
    let layout: FunctionLayout
    /// `nil` without debug information.
    private let enumeration: FunctionEnumeration?
    fileprivate(set) var tables: GSYMTables
    private(set) var encoder: GSYMEncoder
    /// Start of each function's description in the encoder's bytes; -1 until it is written.
    private(set) var descriptionStarts: [Int]
    /// Debug information that could not be read, one sentence each.
    private(set) var problems: [String] = []
    /// Content so far of functions to which later units may add more.
    private var pending: [Int: GSYMContent] = [:]
    /// Name of each function, as an offset into the texts; 0: no name, or not yet known.
    private var names: [UInt32] = []
    /// Whether some code of each function is not covered by the debug information.
    private var hasGaps: [Bool]
    private let limits: Limits
    private var hasManyRanges = false

    init(_ object: ObjectFile, _ enumeration: FunctionEnumeration?, _ layout: FunctionLayout) {
        self.layout = layout
        self.enumeration = enumeration
        limits = object.limits
        tables = GSYMTables(limit: limits.namesToWrite(fromFileOf: object.file.size))
        encoder = GSYMEncoder(object.description.byteOrder)
        descriptionStarts = [Int](repeating: -1, count: layout.functions.count)
        hasGaps = [Bool](repeating: false, count: layout.functions.count)
        for gap in layout.gaps { hasGaps[gap.owner] = true }
        for (index, function) in layout.functions.enumerated() {
            names.append(layout.shared[index] == nil ? function.name.map { tables.text($0) } ?? 0 : 0)
        }
    }

    func run() {
        if let enumeration {
            let (layout, maxRanges) = (layout, limits.inlinedRanges)
            let isWanted: (Int) -> Bool = { layout.parts[$0] != nil || !layout.gaps.isEmpty }
            let unread = enumeration.forEachUnit(.everything, where: isWanted, make: { UnitContent($0, layout, limit: maxRanges) }) {
                add($0)
            }
            problems = unread.map(\.description)
        }
        for index in descriptionStarts.indices where descriptionStarts[index] < 0 { encode(index, pending[index] ?? GSYMContent()) }
        if hasManyRanges {
            problems.append(
                "the calls that were inlined into one function have more than \(limits.inlinedRanges) ranges: further ones are left out")
        }
    }

    private func encode(_ index: Int, _ content: GSYMContent) {
        if names[index] == 0, let name = layout.functions[index].name { names[index] = tables.text(name) }
        let name = names[index] == 0 ? tables.noName() : names[index]
        descriptionStarts[index] = encoder.append(layout.functions[index].range, name: name, content) { self.tables.unknownFile() }
    }

    private func add(_ unit: UnitContent) {
        var texts = UnitTexts(unit, enumeration)
        if unit.hasManyRanges { hasManyRanges = true }
        for part in unit.parts {
            if names[part.owner] == 0 { names[part.owner] = name(of: part, &texts) }
            let content = texts.content(part.content, &tables)
            if layout.functions[part.owner].parts == 1, !hasGaps[part.owner] {
                encode(part.owner, content)
            } else {
                pending[part.owner, default: GSYMContent()].append(content)
            }
        }
        for (owner, line) in unit.gapLines { pending[owner, default: GSYMContent()].lines.append(texts.line(line, &tables)) }
    }
}

extension GSYMCollector {
    /// The offset of the name of the function that a part is of; 0 as long as it is not known.
    private func name(of part: UnitContent.Part, _ texts: inout UnitTexts) -> UInt32 {
        guard let found = layout.shared[part.owner] else {
            // A symbol's name is there already.
            return part.name.map { texts.name($0, &tables) } ?? 0
        }
        guard part.start == layout.functions[part.owner].range.lowerBound else { return 0 }
        guard part.entry == found.symbol.address.value, let name = part.name, let text = texts.text(name) else {
            return tables.text(found.name)
        }
        return tables.text(found.symbol(named: text).map { found.name(of: $0) } ?? text)
    }
}

/// The names and files of one unit, as numbers of the file's tables.
private struct UnitTexts {
    private let unit: UnitContent
    private let enumeration: FunctionEnumeration?
    private var names: [UInt32?]
    private var files: [UInt32?]

    init(_ unit: UnitContent, _ enumeration: FunctionEnumeration?) {
        self.unit = unit
        self.enumeration = enumeration
        names = [UInt32?](repeating: nil, count: unit.names.count)
        files = [UInt32?](repeating: nil, count: unit.files.count)
    }

    mutating func content(_ content: GSYMContent, _ tables: inout GSYMTables) -> GSYMContent {
        var content = content
        for index in content.lines.indices { content.lines[index] = line(content.lines[index], &tables) }
        for index in content.calls.indices {
            content.calls[index].name = content.calls[index].name.map { name(Int($0), &tables) }
            content.calls[index].file = content.calls[index].file.map { file(Int($0), &tables) }
        }
        return content
    }

    mutating func line(_ line: GSYMContent.Line, _ tables: inout GSYMTables) -> GSYMContent.Line {
        var line = line
        line.file = file(Int(line.file), &tables)
        return line
    }

    mutating func name(_ index: Int, _ tables: inout GSYMTables) -> UInt32 {
        if let known = names[index] { return known }
        let offset = tables.name(unit.names[index]) { enumeration?.text($0) }
        names[index] = offset
        return offset
    }

    func text(_ index: Int) -> String? { enumeration?.text(unit.names[index]) }

    private mutating func file(_ index: Int, _ tables: inout GSYMTables) -> UInt32 {
        if let known = files[index] { return known }
        let number = tables.file(unit.files[index])
        files[index] = number
        return number
    }
}
