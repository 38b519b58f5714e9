import BinaryPrimitives
import Testing

@testable import DWARFInspection

/// How often lists that entries share are read when debug information is dumped
/// (`Limits.listReading`).
struct ListAllowanceTests {
    /// A section of 64 KB or more has a multiple of its bytes; a smaller one counts as if it had 64 KB.
    @Test(arguments: [(1, 65_536), (65_536, 65_536), (65_537, 65_537)])
    func `lists are read so many times the bytes of their section`(size: Int, counted: Int) {
        let most = counted * Limits.standard.listReading
        var said = 0
        let allowance = ListAllowance(size, factor: Limits.standard.listReading) { said += 1 }
        allowance.spend(most - 1)
        #expect(allowance.isLeft && said == 0)
        allowance.spend(1)
        #expect(!allowance.isLeft && !allowance.isLeft && said == 1)
    }

    @Test func `no size and no length is too large to count`() {
        let allowance = ListAllowance(.max, factor: 1) {}
        allowance.spend(.max - 1)
        #expect(allowance.isLeft)
        allowance.spend(-1)
        #expect(allowance.isLeft)
        allowance.spend(.max)
        #expect(!allowance.isLeft)
    }
}
