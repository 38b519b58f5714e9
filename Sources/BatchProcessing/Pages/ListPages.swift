/// A list that is divided into pages: a page is written as soon as it is full, so that a list may
/// be as long as it will.
struct ListPages {
    /// Rows of a page.
    static let rows = 500

    private let writing: PageWriting
    /// `all-time`: what the pages are called, with `-` and their numbers.
    private let name: String
    private let heading: String
    private let what: String
    private let trail: [(text: String, name: String)]
    private let pages: Int
    private let total: Int
    private let isOfReports: Bool
    private let showsGroups: Bool

    private var page = 1
    private var rowCount = 0
    private var written = 0
    private var sections: [[String: Any]] = []
    private var sectionRows: [[String: Any]] = []
    private var section: (key: String, title: String)?
    private var sectionNumber = 0

    /// Where sections begin, by their keys: those that were requested.
    private(set) var places: [String: String] = [:]
    private let wanted: Set<String>

    /// - Parameters:
    ///   - total: how many rows there will be.
    ///   - wanted: keys of sections, and of marks, whose places are requested; each of these places
    ///     is kept.
    init(
        _ writing: PageWriting, name: String, heading: String, what: String = "report", trail: [(text: String, name: String)],
        total: Int,
        isOfReports: Bool = true, showsGroups: Bool = false, wanted: Set<String> = []
    ) {
        self.writing = writing
        self.name = name
        self.heading = heading
        self.what = what
        self.trail = trail
        self.total = total
        self.isOfReports = isOfReports
        self.showsGroups = showsGroups
        self.wanted = wanted
        pages = max(1, (total + Self.rows - 1) / Self.rows)
    }

    static func first(_ name: String) -> String { "reports/\(name)-1.html" }

    private func path(_ page: Int) -> String { "reports/\(name)-\(page).html" }

    /// - Parameters:
    ///   - section: the section of the row; a new key begins a new section.
    ///   - mark: a key that the row is the first of.
    mutating func add(_ report: ListedReport, section: (key: String, title: String)?, mark: String? = nil) throws(PageError) {
        try makeRoom()
        if section?.key != self.section?.key { begin(section) }
        var row = writing.report(report, depth: 1)
        if let mark {
            row["rowAnchor"] = mark
            if wanted.contains(mark) { places[mark] = path(page) + "#" + mark }
        }
        if showsGroups, let group = report.group {
            row["group"] = ["href": "../" + CrashPages.page(ofGroup: group), "name": PageText.short(report.title ?? group, 200)]
        }
        sectionRows.append(row)
        rowCount += 1
    }

    mutating func add(_ log: ListedLog) throws(PageError) {
        try makeRoom()
        var row = writing.log(path: log.path, pathCount: log.pathCount, depth: 1)
        row["result"] =
            ["answered": "crash log", "no-trace": "no crash log", "unreadable": "not readable"][log.result]
            ?? PageText.short(log.result, 40)
        if let problem = log.problem, !problem.isEmpty { row["problem"] = PageText.short(problem, 1000) }
        row["count"] = PageText.number(log.reports)
        sectionRows.append(row)
        rowCount += 1
    }

    mutating func finish() throws(PageError) {
        guard rowCount > 0 || page == 1 else { return }
        try write()
    }

    private mutating func begin(_ next: (key: String, title: String)?) {
        closeSection()
        section = next
        sectionNumber += 1
        if let next, wanted.contains(next.key) { places[next.key] = path(page) + "#s\(sectionNumber)" }
        isContinued = false
    }

    private var isContinued = false

    private mutating func closeSection() {
        guard !sectionRows.isEmpty else { return }
        var values: [String: Any] = ["rows": sectionRows]
        if let section {
            values["sectionTitle"] = PageText.short(section.title, 400) + (isContinued ? " (continued)" : "")
            if !isContinued { values["sectionAnchor"] = "s\(sectionNumber)" }
        }
        sections.append(values)
        sectionRows = []
    }

    private mutating func makeRoom() throws(PageError) {
        guard rowCount == Self.rows else { return }
        try write()
        page += 1
        rowCount = 0
        isContinued = true
    }

    private mutating func write() throws(PageError) {
        let first = written + 1
        written += rowCount
        var values: [String: Any] = [:]
        if isOfReports {
            closeSection()
            values["reports"] = ["sections": sections, "caption": caption(first)]
        } else {
            values["logs"] = ["rows": sectionRows, "caption": caption(first)]
            sectionRows = []
        }
        sections = []
        values["summary"] = PageText.count(total, what)
        if pages > 1 { values["pager"] = Self.pager(page, of: pages, label: "Pages of this list") { "\(name)-\($0).html" } }
        let number = pages > 1 ? ", page \(page)" : ""
        try writing.write("list", to: path(page), heading: heading, here: heading + number, trail: trail, values)
    }

    private func caption(_ first: Int) -> String {
        rowCount == 0 ? "None." : "\(PageText.number(first)) to \(PageText.number(written)) of \(PageText.number(total))"
    }

    /// Links to the neighbours, and to the first and the last page.
    static func pager(_ page: Int, of pages: Int, label: String, _ href: (Int) -> String) -> [String: Any] {
        let shown =
            pages <= 12
            ? Array(1...pages)
            : Set([1, page - 2, page - 1, page, page + 1, page + 2, pages]).filter { (1...pages).contains($0) }.sorted()
        let links: [[String: Any]] = shown.map { number in
            number == page ? ["text": "page \(number)"] : ["text": "page \(number)", "href": href(number)]
        }
        return ["label": label, "links": links]
    }
}
