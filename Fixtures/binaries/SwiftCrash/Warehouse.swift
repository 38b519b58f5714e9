// What main.swift asks for: a few types whose methods call one another before one of them traps.

struct Shelf {
    var boxes: [Int]

    func box(at index: Int) -> Int {
        boxes[index]  // traps: Index out of range
    }

    func label(of box: Int, in labels: [Int: String]) -> String {
        labels[box]!  // traps: Unexpectedly found nil while unwrapping an Optional value
    }
}

/// Small enough for the optimizer to inline wherever it is called.
@inline(__always)
func doubled(_ value: Int) -> Int {
    value &* 2
}

@inline(__always)
func checkedHalf(_ value: Int) -> Int {
    precondition(value % 2 == 0, "odd number of boxes")
    return value / 2
}

final class Warehouse {
    private let shelves: [Shelf]
    private let labels = [7: "screws", 9: "nails"]

    init(shelves: [Shelf]) {
        self.shelves = shelves
    }

    @inline(never)
    func count(shelf: Int, upTo last: Int) -> Int {
        var sum = 0
        for index in 0...last {
            sum += shelves[shelf].box(at: index)
        }
        return sum
    }

    @inline(never)
    func describe(box: Int) -> String {
        shelves[0].label(of: box, in: labels)
    }

    @inline(never)
    func split(_ boxes: Int) -> Int {
        doubled(checkedHalf(doubled(boxes) + 1))
    }
}
