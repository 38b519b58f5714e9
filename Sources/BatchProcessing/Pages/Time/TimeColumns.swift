/// A chart of counts over time, each column with a link to its reports.
struct TimeColumns {
    let series: TimeSeries
    /// Link to the list of each piece's reports, relative to the report.
    private let links: [Int: String]

    init(_ series: TimeSeries, links: [Int: String]) {
        self.series = series
        self.links = links
    }

    /// The drawing's values.
    /// - Parameters:
    ///   - largest: The count that is as high as the drawing (default: the largest count).
    ///   - otherwise: Link for columns without a link of their own.
    func drawing(size: String, largest: Int? = nil, root: String, otherwise: String) -> [String: Any] {
        let columns = CountColumns(series.counts, largest: largest)
        let bars: [[String: Any]] = columns.bars.map { bar in
            [
                "href": root + (links[bar.index] ?? otherwise), "x": bar.x, "y": bar.y, "height": bar.height,
                "title": "\(label(bar.index)): \(PageText.count(series.counts[bar.index], "report"))",
            ]
        }
        return ["size": size, "width": columns.width, "bars": bars]
    }

    func label(_ index: Int) -> String { series.scale.label(series.first + index) }

    func href(_ index: Int, root: String, otherwise: String) -> String { root + (links[index] ?? otherwise) }

    /// The key of a piece's reports in a list.
    static func key(_ piece: Int) -> String { "p\(piece)" }

    /// The keys of the pieces with reports, by their indices in the series.
    static func keys(_ series: TimeSeries) -> [Int: String] {
        var keys: [Int: String] = [:]
        for index in series.counts.indices where series.counts[index] > 0 { keys[index] = key(series.first + index) }
        return keys
    }

    static let withoutTimestamp = "untold"

    /// Keys of the sections of a list that are not pieces of the series.
    static let otherKeys: Set = [TimeChart.Section.earlier, TimeChart.Section.later, withoutTimestamp]

    /// The section of a list by time that a report is in.
    /// - Parameter instant: The report's time; `nil` if it has none.
    static func section(of instant: Int64?, in series: TimeSeries?) -> (key: String, title: String) {
        guard let series, let instant else { return (withoutTimestamp, "No timestamp") }
        let piece = series.scale.piece(of: instant)
        switch series.side(of: piece) {
        case ..<0: return (TimeChart.Section.earlier, "Earlier, and not in the chart")
        case 0: return (key(piece), series.scale.label(piece))
        default: return (TimeChart.Section.later, "Later, and not in the chart")
        }
    }
}

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
