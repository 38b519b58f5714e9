import Testing

@testable import DWARFInspection

/// The sums of `--statistics`: variables by the covered part of their scope, sums that stay at
/// their most, sets of numbers.
struct CoverageTests {
    /// LLVM's buckets: none, more than none and below a tenth, a tenth and below two tenths, …,
    /// all.
    @Test(
        arguments: [
            (0, 100, 0), (0, 0, 0), (1, 100, 1), (9, 100, 1), (10, 100, 2), (19, 100, 2), (50, 100, 6), (99, 100, 10), (100, 100, 11),
            (101, 100, 11),
            (1, 1_000_000, 1), (999_999, 1_000_000, 10), (3, 3, 11), (1, 0, 11), (1 << 62, 1 << 63, 6),
        ] as [(UInt64, UInt64, Int)])
    func `a variable counts in one of twelve parts`(covered: UInt64, scope: UInt64, part: Int) {
        var coverage = Coverage()
        coverage.add(covered: covered, of: scope)
        #expect(coverage.counts.firstIndex(of: 1) == part && coverage.counts.reduce(0, +) == 1 && coverage.counts.count == 12)
    }

    @Test(
        arguments: [
            ([1, 2, 3], 6), ([.max - 1, 1], .max), ([.max, 5], .max), ([1 << 63, 1 << 63, 1], .max), ([], 0), ([.max - 2, 1], .max - 1),
        ] as [([UInt64], UInt64)])
    func `a sum that is too large stays at the most`(numbers: [UInt64], total: UInt64) {
        var sum = SaturatingSum()
        for number in numbers { sum += number }
        #expect(sum.value == total)
    }

    /// Beside Swift's own set, over the doublings of the table: multiples of a power of two,
    /// neighbours, zero, the largest.
    @Test func `a set of numbers holds each once`() {
        let numbers = (0..<5000 as Range<UInt64>).flatMap { [$0 << 32, $0, .max - $0 * 3] }
        var (set, reference) = (NumberSet(), Set<UInt64>())
        for number in numbers + numbers.reversed() {
            let isNew = reference.insert(number).inserted
            #expect(set.has(number) != isNew)
            #expect(set.insert(number) == isNew)
        }
        #expect(set.count == reference.count && set.all.sorted() == reference.sorted() && !set.has(1 << 60))
    }
}
