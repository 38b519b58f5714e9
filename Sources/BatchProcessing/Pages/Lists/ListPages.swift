/// A list that is divided into pages: a page is written as soon as it is full, so that a list may
/// be as long as it will.
struct ListPages {
    /// Kind of the rows.
    enum Kind {
        case reports, logs, groups

        var page: PageKind { self == .groups ? .groups : .list }
        var folder: String { self == .groups ? "groups" : "reports" }
    }

    /// Rows of a page.
    static let rows = 100

    private let writing: PageWriting
    /// `all-time`: what the pages are called, with `-` and their numbers.
    private let name: String
    private let heading: String
    private let kind: Kind
    private let trail: [(text: String, name: String)]
    private let pages: Int
    private let total: Int
    /// Values that every page of the list has.
    private let common: [String: Any]

    private var page = 1
    private var rowCount = 0
    private var written = 0
    private var sections: [[String: Any]] = []
    /// Markup.
    private var sectionRows = ""
    private var section: (key: String, title: String)?
    private var sectionNumber = 0
    private var isContinued = false

    /// Links to the requested sections and marks, by their keys.
    private(set) var links: [String: String] = [:]
    private let wanted: Set<String>

    /// - Parameters:
    ///   - total: how many rows there will be.
    ///   - wanted: Keys of the sections and marks whose links are requested and kept.
    init(
        _ writing: PageWriting, name: String, heading: String, kind: Kind = .reports, trail: [(text: String, name: String)], total: Int,
        wanted: Set<String> = [], common: [String: Any] = [:]
    ) {
        self.writing = writing
        self.name = name
        self.heading = heading
        self.kind = kind
        self.trail = trail
        self.total = total
        self.wanted = wanted
        self.common = common
        pages = max(1, (total + Self.rows - 1) / Self.rows)
    }

    static func first(_ name: String, _ kind: Kind = .reports) -> String { "\(kind.folder)/\(name)-1.html" }

    private func path(_ page: Int) -> String { "\(kind.folder)/\(name)-\(page).html" }

    /// - Parameters:
    ///   - row: its markup.
    ///   - section: the section of the row; a new key begins a new section.
    ///   - mark: a key that the row is the first of, and its identifier.
    mutating func add(_ row: String, section: (key: String, title: String)? = nil, mark: String? = nil) throws(PageError) {
        if rowCount == Self.rows { try turn() }
        if section?.key != self.section?.key { begin(section) }
        if let mark, wanted.contains(mark) { links[mark] = path(page) + "#" + mark }
        sectionRows += row
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
        if let next, wanted.contains(next.key) { links[next.key] = path(page) + "#s\(sectionNumber)" }
        isContinued = false
    }

    private mutating func closeSection() {
        guard !sectionRows.isEmpty else { return }
        var values: [String: Any] = ["rows": sectionRows]
        if let section {
            values["sectionTitle"] = PageText.short(section.title, 400) + (isContinued ? " (continued)" : "")
            if !isContinued { values["sectionAnchor"] = "s\(sectionNumber)" }
        }
        sections.append(values)
        sectionRows = ""
    }

    private mutating func turn() throws(PageError) {
        try write()
        page += 1
        rowCount = 0
        isContinued = true
    }

    private mutating func write() throws(PageError) {
        let first = written + 1
        written += rowCount
        let caption = rowCount == 0 ? "None." : "\(PageText.number(first)) to \(PageText.number(written)) of \(PageText.number(total))"
        var values = common
        switch kind {
        case .logs:
            values["logs"] = ["rows": sectionRows, "caption": caption]
            sectionRows = ""
        case .reports:
            closeSection()
            values["reports"] = ["sections": sections, "caption": caption]
        case .groups:
            closeSection()
            values["sections"] = sections
            values["caption"] = caption
        }
        sections = []
        if pages > 1 { values["pager"] = Self.pager(page, of: pages) { "\(name)-\($0).html" } }
        let number = pages > 1 ? ", page \(page)" : ""
        try writing.write(kind.page, to: path(page), heading: heading, here: heading + number, trail: trail, values)
    }

    /// Links to the neighbours, to the first and the last page, and to every tenth, hundredth and
    /// so on, so that each page is a few clicks away.
    static func pager(_ page: Int, of pages: Int, _ href: (Int) -> String) -> [String: Any] {
        var step = 10
        while pages / step > 12 { step *= 10 }
        let jumps = stride(from: step, through: pages, by: step)
        let shown =
            pages <= 12
            ? Array(1...pages) : Set([1, page - 1, page, page + 1, pages]).union(jumps).filter { (1...pages).contains($0) }.sorted()
        let links: [[String: Any]] = shown.map { number in
            number == page ? ["text": "page \(number)"] : ["text": "\(number)", "href": href(number)]
        }
        return ["label": "Pages of this list", "links": links]
    }
}
