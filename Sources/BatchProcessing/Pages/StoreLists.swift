/// The lists of all of a store's reports and logs.
struct StoreLists {
    let writing: PageWriting
    let questions: any ReportLists
    let overview: StoreOverview

    var time: String { ListPages.first("all-time") }

    private func list(_ name: String, _ heading: String, total: Int, wanted: Set<String> = []) -> ListPages {
        ListPages(
            writing, name: name, heading: heading, trail: CrashPages.trail(writing), total: total, showsGroups: true, wanted: wanted)
    }

    private func fill(
        _ list: inout ListPages, _ selection: ReportSelection, by order: ReportOrder,
        _ add: (inout ListPages, ListedReport) throws(PageError) -> Void
    ) throws {
        var problem = FirstProblem()
        try questions.forEachReport(selection, by: order) { report in problem.note { () throws(PageError) in try add(&list, report) } }
        try problem.rethrow()
        try list.finish()
    }

    /// - Returns: where the reports of each piece begin, by its index in the series.
    func writeTime(_ series: TimeSeries?) throws -> [Int: String] {
        var keys: [Int: String] = [:]
        if let series {
            for index in series.counts.indices where series.counts[index] > 0 { keys[index] = TimeColumns.key(series.first + index) }
        }
        var list = list(
            "all-time", "All reports by time", total: overview.reports, wanted: Set(keys.values).union([TimeColumns.untold]))
        try fill(&list, .all, by: .instant) { (list, report) throws(PageError) in
            guard let series, let instant = report.instant else {
                try list.add(report, section: (TimeColumns.untold, "No timestamp"))
                return
            }
            let piece = series.scale.piece(of: instant)
            try list.add(report, section: (TimeColumns.key(piece), series.scale.label(piece)))
        }
        untoldPlace.place = list.places[TimeColumns.untold]
        return keys.compactMapValues { list.places[$0] }
    }

    func write(_ rows: TallyRows) throws -> (places: [String: String], otherwise: String) {
        guard !rows.isOne else { return ([:], time) }
        var list = list("all-\(rows.kind.name)", "All reports by \(rows.kind.name)", total: overview.reports, wanted: rows.keys)
        try fill(&list, .all, by: rows.kind.order) { (list, report) throws(PageError) in
            try list.add(report, section: (TallyRows.key(report.section), rows.title(report.section)))
        }
        return (list.places, ListPages.first("all-\(rows.kind.name)"))
    }

    func write(_ images: [MissingImage]) throws -> [String: String] {
        let some = images.filter { $0.reports < overview.reports }
        guard !some.isEmpty else { return [:] }
        let wanted = Set(some.map(\.key))
        var list = list("all-symbols", "Reports by missing symbols", total: some.reduce(0) { $0 + $1.reports }, wanted: wanted)
        try fill(&list, .all, by: .missingImages) { (list, report) throws(PageError) in
            guard let key = report.section, wanted.contains(key) else { return }
            try list.add(report, section: (key, GroupLists.title(ofImage: key)))
        }
        return list.places
    }

    // MARK: Facts

    private final class Place { var place: String? }
    private let untoldPlace = Place()

    init(writing: PageWriting, questions: any ReportLists, overview: StoreOverview) {
        self.writing = writing
        self.questions = questions
        self.overview = overview
    }

    /// What the store holds and what is missing, each with its list. After the lists by time.
    func facts() throws -> [[String: Any]] {
        var facts: [[String: Any]] = []
        func add(_ term: String, _ count: Int, always: Bool = false, _ href: () throws -> String?) rethrows {
            guard always || count > 0 else { return }
            var fact: [String: Any] = ["term": term, "value": PageText.number(count)]
            if count > 0, let href = try href() { fact["href"] = href }
            facts.append(fact)
        }
        add("Reports", overview.reports, always: true) { time }
        add("Groups", overview.groups, always: true) { GroupListPages.first }
        try add("Files", overview.files, always: true) { try logs(.all, "all-files", "All files", overview.files) }
        try add("No crash log", overview.logsWithoutTrace, always: true) {
            try logs(.withoutTrace, "no-log", "Files that are not crash logs", overview.logsWithoutTrace)
        }
        try add("Not readable", overview.unreadableLogs + overview.unreadFiles, always: true) {
            try logs(.unreadable, "unreadable", "Not readable", overview.unreadableLogs + overview.unreadFiles)
        }
        try add("Innermost frames without names", overview.reportsLackingSymbols) {
            try reports(
                .lackingSymbols, "lacking-symbols", "Reports whose innermost frames have no names", overview.reportsLackingSymbols)
        }
        try add("No usable stack", overview.reportsWithoutStack) {
            try reports(.withoutStack, "no-stack", "Reports without a usable stack", overview.reportsWithoutStack)
        }
        try add("In no group yet", overview.ungroupedReports) {
            try reports(.ungrouped, "no-group", "Reports that are in no group yet", overview.ungroupedReports)
        }
        add("No timestamp", overview.reportsWithoutInstant) { untoldPlace.place ?? time }
        if let first = overview.first {
            facts.append(["term": "First", "instant": PageTemplates.instant(first, text: nil), "isWords": true])
        }
        if let last = overview.last {
            facts.append(["term": "Last", "instant": PageTemplates.instant(last, text: nil), "isWords": true])
        }
        return facts
    }

    private func reports(_ selection: ReportSelection, _ name: String, _ heading: String, _ count: Int) throws -> String {
        var list = list(name, heading, total: count)
        try fill(&list, selection, by: .instant) { (list, report) throws(PageError) in try list.add(report, section: nil) }
        return ListPages.first(name)
    }

    private func logs(_ selection: LogSelection, _ name: String, _ heading: String, _ count: Int) throws -> String {
        var list = ListPages(
            writing, name: name, heading: heading, what: selection == .all ? "file" : "log", trail: CrashPages.trail(writing),
            total: count, isOfReports: false)
        var problem = FirstProblem()
        try questions.forEachLog(selection) { log in problem.note { () throws(PageError) in try list.add(log) } }
        try problem.rethrow()
        try list.finish()
        return ListPages.first(name)
    }
}
