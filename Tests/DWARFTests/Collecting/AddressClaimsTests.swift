import Testing

@testable import DWARF

/// Which of several claims on an address is the strongest.
struct AddressClaimsTests {
    private typealias Piece = AddressClaims.Piece

    @Test func `the least rank has an address, and the others what it leaves`() {
        var claims = AddressClaims()
        claims.add(10..<50, rank: 2, owner: 0)
        claims.add(20..<30, rank: 1, owner: 1)
        claims.add(40..<60, rank: 3, owner: 2)
        let expected = [
            Piece(start: 10, end: 20, owner: 0), Piece(start: 20, end: 30, owner: 1), Piece(start: 30, end: 50, owner: 0),
            Piece(start: 50, end: 60, owner: 2),
        ]
        #expect(claims.resolved() == expected)
    }

    @Test func `neighbours of one owner are joined, gaps stay, and empty ranges claim nothing`() {
        var claims = AddressClaims()
        claims.add(10..<20, rank: 1, owner: 7)
        claims.add(20..<30, rank: 5, owner: 7)
        claims.add(40..<50, rank: 1, owner: 7)
        claims.add(35..<35, rank: 0, owner: 8)
        #expect(claims.resolved() == [Piece(start: 10, end: 30, owner: 7), Piece(start: 40, end: 50, owner: 7)])
        #expect(AddressClaims().resolved().isEmpty)
    }

    /// The same by looking up every address, for claims over one another in every way that five
    /// ranges of eight addresses have here.
    @Test func `every address has the owner of the strongest claim on it`() {
        for seed in 0..<200 {
            var claims = AddressClaims()
            var made: [(range: Range<UInt64>, rank: UInt64, owner: Int)] = []
            for owner in 0..<5 {
                let (start, length) = (UInt64((seed * 7 + owner * owner * 3) % 13), UInt64((seed / 3 + owner * 5) % 9))
                let rank = UInt64((seed + owner * 11) % 31) * 8 + UInt64(owner)
                made.append((start..<start + length, rank, owner))
                claims.add(start..<start + length, rank: rank, owner: owner)
            }
            let pieces = claims.resolved()
            #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $0.end <= $1.start })
            for address in 0..<24 as Range<UInt64> {
                let strongest = made.filter { $0.range.contains(address) }.min { $0.rank < $1.rank }
                let found = pieces.first { $0.start <= address && address < $0.end }
                #expect(found?.owner == strongest?.owner, "seed \(seed), address \(address)")
            }
        }
    }
}
