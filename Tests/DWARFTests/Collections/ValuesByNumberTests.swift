import Testing

@testable import DWARF

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
