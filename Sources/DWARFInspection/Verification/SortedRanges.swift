internal import BinaryPrimitives

/// Address ranges in their order that do not overlap, each with whose it is. In pieces, so that one
/// in front of all others costs little: gcc writes the last function first.
struct SortedRanges {
    struct Item {
        var bounds: RangeLists.Bounds
        /// A number of whoever keeps the ranges.
        var owner: Int
    }

    private var pieces: [[Item]] = []
    private static let pieceLength = 512

    var isEmpty: Bool { pieces.isEmpty }
    var all: some Sequence<Item> { pieces.lazy.joined() }

    private static func precedes(_ left: RangeLists.Bounds, _ right: RangeLists.Bounds) -> Bool {
        left.low != right.low ? left.low < right.low : left.high < right.high
    }

    /// Ranges of no bytes overlap with none.
    static func overlap(_ left: RangeLists.Bounds, _ right: RangeLists.Bounds) -> Bool {
        left.low != left.high && right.low != right.high && left.low < right.high && right.low < left.high
    }

    /// The first place whose range is not before this one.
    private func place(of bounds: RangeLists.Bounds) -> (piece: Int, index: Int) {
        let low = pieces.partitionPoint { piece in piece.last.map { !Self.precedes($0.bounds, bounds) } ?? true }
        guard low < pieces.count else { return (low, 0) }
        let first = (0..<pieces[low].count).partitionPoint { !Self.precedes(pieces[low][$0].bounds, bounds) }
        return (low, first)
    }

    private func before(_ place: (piece: Int, index: Int)) -> (piece: Int, index: Int)? {
        if place.index > 0 { return (place.piece, place.index - 1) }
        return place.piece > 0 ? (place.piece - 1, pieces[place.piece - 1].count - 1) : nil
    }

    /// Adds a range. Where it overlaps with one of those beside its place, the two become one.
    /// - Returns: the range that it overlapped with, as it was.
    mutating func insert(_ bounds: RangeLists.Bounds, owner: Int) -> RangeLists.Bounds? {
        let place = place(of: bounds)
        let beside = [place.piece < pieces.count ? place : nil, before(place)]
        for case let (piece, index)? in beside {
            let other = pieces[piece][index].bounds
            guard Self.overlap(other, bounds) else { continue }
            pieces[piece][index].bounds = RangeLists.Bounds(low: min(other.low, bounds.low), high: max(other.high, bounds.high))
            return other
        }
        let item = Item(bounds: bounds, owner: owner)
        if place.piece == pieces.count {
            // After all.
            if let last = pieces.indices.last, pieces[last].count < Self.pieceLength {
                pieces[last].append(item)
            } else {
                pieces.append([item])
            }
            return nil
        }
        pieces[place.piece].insert(item, at: place.index)
        if pieces[place.piece].count > Self.pieceLength {
            let half = Array(pieces[place.piece].suffix(Self.pieceLength / 2))
            pieces[place.piece].removeLast(half.count)
            pieces.insert(half, at: place.piece + 1)
        }
        return nil
    }

    /// The owners of ranges that overlap with one, at most so many.
    func owners(overlapping bounds: RangeLists.Bounds, most: Int) -> [Int] {
        guard bounds.low != bounds.high else { return [] }
        var place = place(of: RangeLists.Bounds(low: bounds.low, high: 0))
        // Those before do not overlap with each other, so the last of them with any bytes is
        // enough.
        var found: [Int] = []
        var previous = before(place)
        while let (piece, index) = previous {
            let item = pieces[piece][index]
            if Self.overlap(item.bounds, bounds) { found.append(item.owner) }
            if item.bounds.low != item.bounds.high { break }
            previous = before((piece, index))
        }
        while place.piece < pieces.count, found.count < most {
            if place.index == pieces[place.piece].count {
                place = (place.piece + 1, 0)
                continue
            }
            let item = pieces[place.piece][place.index]
            if item.bounds.low >= bounds.high { break }
            if Self.overlap(item.bounds, bounds) { found.append(item.owner) }
            place.index += 1
        }
        return found
    }
}
