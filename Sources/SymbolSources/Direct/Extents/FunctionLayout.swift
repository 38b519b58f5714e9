internal import BinaryPrimitives
internal import CallFrames
internal import DWARF
internal import ObjectFiles

/// The code of a file cut into functions, as results name them: by the symbol table where it has a
/// name, else by the debug information. What a file that is written for lookups lists.
struct FunctionLayout {
    struct Function {
        var range: Range<UInt64>
        /// `nil`: the name is that of the debug information's function in it.
        var name: String?
        /// How many of `parts` lie in it.
        var parts = 0
    }

    /// A piece of a function of the debug information.
    struct Part {
        var range: Range<UInt64>
        /// Index into `functions`.
        var owner: Int
        /// The function's number in its unit.
        var number: Int
    }

    /// By address, none over another.
    private(set) var functions: [Function] = []
    /// By the function's index: those whose code is that of several functions. Which of them is
    /// meant is what the debug information says of the first address (`ObjectLookup.name`).
    private(set) var shared: [Int: SymbolNames.Found] = [:]
    /// By the unit's offset; each unit's by address.
    private(set) var parts: [Int: [Part]] = [:]
    /// Code of functions that the debug information has no function for, by address, with the
    /// function's index: there may be lines all the same, as in assembly.
    private(set) var gaps: [(range: Range<UInt64>, owner: Int)] = []

    /// The names have more bytes than are written out of such a file; functions beyond the limit are not
    /// listed.
    private(set) var hasTooManyNames = false

    /// The symbol or function to which an address belongs.
    private enum Owner: Equatable {
        case symbol(address: UInt64, position: UInt64, path: String)
        case linked(address: UInt64, name: String)
        case debugInformation(unit: Int, function: Int)
    }

    init(_ object: ObjectFile, _ pieces: [FunctionPieces.Piece]) {
        var bounds = FunctionBounds(object)
        bounds.add(pieces.map(\.range))
        let intervals = bounds.intervals()
        let names = SymbolNames(object, wanted: intervals.map { LinkAddress($0.lowerBound) })
        var linked = LinkedNames(object)
        var next = 0
        var nameBytes = 0
        var current: Owner?
        for (index, interval) in intervals.enumerated() {
            while next < pieces.count, pieces[next].range.upperBound <= interval.lowerBound { next += 1 }
            let piece = next < pieces.count && pieces[next].range.contains(interval.lowerBound) ? pieces[next] : nil
            let (owner, start, name) = Self.owner(names[index], &linked, LinkAddress(interval.lowerBound), object, piece)
            guard let owner else {
                current = nil
                continue
            }
            if owner == current, functions.last?.range.upperBound == interval.lowerBound {
                functions[functions.count - 1].range = functions[functions.count - 1].range.lowerBound..<interval.upperBound
            } else {
                // Offsets count from a function's beginning. A part that continues after another
                // function has lost its own beginning. A name alone with a wrong offset is worse
                // than none.
                guard piece != nil || start == interval.lowerBound else {
                    current = nil
                    continue
                }
                // Symbols of a small file may share one long name, or each be an end of it.
                nameBytes += name?.utf8.count ?? 0
                hasTooManyNames = nameBytes > object.limits.namesToWrite(fromFileOf: object.file.size)
                if hasTooManyNames { return }
                if piece != nil, case .found(let found) = names[index], !found.rivals.isEmpty { shared[functions.count] = found }
                functions.append(Function(range: interval, name: name))
                current = owner
            }
            add(piece, interval)
        }
    }

