import BinaryPrimitives
import Testing

/// The search by shares, against going through all addresses.
struct SortedAddressesTests {
    static let lists: [[UInt64]] = [
        [], [7], [0, .max], [5, 5, 5, 9], Array(stride(from: 100, to: 100_000, by: 37)), [0x1000, 0x1001, 0xffff_ffff_8100_0000, .max - 1],
    ]

    @Test(arguments: lists) func `the first address that is not below another is found`(values: [UInt64]) {
        let sorted = SortedAddresses(values)
        let near = values.flatMap { [$0, $0 &- 1, $0 &+ 1] }
        // Beyond half of all numbers: a distance that does not fit an `Int`.
        for value in near + [0, 1, 1 << 63, (1 << 63) + 6, .max - 1, .max] {
            #expect(sorted.firstIndex(notBelow: value) == values.firstIndex { $0 >= value } ?? values.count, "\(value)")
        }
    }
}

struct PartitionPointTests {
    /// As a search from the front finds it, in arrays of every size with every value repeated.
    @Test(arguments: 0...9) func `the first element from which on a condition holds`(count: Int) {
        let numbers = (0..<count).map { $0 / 2 }
        for value in -1...5 {
            #expect(numbers.partitionPoint { $0 >= value } == numbers.firstIndex { $0 >= value } ?? count)
        }
    }
}
