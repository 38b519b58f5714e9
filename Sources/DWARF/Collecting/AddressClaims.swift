/// Addresses that several claim, and which of them has each: the one with the least rank.
package struct AddressClaims: Sendable {
    /// Addresses of one owner.
    package struct Piece: Sendable, Hashable {
        package var start: UInt64
        package var end: UInt64
        package var owner: Int
    }

    private struct Claim {
        var start: UInt64
        var end: UInt64
        /// Less is stronger. Of equal ones the first that was made.
        var rank: UInt64
        var owner: Int
    }

    private var claims: [Claim] = []

    package init() {}

    package mutating func add(_ range: Range<UInt64>, rank: UInt64, owner: Int) {
        if !range.isEmpty { claims.append(Claim(start: range.lowerBound, end: range.upperBound, rank: rank, owner: owner)) }
    }

    /// The addresses by their owners: ascending, none over another, neighbours of one owner joined.
    package consuming func resolved() -> [Piece] {
        var claims = claims
        claims.sort { ($0.start, $0.rank) < ($1.start, $1.rank) }
        var result: [Piece] = []
        /// What begins at or before the position, by rank (a binary heap of indices into `claims`).
        var heap = RankHeap()
        var next = 0
        var position: UInt64 = 0
        while next < claims.count || !heap.isEmpty {
            if heap.isEmpty { position = max(position, claims[next].start) }
            while next < claims.count, claims[next].start <= position {
                heap.insert(rank: claims[next].rank, index: next)
                next += 1
            }
            guard let first = heap.first else { continue }
            guard claims[first].end > position else {
                heap.removeFirst()
                continue
            }
            var end = claims[first].end
            if next < claims.count { end = min(end, claims[next].start) }
            if let last = result.last, last.end == position, last.owner == claims[first].owner {
                result[result.count - 1].end = end
            } else {
                result.append(Piece(start: position, end: end, owner: claims[first].owner))
            }
            position = end
        }
        return result
    }
}

private struct RankHeap {
    private var entries: [(rank: UInt64, index: Int)] = []

    var isEmpty: Bool { entries.isEmpty }
    var first: Int? { entries.first?.index }

    mutating func insert(rank: UInt64, index: Int) {
        entries.append((rank, index))
        var child = entries.count - 1
        while child > 0, entries[child] < entries[(child - 1) / 2] {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeFirst() {
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count && entries[child] < entries[least] { least = child }
            if least == parent { return }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
