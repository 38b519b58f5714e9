import Testing

@testable import DWARF

struct BinaryHeapTests {
    @Test func `the least element comes first, whatever the order they came in`() {
        for count in 0..<40 {
            var heap = BinaryHeap<Int>()
            // 17 has no factor in common with 41, so that each number below 41 comes once.
            let numbers = (0..<count).map { $0 * 17 % 41 }
            for number in numbers { heap.insert(number) }
            var sorted: [Int] = []
            while let first = heap.first {
                sorted.append(first)
                heap.removeFirst()
            }
            #expect(sorted == numbers.sorted())
            #expect(heap.isEmpty)
        }
    }

    @Test func `equal elements stay apart, and inserting goes on between removals`() {
        var heap = BinaryHeap<Int>()
        heap.removeFirst()
        for number in [5, 3, 5, 1] { heap.insert(number) }
        heap.removeFirst()
        heap.insert(2)
        var taken: [Int] = []
        while let first = heap.first {
            taken.append(first)
            heap.removeFirst()
        }
        #expect(taken == [2, 3, 5, 5])
    }
}

/// Few numbers are searched one by one, many by a dictionary. The results must not show which.
struct ValuesByNumberTests {
    @Test(arguments: [0, 1, 31, 32, 33, 34, 1000]) func `what was kept is found, and nothing else`(count: Int) {
        var values = ValuesByNumber<String?>()
        // Neither ascending nor close together; every third has a value that is none.
        func key(_ index: Int) -> Int { index * 7919 % 10_007 }
        for index in 0..<count { values.keep(index % 3 == 0 ? nil : "\(index)", for: key(index)) }
        for index in 0..<count { #expect(values[key(index)] == .some(index % 3 == 0 ? nil : "\(index)")) }
        for index in count..<count + 100 { #expect(values[key(index)] == .none) }
    }
}
