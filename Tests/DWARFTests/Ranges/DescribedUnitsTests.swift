import Testing

@testable import DWARF

struct DescribedUnitsTests {
    @Test(arguments: [[], [5], [0, 16, 300], [300, 0, 16], [16, 16, 0, 0]] as [[Int]])
    func `a unit is described if it was added, in whatever order and however often`(units: [Int]) {
        var described = DescribedUnits()
        for unit in units { described.add(unit) }
        described.sort()
        for unit in -1...301 { #expect(described.contains(unit) == units.contains(unit), "\(unit)") }
    }
}
