/// A table of how many reports have each value, and the list that its counts link to.
struct TallyRows {
    /// Kind of the values.
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
    /// Unknown values come last.
    let tallies: [Tally]
    let total: Int
    /// The versions are of several programs, which are named with them.
    private let hasPrograms: Bool

    init(kind: Kind, tallies: [Tally], total: Int) {
        self.kind = kind
        self.tallies = tallies.filter { $0.value != nil } + tallies.filter { $0.value == nil }
        self.total = total
        hasPrograms = kind == .version && Set(tallies.compactMap(\.value).map { ProgramVersion.process($0) }).count > 1
    }

    /// The key of a value's section.
    static func key(_ value: String?) -> String { value.map { "v" + $0 } ?? "untold" }

    func title(_ value: String?) -> String {
        guard let value else { return "\(kind.title) unknown" }
        guard kind == .version else { return value }
        if hasPrograms { return ProgramVersion.text(value) }
        return value.firstIndex(of: "\u{1}").map { String(value[value.index(after: $0)...]) } ?? value
    }

    /// There is nothing to divide: all reports are of one value.
    var isOne: Bool { tallies.count <= 1 && tallies.reduce(0) { $0 + $1.count } == total }

    var keys: Set<String> { Set(tallies.map { Self.key($0.value) }) }

    /// - Parameters:
    ///   - links: Links to the sections, by their keys, relative to the report.
    ///   - otherwise: Link for all other values; `nil` if they are not listed.
    func values(_ links: [String: String], otherwise: String?, root: String, caption: String) -> [String: Any] {
        let largest = max(1, tallies.map(\.count).max() ?? 1)
        func row(_ title: String, _ count: Int, _ link: String?) -> [String: Any] {
            var row: [String: Any] = [
                "value": PageText.short(title, 100), "count": PageText.number(count), "share": PageText.share(count, of: total),
                "width": max(1, min(100, count * 100 / largest)),
            ]
            if let link = link ?? otherwise { row["href"] = root + link }
            return row
        }
        var rows = tallies.filter { $0.value != nil }.map { row(title($0.value), $0.count, links[Self.key($0.value)]) }
        let others = total - tallies.reduce(0) { $0 + $1.count }
        if others > 0 { rows.append(row("all others", others, nil)) }
        rows += tallies.filter { $0.value == nil }.map { tally in
            row(title(nil), tally.count, links[Self.key(nil)]).merging(["isUnknown": true]) { $1 }
        }
        var values: [String: Any] = ["caption": caption, "word": kind.title, "rows": rows]
        // A table of one row says no more than the value.
        if isOne, let tally = tallies.first { values["only"] = PageText.short(tally.value == nil ? "unknown" : title(tally.value), 100) }
        return values
    }
}
