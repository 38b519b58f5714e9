/// The lists of a group's reports. What divides nothing has no list of its own: it links to the one
/// by time.
struct GroupLists {
    let writing: PageWriting
    let queries: DatabaseQueries
    let id: String
    let summary: GroupSummary
    /// The reports that have a page of their own.
    let pages: Set<Int64>

    private var page: String { CrashPages.name(ofGroup: id) }

    /// All reports are examples on the group's page, so there are no lists of them.
    var isShort: Bool { summary.reports <= GroupPages.examples }

    /// Link to the list of all reports.
    var time: String { isShort ? CrashPages.page(ofGroup: id) + "#examples" : ListPages.first(page + "-time") }

    private var trail: [(text: String, name: String)] { CrashPages.trail(writing) + [(summary.title, CrashPages.page(ofGroup: id))] }

    private func list(_ name: String, _ heading: String, total: Int, wanted: Set<String>) -> ListPages {
        ListPages(writing, name: "\(page)-\(name)", heading: heading, trail: trail, total: total, wanted: wanted)
    }

    private func fill(_ list: inout ListPages, by order: ReportOrder, _ add: (inout ListPages, ListedReport) throws(PageError) -> Void)
        throws
    {
        var problem = FirstProblem()
        try queries.forEachReport(.group(id), by: order, usesFileTimes: writing.usesFileTimes) { report in
            problem.note { () throws(PageError) in try add(&list, report) }
        }
        try problem.rethrow()
        try list.finish()
    }

    private func row(_ report: ListedReport, mark: String? = nil) -> String {
        ListRow.markup(report, hasPage: pages.contains(report.id), mark: mark)
    }

    /// The key of the first report of a piece that the first page counts by.
    static func mark(_ piece: Int) -> String { "m\(piece)" }

    /// - Parameters:
    ///   - own: the group's own pieces of time, which are the list's sections.
    ///   - marks: the first page's, whose first reports are marked.
    func writeTime(_ own: TimeSeries?, marks: TimeSeries?) throws -> [String: String] {
        guard !isShort else { return [:] }
        var wanted = TimeColumns.otherKeys
        if let own { wanted.formUnion(TimeColumns.keys(own).values) }
        if let marks { wanted.formUnion(marks.counts.indices.map { Self.mark(marks.first + $0) }) }
        var list = list("time", "Reports by time", total: summary.reports, wanted: wanted)
        var last: Int?
        try fill(&list, by: .instant) { (list, report) throws(PageError) in
            let time = writing.time(of: report)
            let marked = time.flatMap { marks?.scale.piece(of: $0) }
            let mark = marked == last ? nil : marked.map(Self.mark)
            try list.add(row(report, mark: mark), section: TimeColumns.section(of: time, in: own), mark: mark)
            last = marked
        }
        return list.links
    }

    /// - Returns: Links to the sections of the values, and the link for all other values.
    func write(_ rows: TallyRows) throws -> (links: [String: String], otherwise: String) {
        guard !rows.isOne, !isShort else { return ([:], time) }
        var list = list(rows.kind.name, "Reports by \(rows.kind.name)", total: summary.reports, wanted: rows.keys)
        try fill(&list, by: rows.kind.order) { (list, report) throws(PageError) in
            try list.add(row(report), section: (TallyRows.key(report.section), rows.title(report.section)))
        }
        return (list.links, ListPages.first("\(page)-\(rows.kind.name)"))
    }

    private static func stack(_ rank: Int) -> String { "stack \(rank)" }

    /// Reports by their stacks, in the order of the flame graph, so that each box's are side by
    /// side.
    /// - Returns: Links to the sections of the stacks, by their index in that order.
    func write(_ graph: FlameGraph, _ stacks: [GroupStack], _ stackCount: Int) throws -> [Int: String] {
        // One stack of all reports divides nothing.
        guard !isShort, stackCount > 1 || stacks.first?.reports != summary.reports else { return [:] }
        let ids = graph.order.map { stacks[$0].alike }
        var ranks: [String: Int] = [:]
        for (rank, alike) in ids.enumerated() { for id in alike { ranks[String(id)] = rank } }
        let inner = graph.order.map { StackFunctions.functions(Array(stacks[$0].frames.prefix(8))).first?.label ?? "" }
        var list = list("stacks", "Reports by stack", total: summary.reports, wanted: Set(ids.indices.map(Self.stack)))
        try fill(&list, by: .stacks(ids.flatMap { $0 })) { (list, report) throws(PageError) in
            guard let stack = report.section, let rank = ranks[stack] else {
                try list.add(row(report), section: ("others", "Other stacks, or none"))
                return
            }
            try list.add(row(report), section: (Self.stack(rank), "Stack \(rank + 1) of \(stackCount): \(inner[rank])"))
        }
        return Dictionary(ids.indices.compactMap { rank in list.links[Self.stack(rank)].map { (rank, $0) } }) { first, _ in first }
    }
}
