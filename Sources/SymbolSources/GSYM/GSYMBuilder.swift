internal import BinaryPrimitives
internal import DWARF
package import ObjectFiles

/// Makes a GSYM file of an object file: every function with its lines and inlined calls, as
/// `ObjectSource` gives them; columns, for which the format has no place, are lost.
///
/// A part of a function that is apart (`f.cold`) is a function of its own, under the name that
/// the symbol table has for it, else under the whole's; offsets count from where the part begins.
package enum GSYMBuilder {
    /// - Throws: `ObjectFileError` if the format has no place for what the object is.
    package static func build(_ object: ObjectFile) throws(ObjectFileError) -> GSYMImage {
        guard !object.description.sectionsArePlaced else {
            throw ObjectFileError(.unsupported, path: object.path, "a relocatable file has no addresses yet: expected a linked one")
        }
        let enumeration = DWARFReader(object).map { FunctionEnumeration($0) }
        let pieces = enumeration.map { FunctionPieces($0) }
        let work = GSYMCollector(object, FunctionLayout(object, pieces?.pieces ?? []))
        if !work.layout.hasTooManyNames { work.run(enumeration) }
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
    private(set) var tables: GSYMTables
    private(set) var encoder: GSYMEncoder
    /// For each function where its description begins in the encoder's bytes; -1 as long as it is
    /// not written.
    private(set) var places: [Int]
    /// What could not be read, one sentence each.
    private(set) var problems: [String] = []
    /// What is known of functions of which more is to come.
    private var pending: [Int: GSYMContent] = [:]
    private var names: [UInt32] = []
    /// Whether some code of the function is in none of the debug information's.
    private var hasGaps: [Bool]
    private let limits: Limits
    private var hasManyRanges = false

    init(_ object: ObjectFile, _ layout: FunctionLayout) {
        self.layout = layout
        limits = object.limits
        tables = GSYMTables(limit: limits.namesToWrite(fromFileOf: object.file.size))
        encoder = GSYMEncoder(object.description.byteOrder)
        places = [Int](repeating: -1, count: layout.functions.count)
        hasGaps = [Bool](repeating: false, count: layout.functions.count)
        for gap in layout.gaps { hasGaps[gap.owner] = true }
        for function in layout.functions { names.append(function.name.map { tables.text($0) } ?? 0) }
    }

    func run(_ enumeration: FunctionEnumeration?) {
        if let enumeration {
            let isWanted: (Int) -> Bool = { self.layout.parts[$0] != nil || !self.layout.gaps.isEmpty }
            problems = enumeration.forEachUnit(.everything, where: isWanted) { self.take($0) }.map(\.description)
        }
        for index in places.indices where places[index] < 0 { encode(index, pending[index] ?? GSYMContent()) }
        if hasManyRanges {
            problems.append(
                "the calls that were inlined into one function have more than \(limits.inlinedRanges) ranges: further ones are left out")
        }
    }

    private func encode(_ index: Int, _ content: GSYMContent) {
        let name = names[index] == 0 ? tables.noName() : names[index]
        places[index] = encoder.append(layout.functions[index].range, name: name, content) { self.tables.unknownFile() }
    }

    private func take(_ unit: UnitFunctions) {
        var texts = UnitTexts(unit)
        for part in layout.parts[unit.offset] ?? [] where unit.functions.indices.contains(part.number) {
            let function = unit.functions[part.number]
            if names[part.owner] == 0, let name = function.name { names[part.owner] = tables.text(unit.names[name]) }
            var content = GSYMContent()
            content.lines = unit.lines(in: part.range).compactMap { texts.line($0, &tables) }
            let (calls, isWhole) = unit.calls(of: function, in: part.range, &texts, &tables, limit: limits.inlinedRanges)
            content.calls = calls
            if !isWhole { hasManyRanges = true }
            if layout.functions[part.owner].parts == 1, !hasGaps[part.owner] {
                encode(part.owner, content)
            } else {
                pending[part.owner, default: GSYMContent()].append(content)
            }
        }
        takeGaps(unit, &texts)
    }

    /// Lines of code without a function: assembly.
    private func takeGaps(_ unit: UnitFunctions, _ texts: inout UnitTexts) {
        guard let first = unit.lines.first, !layout.gaps.isEmpty else { return }
        var next = layout.gaps.partitionPoint { $0.range.upperBound > first.range.lowerBound }
        for line in unit.lines {
            while next < layout.gaps.count, layout.gaps[next].range.upperBound <= line.range.lowerBound { next += 1 }
            var index = next
            while index < layout.gaps.count, layout.gaps[index].range.lowerBound < line.range.upperBound {
                let gap = layout.gaps[index]
                var part = line
                part.range = line.range.clamped(to: gap.range)
                if let line = texts.line(part, &tables) { pending[gap.owner, default: GSYMContent()].lines.append(line) }
                index += 1
            }
        }
    }
}

/// The names and files of one unit, as numbers of the file's tables.
struct UnitTexts {
    private let unit: UnitFunctions
    private var names: [UInt32?]
    private var files: [UInt32?]

    init(_ unit: UnitFunctions) {
        self.unit = unit
        names = [UInt32?](repeating: nil, count: unit.names.count)
        files = [UInt32?](repeating: nil, count: unit.files.count)
    }

    mutating func name(_ index: Int?, _ tables: inout GSYMTables) -> UInt32 {
        guard let index else { return 0 }
        if let known = names[index] { return known }
        let offset = tables.text(unit.names[index])
        names[index] = offset
        return offset
    }

    mutating func file(_ index: Int?, _ tables: inout GSYMTables) -> UInt32 {
        guard let index else { return 0 }
        if let known = files[index] { return known }
        let number = tables.file(unit.files[index])
        files[index] = number
        return number
    }

    /// `nil` where the file is not known.
    mutating func line(_ line: UnitFunctions.Line, _ tables: inout GSYMTables) -> GSYMContent.Line? {
        guard let index = line.file else { return nil }
        return GSYMContent.Line(range: line.range, file: file(index, &tables), line: UInt32(clamping: line.line))
    }
}

extension UnitFunctions {
    /// The lines of a range, cut to it.
    fileprivate func lines(in range: Range<UInt64>) -> [Line] {
        var found: [Line] = []
        var index = lines.partitionPoint { $0.range.upperBound > range.lowerBound }
        while index < lines.count, lines[index].range.lowerBound < range.upperBound {
            var line = lines[index]
            line.range = line.range.clamped(to: range)
            found.append(line)
            index += 1
        }
        return found
    }

    /// The tree of calls that were inlined into a part of a function. A call has the addresses
    /// whose innermost call it is, and those of what is nested in it: what compilers write as its
    /// own ranges may leave out code of a nested one, and the tree may not.
    /// - Parameter limit: `Limits.inlinedRanges`.
    /// - Returns: the calls, and whether all of their ranges are in them.
    fileprivate func calls(
        of function: Function, in range: Range<UInt64>, _ texts: inout UnitTexts, _ tables: inout GSYMTables, limit: Int
    ) -> (calls: [GSYMContent.Call], isWhole: Bool) {
        guard !function.calls.isEmpty else { return ([], true) }
        var all = Array(ranges[function.ranges])
        var owners = [Int](repeating: -1, count: all.count)
        for index in function.calls {
            all += ranges[calls[index].ranges]
            owners += repeatElement(index, count: calls[index].ranges.count)
        }
        let first = function.calls.lowerBound
        var covered = [[Range<UInt64>]](repeating: [], count: function.calls.count)
        var rangesLeft = limit
        var isWhole = true
        for piece in NestedRanges.pieces(of: all) {
            let part = piece.range.clamped(to: range)
            guard !part.isEmpty, owners[piece.index] >= 0 else { continue }
            guard rangesLeft > 0 else {
                isWhole = false
                break
            }
            // The calls around it too, however many are left: the tree may not leave out code of a
            // nested one.
            var call = Optional(owners[piece.index])
            while let index = call {
                covered[index - first].appendAdjoining(part)
                rangesLeft -= 1
                call = calls[index].parent
            }
        }
        var numbers = [Int](repeating: -1, count: function.calls.count)
        var result: [GSYMContent.Call] = []
        for index in function.calls where !covered[index - first].isEmpty {
            let call = calls[index]
            numbers[index - first] = result.count
            result.append(
                GSYMContent.Call(
                    parent: call.parent.map { numbers[$0 - first] }, name: texts.name(call.name, &tables),
                    file: texts.file(call.file, &tables),
                    line: UInt32(clamping: call.line), ranges: covered[index - first]))
        }
        return (result, isWhole)
    }
}

extension [Range<UInt64>] {
    /// Adds a range after the others, or makes the last one longer.
    fileprivate mutating func appendAdjoining(_ range: Range<UInt64>) {
        if let last, last.upperBound == range.lowerBound {
            self[count - 1] = last.lowerBound..<range.upperBound
        } else {
            append(range)
        }
    }
}

extension Array {
    /// The first index whose element fulfils a condition that all elements after it fulfil.
    fileprivate func partitionPoint(_ isBehind: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
