/// Elements of which the least is wanted next.
struct BinaryHeap<Element: Comparable> {
    /// Min-heap: no element is less than its parent at index / 2, counted from 1.
    private var elements: [Element] = []

    init() {}

    var isEmpty: Bool { elements.isEmpty }
    /// The least; `nil` if there is none.
    var first: Element? { elements.first }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[child] < elements[parent] else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes the least, if there is any.
    mutating func removeFirst() {
        guard let last = elements.popLast(), !elements.isEmpty else { return }
        elements[0] = last
        var parent = 0
        while true {
            var least = 2 * parent + 1
            guard least < elements.count else { return }
            if least + 1 < elements.count, elements[least + 1] < elements[least] { least += 1 }
            guard elements[least] < elements[parent] else { return }
            elements.swapAt(least, parent)
            parent = least
        }
    }
}
