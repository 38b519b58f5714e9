internal import BinaryPrimitives
internal import DWARF

/// The function at each address by a file's debug information, also where several functions have code there.
struct FunctionPieces {
    struct Piece: Hashable {
        var range: Range<UInt64>
        /// The unit's offset in `.debug_info`.
        var unit: Int
        /// The function's number in the unit.
        var function: Int
    }

    /// Sorted by address; pieces do not overlap.
    private(set) var pieces: [Piece] = []
    private(set) var problems: [DWARFError] = []

    init(_ enumeration: FunctionEnumeration) {
        var all: [Piece] = []
        problems = enumeration.forEachUnit(.extents, make: { Self.pieces(of: $0) }) { all += $0 }
        pieces = Self.resolved(all, enumeration)
    }

    private static func pieces(of unit: UnitFunctions) -> [Piece] {
        var ranges: [Range<UInt64>] = []
        var owners: [Int] = []
        for (index, function) in unit.functions.enumerated() {
            for range in unit.ranges[function.ranges] {
                ranges.append(range)
                owners.append(index)
            }
        }
        return NestedRanges.pieces(of: ranges).map { Piece(range: $0.range, unit: unit.offset, function: owners[$0.index]) }
    }

    /// Resolves overlaps of functions of several units (the linker folded code, or kept one copy of it): the
    /// function in which lookups search is kept.
    private static func resolved(_ all: [Piece], _ enumeration: FunctionEnumeration) -> [Piece] {
        let sorted = all.sorted { ($0.range.lowerBound, $0.unit) < ($1.range.lowerBound, $1.unit) }
        var result: [Piece] = []
        result.reserveCapacity(sorted.count)
        var contested: [[Piece]] = []
        var next = 0
        while next < sorted.count {
            var end = sorted[next].range.upperBound
            var last = next + 1
            while last < sorted.count, sorted[last].range.lowerBound < end {
                end = max(end, sorted[last].range.upperBound)
                last += 1
            }
            if last == next + 1 { result.append(sorted[next]) } else { contested.append(Array(sorted[next..<last])) }
            next = last
        }
        guard !contested.isEmpty else { return result }
        let parts = contested.flatMap(elements)
        let owners = enumeration.units(covering: parts.map(\.range.lowerBound))
        for (part, owner) in zip(parts, owners) {
            guard let piece = part.candidates.first(where: { $0.unit == owner }) ?? part.candidates.first else { continue }
            let clipped = Piece(range: part.range, unit: piece.unit, function: piece.function)
            if let before = result.last, before.range.upperBound == part.range.lowerBound, before.unit == piece.unit,
                before.function == piece.function
            {
                result[result.count - 1].range = before.range.lowerBound..<part.range.upperBound
            } else {
                result.append(clipped)
            }
        }
        return result.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private struct Element {
        var range: Range<UInt64>
        var candidates: [Piece]
    }

    /// The parts of ranges over one another, each with the pieces that cover it.
    private static func elements(_ pieces: [Piece]) -> [Element] {
        let bounds = Set(pieces.flatMap { [$0.range.lowerBound, $0.range.upperBound] }).sorted()
        var elements: [Element] = []
        var open: [Piece] = []
        var next = 0
        for (start, end) in zip(bounds, bounds.dropFirst()) {
            open.removeAll { $0.range.upperBound <= start }
            while next < pieces.count, pieces[next].range.lowerBound <= start {
                open.append(pieces[next])
                next += 1
            }
            if !open.isEmpty { elements.append(Element(range: start..<end, candidates: open)) }
        }
        return elements
    }
}
