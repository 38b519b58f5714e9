/// Lists of all groups, each in another order, and lists by program, version and system.
struct GroupListPages {
    let writing: PageWriting
    let queries: DatabaseQueries
    /// All groups, those with most reports first.
    let rows: [GroupRow]
    /// Reports of the whole store.
    let reports: Int
    let breakdown: Breakdown

    /// An order of the groups.
    private enum Order: String, CaseIterable {
        case all, last, new

        var text: String {
            switch self {
            case .all: "most reports"
            case .last: "last seen"
            case .new: "newest first"
            }
        }

        func sorted(_ rows: [GroupRow]) -> [GroupRow] {
            func latest(_ instant: (GroupSummary) -> Int64?) -> [GroupRow] {
                rows.enumerated().sorted { left, right in
                    let (one, other) = (instant(left.element.summary) ?? .min, instant(right.element.summary) ?? .min)
                    return one != other ? one > other : left.offset < right.offset
                }.map(\.element)
            }
            switch self {
            case .all: return rows
            case .last: return latest(\.last)
            case .new: return latest(\.first)
            }
        }
    }

    /// Values of a list by value, and groups of each.
    private static let values = 30
    private static let groups = 100

    /// The largest first.
    static let first = ListPages.first("all", .groups)

    private func isDivided(_ column: ValueColumn) -> Bool {
        let tallies =
            switch column {
            case .process: breakdown.processes
            case .version: breakdown.versions
            case .system: breakdown.systems
            }
        return tallies.count { $0.value != nil } > 1
    }

    /// The ways to the lists.
    /// - Parameter here: the list that they are shown in.
    func sorting(root: String, here: String) -> [String: Any] {
        guard rows.count > 1 else { return ["hasSorting": false] }
        var links: [[String: Any]] = []
        func add(_ name: String, _ text: String) {
            links.append(name == here ? ["text": text] : ["text": text, "href": root + ListPages.first(name, .groups)])
        }
        for order in Order.allCases { add(order.rawValue, order.text) }
        for column in ValueColumn.allCases where isDivided(column) { add(column.rawValue, "by \(Self.word(column))") }
        return ["hasSorting": true, "sorting": links]
    }

    private static func word(_ column: ValueColumn) -> String { column == .process ? "program" : column.rawValue }

    /// - Returns: Links to the lists of groups, by column and value.
    func write() throws -> [ValueColumn: [String: String]] {
        for order in Order.allCases where rows.count > 1 || order == .all {
            var list = list(order.rawValue, "All groups, \(order.text)", total: rows.count)
            for (index, row) in order.sorted(rows).enumerated() {
                try list.add(markup(row.values(rank: index + 1, of: reports, root: "../", now: writing.now)))
            }
            try list.finish()
        }
        var links: [ValueColumn: [String: String]] = [:]
        let known = Dictionary(rows.map { ($0.summary.id, $0) }) { first, _ in first }
        for column in ValueColumn.allCases where isDivided(column) && rows.count > 1 {
            let found = try queries.groups(by: column, values: Self.values, groups: Self.groups)
            let total = found.reduce(0) { $0 + $1.shares.count }
            var list = list(column.rawValue, "Groups by \(Self.word(column))", total: total, wanted: Set(found.map(\.value)))
            for value in found {
                let title = column == .version ? ProgramVersion.text(value.value) : value.value
                let all = value.shares.reduce(0) { $0 + $1.reports }
                for (index, share) in value.shares.enumerated() {
                    guard let row = known[share.group] else { continue }
                    var values = row.values(rank: index + 1, count: share.reports, of: all, root: "../", now: writing.now)
                    values["reports"] = "../" + CrashPages.page(ofGroup: share.group) + "#where"
                    try list.add(
                        markup(values), section: (value.value, title.isEmpty ? "(no name)" : title))
                }
            }
            try list.finish()
            links[column] = list.links
        }
        return links
    }

    private func markup(_ values: [String: Any]) -> String { writing.templates.part("groupRow", values) }

    private func list(_ name: String, _ heading: String, total: Int, wanted: Set<String> = []) -> ListPages {
        ListPages(
            writing, name: name, heading: heading, kind: .groups, trail: CrashPages.trail(writing), total: total, wanted: wanted,
            common: sorting(root: "../", here: name))
    }
}
