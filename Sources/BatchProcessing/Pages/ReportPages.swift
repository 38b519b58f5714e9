/// Pages of reports with their symbolicated logs, and the same in JSON.
///
/// They are made from the store, so that the pages are whole where the logs are not: published by a
/// CI service, for example.
struct ReportPages {
    let writing: PageWriting
    let queries: DatabaseQueries

    /// Stacks of a report, and rows of each: a log of a thousand threads makes no page that a
    /// browser cannot show.
    private static let stacks = 12
    private static let frames = 64

    static func page(of report: Int64) -> String { "reports/report-\(UInt64(bitPattern: report)).html" }

    /// - Returns: the report's page; `nil` where the report is not there any more.
    func write(_ id: Int64, group: GroupSummary) throws -> String? {
        var limits = QueryLimits()
        (limits.stacks, limits.frames) = (Self.stacks, Self.frames)
        guard let report = try queries.report(id, limits) else { return nil }
        let json = "report-\(UInt64(bitPattern: id)).json"
        try writing.folder.write(QueryJSON().render(report), to: "reports/" + json)
        var values = PageWriting.report(report.reference)
        values["json"] = json
        values["log"] = ReportText.text(report)
        values["function"] = ["pieces": GroupTitle(group.title, kindLabel: group.kindLabel).values["pieces"] ?? []]
        let page = CrashPages.page(ofGroup: group.id)
        values["group"] = ["href": "../" + page]
        try writing.write(
            .report, to: Self.page(of: id), heading: group.title, here: "Report",
            trail: CrashPages.trail(writing) + [(group.title, page)], values)
        return Self.page(of: id)
    }
}
