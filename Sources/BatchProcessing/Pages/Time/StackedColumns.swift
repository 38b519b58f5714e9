/// Counts of several kinds side by side as columns, one kind on top of the other. The drawing is 10
/// units wide for each column and 1,000 units high, and stretched to the space that it has.
struct StackedColumns: Sendable, Hashable {
    struct Part: Sendable, Hashable {
        /// Which kind it is of.
        var series: Int
        var y: Int
        var height: Int
    }

    struct Bar: Sendable, Hashable {
        var index: Int
        var x: Int
        /// The lowest first.
        var parts: [Part]
    }

    static let height = 1000

    let width: Int
    /// Counts of zero have no bar.
    let bars: [Bar]
    /// The count at the top of the axis.
    let top: Int

    /// - Parameter series: The counts of each kind, one for each column.
    init(_ series: [[Int]]) {
        let columns = series.map(\.count).max() ?? 0
        let totals = (0..<columns).map { column in series.reduce(0) { $0 + ($1.indices.contains(column) ? $1[column] : 0) } }
        let top = Self.roundUp(totals.max() ?? 0)
        self.top = top
        width = max(1, columns) * 10
        bars = totals.indices.filter { totals[$0] > 0 }.map { column in
            var heights = series.map { $0.indices.contains(column) ? Self.height($0[column], of: top) : 0 }
            // Small parts are raised to be visible. The largest part gives up the excess.
            let excess = heights.reduce(0, +) - Self.height
            if excess > 0, let largest = heights.indices.max(by: { heights[$0] < heights[$1] }) {
                heights[largest] = max(0, heights[largest] - excess)
            }
            var y = Self.height
            var parts: [Part] = []
            for (number, height) in heights.enumerated() where height > 0 {
                y -= height
                parts.append(Part(series: number, y: y, height: height))
            }
            return Bar(index: column, x: column * 10, parts: parts)
        }
    }

    /// One of ten thousand is still to be seen.
    private static func height(_ count: Int, of top: Int) -> Int { count > 0 ? max(8, count * height / top) : 0 }

    /// The next of 2, 4, 6, 8, 10, 20, 30, 40, 50, 60, 80, 100, 200, …: half of it is a whole
    /// number, too.
    static func roundUp(_ count: Int) -> Int {
        var unit = 1
        while unit < count / 10 + (count % 10 > 0 ? 1 : 0), unit < Int.max / 100 { unit *= 10 }
        return (unit == 1 ? [2, 4, 6, 8, 10] : [2, 3, 4, 5, 6, 8, 10]).map { $0 * unit }.first { $0 >= count } ?? max(2, count)
    }
}
