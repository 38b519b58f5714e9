/// Counts side by side as columns. The drawing is 10 units wide for each and 100 units high, and
/// stretched to the space that it has.
struct CountColumns: Sendable, Hashable {
    struct Bar: Sendable, Hashable {
        /// Which count it is of.
        var index: Int
        var x: Int
        var y: Int
        var height: Int
    }

    let width: Int
    /// Counts of zero have no bar.
    let bars: [Bar]

    /// - Parameter largest: The count that is as high as the drawing (default: the largest count).
    init(_ counts: [Int], largest: Int? = nil) {
        let largest = max(1, largest ?? counts.max() ?? 1)
        width = max(1, counts.count) * 10
        bars = counts.indices.filter { counts[$0] > 0 }.map { index in
            // One of ten thousand is still to be seen.
            let height = max(4, min(100, counts[index] * 100 / largest))
            return Bar(index: index, x: index * 10, y: 100 - height, height: height)
        }
    }
}
