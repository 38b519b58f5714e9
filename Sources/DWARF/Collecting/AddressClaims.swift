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

    /// A claim on the addresses from a position on.
    private struct Candidate: Comparable {
        var rank: UInt64
        /// Index into `claims` sorted by start.
        var claim: Int

        static func < (left: Candidate, right: Candidate) -> Bool { (left.rank, left.claim) < (right.rank, right.claim) }
    }

    private var claims: [Claim] = []

    package init() {}

    package mutating func add(_ range: Range<UInt64>, rank: UInt64, owner: Int) {
        if !range.isEmpty { claims.append(Claim(start: range.lowerBound, end: range.upperBound, rank: rank, owner: owner)) }
    }

    package mutating func removeAll(rank: UInt64) { claims.removeAll { $0.rank == rank } }

    /// The addresses by their owners: ascending, none over another, neighbours of one owner joined.
    package func resolved() -> [Piece] {
        var claims = claims
        claims.sort { ($0.start, $0.rank) < ($1.start, $1.rank) }
        var result: [Piece] = []
        /// Claims that begin at or before the position.
        var heap = BinaryHeap<Candidate>()
        var next = 0
        var position: UInt64 = 0
        while next < claims.count || !heap.isEmpty {
            if heap.isEmpty { position = max(position, claims[next].start) }
            while next < claims.count, claims[next].start <= position {
                heap.insert(Candidate(rank: claims[next].rank, claim: next))
                next += 1
            }
            guard let first = heap.first?.claim else { continue }
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