    private static func owner(
        _ found: SymbolNames.Result, _ linked: inout LinkedNames, _ address: LinkAddress, _ object: ObjectFile,
        _ piece: FunctionPieces.Piece?
    ) -> (Owner?, start: UInt64, name: String?) {
        let linkedName = linked.name(at: address, inPlaceOf: found)
        if case .found(let found) = found, linkedName == nil {
            let symbol = found.symbol
            let owner = Owner.symbol(address: symbol.address.value, position: symbol.name.position.value, path: found.object.path)
            return (owner, symbol.address.value, found.name)
        }
        if let piece { return (.debugInformation(unit: piece.unit, function: piece.function), piece.range.lowerBound, nil) }
        guard let name = linkedName else { return (nil, 0, nil) }
        return (.linked(address: name.address.value, name: name.name), name.address.value, object.sourceName(name.name))
    }

    private mutating func add(_ piece: FunctionPieces.Piece?, _ interval: Range<UInt64>) {
        let owner = functions.count - 1
        guard let piece else {
            if let last = gaps.last, last.owner == owner, last.range.upperBound == interval.lowerBound {
                gaps[gaps.count - 1].range = last.range.lowerBound..<interval.upperBound
            } else {
                gaps.append((interval, owner))
            }
            return
        }
        let part = Part(range: interval, owner: owner, number: piece.function)
        if !parts[piece.unit, default: []].join(part) {
            parts[piece.unit, default: []].append(part)
            functions[owner].parts += 1
        }
    }
}

extension [FunctionLayout.Part] {
    /// Makes the last part longer, if another one continues it.
    /// - Returns: whether it does.
    fileprivate mutating func join(_ part: FunctionLayout.Part) -> Bool {
        guard let last, last.owner == part.owner, last.number == part.number, last.range.upperBound == part.range.lowerBound else {
            return false
        }
        self[count - 1].range = last.range.lowerBound..<part.range.upperBound
        return true
    }
}

/// The addresses at which the result for a name may change.
private struct FunctionBounds {
    private let sections: [Range<UInt64>]
    private var bounds: Set<UInt64> = []

    init(_ object: ObjectFile) {
        sections = object.description.sections.compactMap { section in
            guard section.isLoaded, section.isExecutable, section.size > 0, let end = section.address.advanced(by: section.size) else {
                return nil
            }
            return section.address.value..<end.value
        }
        add(sections)
        var needsExtents = !object.description.functionStarts.isEmpty
        addSymbols(of: object, &needsExtents)
        if !object.hasFullSymbolTable, let packed = (try? object.miniDebugInformation()) ?? nil { addSymbols(of: packed, &needsExtents) }
        let exports = (try? object.exports()) ?? []
        for name in exports { bounds.insert(name.address.value) }
        add(object.stubRanges)
        guard needsExtents || !exports.isEmpty else { return }
        for start in object.description.functionStarts { bounds.insert(start.value) }
        if let frames = object.functionRanges { add(frames.allRanges().map { $0.lowerBound.value..<$0.upperBound.value }) }
    }

    mutating func add(_ ranges: [Range<UInt64>]) {
        for range in ranges {
            bounds.insert(range.lowerBound)
            bounds.insert(range.upperBound)
        }
    }

    /// A symbol without a size reaches as far as the file bounds functions.
    private mutating func addSymbols(of object: ObjectFile, _ needsExtents: inout Bool) {
        try? object.forEachSymbol { symbol in
            guard symbol.kind != .file else { return true }
            bounds.insert(symbol.address.value)
            if symbol.size == 0 {
                needsExtents = true
            } else if let end = symbol.address.advanced(by: symbol.size) {
                bounds.insert(end.value)
            }
            return true
        }
    }

    /// The code between two bounds each, by address.
    func intervals() -> [Range<UInt64>] {
        let sorted = bounds.sorted()
        let code = NestedRanges.pieces(of: sections)
        var intervals: [Range<UInt64>] = []
        var next = 0
        for (start, end) in zip(sorted, sorted.dropFirst()) {
            while next < code.count, code[next].range.upperBound <= start { next += 1 }
            if next < code.count, code[next].range.contains(start) { intervals.append(start..<end) }
        }
        return intervals
    }
}
