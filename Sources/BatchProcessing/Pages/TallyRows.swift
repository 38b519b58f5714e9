/// A table of how many reports have each value, and the list that its counts link to.
struct TallyRows {
    /// What the values are.
    enum Kind: CaseIterable {
        case version, system, device, message

        var order: ReportOrder {
            switch self {
            case .version: .version
            case .system: .system
            case .device: .device
            case .message: .message
            }
        }

        /// In the names of pages.
        var name: String {
            switch self {
            case .version: "version"
            case .system: "system"
            case .device: "device"
            case .message: "message"
            }
        }

        var title: String { name.prefix(1).uppercased() + name.dropFirst() }
    }

    let kind: Kind
    let tallies: [Tally]
    let total: Int

    /// The key of a value's section.
    static func key(_ value: String?) -> String { value.map { "v" + $0 } ?? "untold" }

    func title(_ value: String?) -> String { value ?? "\(kind.title) unknown" }

    /// There is nothing to divide: all reports are of one value.
    var isOne: Bool { tallies.count <= 1 && tallies.reduce(0) { $0 + $1.count } == total }

    var keys: Set<String> { Set(tallies.map { Self.key($0.value) }) }

    /// - Parameter places: where the sections begin, in the report.
    func values(_ places: [String: String], otherwise: String, root: String, caption: String) -> [String: Any] {
        let largest = max(1, tallies.map(\.count).max() ?? 1)
        var rows: [[String: Any]] = tallies.map { tally in
            [
                "value": PageText.short(title(tally.value), 100), "href": root + (places[Self.key(tally.value)] ?? otherwise),
                "count": PageText.number(tally.count), "share": PageText.share(tally.count, of: total),
                "width": max(1, tally.count * 100 / largest),
            ]
        }
        let others = total - tallies.reduce(0) { $0 + $1.count }
        if others > 0 {
            rows.append([
                "value": "all others", "href": root + otherwise, "count": PageText.number(others),
                "share": PageText.share(others, of: total), "width": max(1, min(100, others * 100 / largest)),
            ])
        }
        return ["caption": caption, "word": kind.title, "rows": rows]
    }
}
