import BinaryPrimitives
import Testing

struct PartitionPointTests {
    /// As a search from the front finds it, in arrays of every size with every value repeated.
    @Test(arguments: 0...9) func `the first element from which on a condition holds`(count: Int) {
        let numbers = (0..<count).map { $0 / 2 }
        for value in -1...5 {
            #expect(numbers.partitionPoint { $0 >= value } == numbers.firstIndex { $0 >= value } ?? count)
        }
    }
}
