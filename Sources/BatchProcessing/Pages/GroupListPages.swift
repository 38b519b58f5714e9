/// All groups, the largest first, a piece of them a page.
struct GroupListPages {
    private static let rows = 200
    static let first = "groups/all-1.html"

    private let writing: PageWriting
    private let total: Int
    private let reports: Int
    private let pages: Int
    private var page = 1
    private var rows: [[String: Any]] = []
    private var written = 0

    /// - Parameters:
    ///   - total: groups.
    ///   - reports: of the whole store.
    init(writing: PageWriting, total: Int, reports: Int) {
        self.writing = writing
        self.total = total
        self.reports = reports
        pages = max(1, (total + Self.rows - 1) / Self.rows)
    }

    /// The list of a group's reports.
    static func time(_ id: String) -> String { ListPages.first(CrashPages.name(ofGroup: id) + "-time") }

    /// A group's values in a table.
    static func row(_ summary: GroupSummary, rank: Int, of reports: Int, root: String) -> [String: Any] {
        var row: [String: Any] = [
            "rank": rank, "href": root + CrashPages.page(ofGroup: summary.id), "title": PageText.short(summary.title, 300),
            "reports": root + time(summary.id), "count": PageText.number(summary.reports),
            "share": PageText.share(summary.reports, of: reports),
            "versions": versions(summary),
        ]
        if let first = summary.first, let last = summary.last {
            row["seen"] = true
            row["first"] = PageTemplates.instant(first, text: nil)
            row["last"] = PageTemplates.instant(last, text: nil)
        }
        if summary.lacksSymbols { row["note"] = "innermost frames without names" }
        if summary.absence != nil { row["note"] = "no usable stack" }
        return row
    }

    private static func versions(_ summary: GroupSummary) -> String {
        let reported = summary.versions.compactMap(\.value).map { PageText.short($0, 60) }
        guard !reported.isEmpty else { return "unknown version" }
        let more = summary.versionCount - summary.versions.count
        return (reported.count > 1 || more > 0 ? "versions " : "version ") + reported.joined(separator: ", ")
            + (more > 0 ? " and \(PageText.number(more)) more" : "")
    }

    mutating func add(_ summary: GroupSummary, rank: Int) throws(PageError) {
        if rows.count == Self.rows {
            try write()
            page += 1
        }
        rows.append(Self.row(summary, rank: rank, of: reports, root: "../"))
    }

    mutating func finish() throws(PageError) { try write() }

    private mutating func write() throws(PageError) {
        let begin = written + 1
        written += rows.count
        var values: [String: Any] = [
            "summary": PageText.count(total, "group") + ".", "rows": rows, "hasSparks": false,
            "caption": rows.isEmpty
                ? "None." : "\(PageText.number(begin)) to \(PageText.number(written)) of \(PageText.number(total)), the largest first.",
        ]
        if pages > 1 { values["pager"] = ListPages.pager(page, of: pages, label: "Pages of all groups") { "all-\($0).html" } }
        rows = []
        try writing.write(
            "groupList", to: "groups/all-\(page).html", heading: "All groups" + (pages > 1 ? ", page \(page)" : ""), here: "All groups",
            trail: CrashPages.trail(writing), values)
    }
}
